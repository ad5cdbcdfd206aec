# SPDX-License-Identifier: Apache-2.0
"""The stub RTL of a configuration: generated modules around the hand-written files."""

import re
from collections.abc import Callable
from pathlib import Path

from ..base import outputs, report, setup
from ..tables import Config, Table, own
from . import composed, shell

STUBS = setup.ROOT / "rtl_stub"
# The stub of a user's block that has RTL and no core; fit/own_rtl.py knows how, if it is imported.
own_rtl: Callable[[Table, Config], list[Path]] | None = None


def is_own_rtl(table: Table) -> bool:
    """Is the stub of this block RTL of a user in a wrapper?"""
    return table.name in own() and not shell.core_path(table).is_file()


def stub_files(table: Table) -> list[Path]:
    """The hand-written files of a block's stub and of the blocks inside it."""
    blocks = composed.blocks(table)
    if table.name in own():
        return sorted(shell.core_path(table).parent.glob("*.sv"))
    found = [path for block in blocks for path in sorted((STUBS / block.name).glob("*.sv"))]
    shared = {path.stem: path for path in STUBS.glob("*/*.sv") if path not in found}
    found += [shared.pop(core) for core in dict.fromkeys(b.core for b in blocks if b.core)]
    for path in found:  # grows: a shared module, or another block's, may use others
        used = set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) & shared.keys()
        found += [shared.pop(name) for name in sorted(used)]
    return found


def write_stub(table: Table, config: Config) -> list[Path]:
    """The stub of a configuration: the generated modules, then the hand-written files."""
    if is_own_rtl(table):
        return own_rtl(table, config)
    shown, usual = table.show(config), table.show(table.defaults())
    changed = [f"{k}-{shown[k]}" for k in shown if shown[k] != usual[k]]
    place = setup.BUILD / "stubs" / table.name / (report.file_name(",".join(changed)) or "default")
    files = []
    for module, text in composed.module_texts(table, config).items():
        files.append(place / f"{module}.sv")
        if not files[-1].is_file() or files[-1].read_text(encoding="utf-8") != text:
            place.mkdir(parents=True, exist_ok=True)
            with setup.locked("stubs"), outputs.atomic_write(files[-1]) as file:
                file.write(text)
    return [*files, *stub_files(table)]
