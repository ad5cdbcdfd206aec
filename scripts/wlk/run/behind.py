# SPDX-License-Identifier: Apache-2.0
"""The section of a failure's report that quotes the RTL behind the ports that differ."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import WlkError
from ..fit.wave import TOOL
from . import build
from .jobs import Job

WIDEST = 90  # signs of a statement


@dataclass
class Behind:
    """What is quoted: as text, and as the key `rtl_lines` of the answer."""

    text: list[str] = field(default_factory=list)
    found: list[dict[str, Any]] = field(default_factory=list)


def section(job: Job, answer: Mapping[str, Any], wave: Path | None) -> Behind:
    """The lines behind the first difference, with a waveform of its cycle likeliest first. Where
    something cannot be read, a line says why; never an error."""
    differing = _differing(answer)
    if not differing:
        return Behind()
    try:
        return _section(job, differing, answer["failure"]["first"]["cycle"], wave)
    except ImportError:  # slang is not set up: the RTL is a stub
        return Behind()
    except WlkError as error:
        return Behind([f"  no RTL lines: {error.message}"])
    except Exception as error:  # noqa: BLE001  a verdict does not hang on it
        return Behind([f"  no RTL lines: {type(error).__name__}: {error}"])


def _differing(answer: Mapping[str, Any]) -> dict[str, int]:
    """The bits that differ first, by the port; the one that is reported first."""
    failure = answer.get("failure", {})
    found = {}
    for each in failure.get("differences", ()):
        bits = {name: int(each[name], 16) for name in ("expected", "got", "care")}
        found[each["port"]] = (bits["expected"] ^ bits["got"]) & bits["care"] or bits["care"]
    return found


def _section(job: Job, differing: dict[str, int], cycle: int, wave: Path | None) -> Behind:
    from ..fit import cone, rtl, traced  # needs slang, which the stub does not

    if job.fit is not None:
        module = job.fit.module
    else:
        source = job.rtl
        design = rtl.load(source.files, source.defines, source.include_dirs)
        module = design.find(source.top)
    trace = None
    if wave is not None:
        with contextlib.suppress(WlkError):
            trace = traced.read(build.brought_up() / "dpi" / TOOL, wave, module.name)
    found = cone.behind(module, differing, trace=trace, cycle=cycle)
    if not found:
        return Behind()
    order = (
        f"in cycle {cycle} of the waveform, likeliest first"
        if trace is not None
        else "nearest first"
    )
    rows = [(f"{each.file.name}:{each.line}", _quoted(each), each.source) for each in found]
    widths = [max(len(row[n]) for row in rows) for n in (0, 1)]
    lines = [f"  RTL behind {next(iter(differing))} {order}:"]
    lines += [f"    {a:{widths[0]}}  {b:{widths[1]}}  {c}".rstrip() for a, b, c in rows]
    return Behind(lines, [each.json() for each in found])


def _quoted(line: Any) -> str:
    text = line.text if len(line.text) <= WIDEST else f"{line.text[: WIDEST - 4]} ..."
    if not line.register:
        return text
    when = f", last changed at the edge of cycle {line.last_change}"
    return f"{text}  (register{'' if line.last_change is None else when})"
