# SPDX-License-Identifier: Apache-2.0
"""docs/opndcoll-policies.md: its pictures are what the model does, its tables what it counts.

In a picture the lanes of the group "off" are without the policy, those of "on" with it, and the
others the same in both.
"""

import json
import re
from pathlib import Path

import programs
import pytest
from test_opndcoll_page import FENCE, shown, steps_of

PAGE = programs.ROOT / "docs" / "opndcoll-policies.md"
NARROW = [
    f"-gpgpu_operand_collector_num_{what}_gen 1" for what in ("units", "in_ports", "out_ports")
]
EVENTS = ("A ", "G ", "D ", "I ", "w ", "E ")
POLICIES = {  # section: option, revision, other options
    "Passing a full sub-core": ("pass_full_sub_core", "v42", []),
    "Rotating kinds": ("rotate_kinds", "v40", NARROW),
    "Duplicates read once": ("read_duplicates_once", "v40", []),
}


def section(name: str) -> str:
    return PAGE.read_text("utf-8").partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def option(folder: Path, *lines: str) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.cfg"
    path.write_text("".join(f"{line}\n" for line in lines), "ascii")
    return path


@pytest.mark.parametrize("name", POLICIES)
def test_policy_picture_is_what_the_model_does(name, tmp_path):
    policy, revision, more = POLICIES[name]
    (_, commands), (kind, drawn) = FENCE.findall(section(name))
    assert kind == "wavedrom"
    common = ["--revision", revision, "--config", option(tmp_path, *more)]
    on = ["--config", option(tmp_path, f"-warplock_{policy} 1")]
    runs = {"off": steps_of(commands, *common), "on": steps_of(commands, *common, *on)}
    assert runs["off"] != runs["on"]
    signal = json.loads(drawn)["signal"]
    shared = [lane for lane in signal if isinstance(lane, dict) and lane]
    groups = {title: lanes for title, *lanes in (x for x in signal if isinstance(x, list))}
    assert set(groups) == set(runs)
    for title, steps in runs.items():
        lanes = [*shared, *groups[title]]
        for lane in lanes:
            wanted = [shown(lines, lane["name"]) for lines in steps]
            assert programs.cells_of(lane, "z") == wanted, (title, lane["name"])
        names = tuple(f"{lane['name']} " for lane in lanes)
        left = [x for lines in steps for x in lines if x.startswith(EVENTS)]
        assert [x for x in left if not x.startswith(names)] == []  # every event is drawn


# ---- the tables ----


def opndcoll(name: str, policy: str, folder: Path, *words: str) -> dict:
    """What the command prints of a recording as JSON; the policy stands in the last word."""
    revision, config, _ = name.split("-")
    path = programs.recording(f"gpgpusim/{name}.stim.xz")
    on = option(folder, f"-warplock_{policy} 1")
    words = [word.replace("POLICY", str(on)) for word in words]
    options = ["--revision", revision, "--config", path.with_name(f"{config}.cfg")]
    return programs.warplock("opndcoll", path, *options, *words, "--json").json


def arrow(values: list[float]) -> str:
    return " → ".join(f"{x:,.2f}" if isinstance(x, float) else f"{x:,}" for x in values)


def compared(name: str, policy: str, folder: Path, *counts: str) -> list[str]:
    """A row: what `--compare` says of a policy."""
    both = opndcoll(name, policy, folder, "--compare", "+POLICY")["configurations"]
    waits = [[each["waited"][key] for each in both] for key in ("mean", "p95")]
    totals = [[each["summary"]["totals"][key] for each in both] for key in counts]
    return [*map(arrow, waits), f"{both[1]['saved_steps']:,}", *map(arrow, totals)]


def counted(name: str, policy: str, folder: Path) -> list[str]:
    """A row: what `--summary` counts without a policy and with it."""
    both = [
        opndcoll(name, policy, folder, *words, "--summary")
        for words in ([], ["--config", "POLICY"])
    ]

    def of(kind: str, key: str) -> list[int]:
        return [row[key] for each in both for row in each["kinds"] if row["kind"] == kind]

    columns = [
        ("issue_refused", "SP"),
        ("issue_refused", "INT"),
        ("starved_cycles", "SP"),
        ("starved_cycles", "INT"),
    ]
    issued = [each["totals"]["issued"] for each in both]
    return [arrow(issued), *(arrow(of(kind, key)) for key, kind in columns)]


V40 = [name for name in programs.OPNDCOLL if name.startswith("v40")]
TABLES = {
    "Passing a full sub-core": (
        ["v42-qv100-conflict", "v42-qv100-core"],
        "steps, mean | p95 | steps saved | starved: no unit | stalled: EX full",
        lambda *words: compared(*words, "starved_unit", "stalled_ex_full"),
    ),
    "Rotating kinds": (
        [name for name in V40 if "qv100" in name or "titanv" in name],
        "issued | refused: SP | refused: INT | starved cycles: SP | starved cycles: INT",
        counted,
    ),
    "Duplicates read once": (
        [*V40, *(name for name in programs.OPNDCOLL if name.startswith("v32"))],
        "steps, mean | p95 | steps saved | conflicts | starved: no unit",
        lambda *words: compared(*words, "conflicts", "starved_unit"),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_policy_table_is_what_is_counted(name, tmp_path):
    recordings, columns, row = TABLES[name]
    lines = [f"| recording | {columns} |", "|---" * (columns.count("|") + 2) + "|"]
    for each in recordings:
        cells = row(each, POLICIES[name][0], tmp_path)
        lines.append(f"| {each} | {' | '.join(cells)} |")
    table = "\n".join(lines) + "\n"
    assert table in section(name), table


def test_policy_page_tells_what_v42_saves_by_rotation(tmp_path):
    both = opndcoll("v42-qv100-core", "rotate_kinds", tmp_path, "--compare", "+POLICY")
    first, other = both["configurations"]
    saved = re.search(
        r"v42-qv100-core saves (\d+) steps of\n?\s*([\d,]+)", section("Rotating kinds"), re.I
    )
    assert (int(saved[1]), int(saved[2].replace(",", ""))) == (
        other["saved_steps"],
        first["waited"]["total"],
    )
