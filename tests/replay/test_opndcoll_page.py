# SPDX-License-Identifier: Apache-2.0
"""The walk of docs/operand-collector.md is what the model does: its commands draw its picture.

A column is a step, with what was printed since the step before. A lane shows the lines that begin
with its name, without it; `z` is none.
"""

import json
import lzma
import re

import programs
from wlk.run import opndcoll_summary

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = programs.ROOT / "docs" / "operand-collector.md"


def parts() -> tuple[str, dict]:
    """Commands and picture."""
    text = PAGE.read_text("utf-8").partition("\n## One instruction")[2]
    (_, commands), (kind, picture) = FENCE.findall(text)[:2]
    assert kind == "wavedrom"
    return commands, json.loads(picture)


def steps_of(commands: str, *words: object) -> list[list[str]]:
    """The lines printed up to the end of each step, on QV100 with other options."""
    config = programs.recording("gpgpusim/qv100.cfg")
    done = programs.run(
        "dpi/wlk-opndcoll", "--config", config, *words, "--state", "-", stdin=commands
    )
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = [[]]
    for line in done.stdout.splitlines():
        if line[0] in "CIEVLwS" and any(x.startswith("S ") for x in found[-1]):
            found.append([])
        found[-1] += [] if line[0] == "#" else [line]
    return found


def shown(lines: list[str], name: str) -> str:
    head = {"step": "S"}.get(name, name) + " "
    return ", ".join(x.removeprefix(head) for x in lines if x.startswith(head)) or "z"


def test_opndcoll_walk_is_what_the_model_does():
    commands, picture = parts()
    steps = steps_of(commands)
    lanes = [lane for lane in picture["signal"] if lane]
    for lane in lanes:
        wanted = [shown(lines, lane["name"]) for lines in steps]
        assert programs.cells_of(lane, "z") == wanted, lane["name"]
    names = tuple(lane["name"].replace("step", "S") + " " for lane in lanes)
    left = [x for lines in steps for x in lines if not x.startswith((*names, "u ", "p "))]
    assert left == []  # nothing happens that is not drawn


def sample(section: str) -> str:
    """The first example of a section."""
    return FENCE.findall(PAGE.read_text("utf-8").partition(f"\n## {section}\n")[2])[0][1]


def test_opndcoll_sample_of_statistics_is_what_is_printed(tmp_path):
    packed = programs.recording("gpgpusim/v40-qv100-core.stim.xz")
    stimulus = tmp_path / "a.stim"
    stimulus.write_bytes(lzma.decompress(packed.read_bytes()))
    words = ["--config", packed.with_name("qv100.cfg"), "--summary", stimulus]
    counts = json.loads(programs.run("dpi/wlk-opndcoll", *words).stdout)
    printed = opndcoll_summary.render(opndcoll_summary.with_rates(counts), "a")
    assert sample("Statistics") in printed + "\n"


def test_opndcoll_sample_of_a_comparison_is_what_is_printed():
    stimulus = programs.recording("gpgpusim/v40-qv100-conflict.stim.xz")
    qv100, titanv = (stimulus.with_name(f"{name}.cfg") for name in ("qv100", "titanv"))
    words = ("--config", qv100, "--compare", titanv, "--compare", f"v42:{qv100}")
    printed = programs.warplock("opndcoll", stimulus, *words).out
    shown = [" ".join(line.split()) for line in sample("Another configuration").splitlines()]
    assert set(shown[2:]) <= {" ".join(line.split()) for line in printed.splitlines()}


def test_opndcoll_page_names_every_count():
    text = PAGE.read_text("utf-8").partition("\n## Statistics")[2]
    counts = json.loads(programs.run("dpi/wlk-opndcoll", "--summary", "-", stdin="").stdout)
    listed = set(re.findall(r"`(\w+)`", text[: text.index("```")]))
    assert {*counts["totals"], "busy_units", "queue_lengths"} <= listed
