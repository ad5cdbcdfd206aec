# SPDX-License-Identifier: Apache-2.0
"""Directed cases of the operand collector's calls, for the C model and the naive one.

They and their format: tests/prop/opndcoll_calls.txt.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import programs
import pytest
from stimulus_opndcoll import POLICIES
from test_opndcoll_models import play_model, play_naive

STATE = frozenset("Scqupkr!")  # how lines of the state begin, and what a row says of them
PATH = programs.ROOT / "tests/prop/opndcoll_calls.txt"


@dataclass
class Case:
    name: str
    revision: str
    options: dict[str, str]
    rows: list[tuple[str, list[str] | None]] = field(default_factory=list)  # command, lines


def options_of(words: list[str]) -> dict[str, str]:
    """Options by their whole names."""
    found = {}
    for word in words:
        name, _, value = word.partition("=")
        short = re.match("(units|in_ports|out_ports)_", name)
        name = f"operand_collector_num_{name}" if short else name
        policy = "warplock_" if name in POLICIES else "gpgpu_"
        prefix = "-" if name.startswith("specialized_") else f"-{policy}"
        found[prefix + name] = value
    return found


def read() -> Iterator[Case]:
    configs: dict[str, dict[str, str]] = {}
    cases: list[Case] = []
    counts: dict[str, range] = {}
    lines = [line.partition("#")[0].rstrip() for line in PATH.read_text("utf-8").splitlines()]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        command, bar, printed = line.partition("|")
        match command.split():
            case []:
                pass
            case "config", name, *words:
                configs[name] = options_of(words)
            case "case", name, revision, config, *words:
                cases.append(Case(name, revision, configs[config] | options_of(words)))
            case "for", "n", "=", numbers:
                first, last = map(int, numbers.split(".."))
                counts[cases[-1].name] = range(first, last + 1)
            case words:
                expected = [each.strip() for each in printed.split(";") if each.strip()]
                cases[-1].rows.append((" ".join(words), expected if bar else None))
    for case in cases:
        for n in counts.get(case.name, [None]):
            rows = [(command.replace("$n", str(n)), lines) for command, lines in case.rows]
            yield Case(f"{case.name}_{n}" if n is not None else case.name, case.revision,
                       case.options, rows)  # fmt: skip


CASES = list(read())


def compare(command: str, expected: list[str], printed: list[str]) -> None:
    """What a command prints is what its row expects."""
    events = [line for line in printed if line[0] not in STATE]
    assert events == [line for line in expected if line[0] not in STATE], command
    for line in expected:
        if line[0] == "!":
            assert not any(other.startswith(f"{line[1:]} ") for other in printed), command
        elif line[0] in STATE:
            assert line in printed, command


@pytest.mark.parametrize("by", ["model", "naive"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_opndcoll_case(case: Case, by: str, tmp_path: Path) -> None:
    options, commands = tmp_path / "a.cfg", tmp_path / "a.stim"
    options.write_text(
        "".join(f"{name} {value}\n" for name, value in case.options.items()), "utf-8"
    )
    *rows, end = [*case.rows] if case.rows[-1][0] == "end" else [*case.rows, ("end", None)]
    # A core cycle does nothing: its line ends what a command prints.
    commands.write_text("".join(f"C\n{command}\n" for command, _ in rows) + "C\n", "utf-8")
    play = play_model if by == "model" else play_naive
    _, *parts, stats = re.split(r"^C \d+\n", play(case.revision, options, commands), flags=re.M)
    for (command, expected), printed in zip(rows, parts, strict=True):
        if expected is not None:
            compare(command, expected, printed.splitlines())
    assert end[1] is None or stats == f"# stats {end[1][0]}\n"


def test_opndcoll_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 50
