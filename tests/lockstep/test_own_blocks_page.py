# SPDX-License-Identifier: Apache-2.0
"""docs/own-blocks.md as a tutorial: each walk is typed in an empty folder, as it stands, and shows
what the page says; what comes out is the example."""

import os
import re
import shlex
import subprocess
import tomllib

import programs
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl")]
PAGE = (programs.ROOT / "docs" / "own-blocks.md").read_text("utf-8")
EXAMPLES = programs.ROOT / "docs" / "examples"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WALKS = {"rr_arbiter": "Build a round-robin arbiter", "fifo": "Build a FIFO"}
MISTAKES = {"rr_arbiter": ["FUNCTIONAL_MISMATCH"], "fifo": []}
FILES = {"c": "model.c", "toml": "block.toml"}
ROW = re.compile(r"^(\S+ +\S+ +[\d,]+ +[\d,]+ +[\d,]+ +\d+/\d+) +[\d,]+ +([A-Z_]+)$", re.MULTILINE)
"""A row of the answer: all but how many cycles a second are always the same."""


def parts(heading):
    """Language and text of the fenced parts below a heading."""
    return FENCE.findall(PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0])


def commands(text):
    """Each command, and what the page shows of its answer."""
    for shown in text.removeprefix("$ ").split("\n$ "):
        command, _, answer = shown.partition("\n")
        yield command, answer


def typed(command, folder):
    """Type a command; its code, and all that it prints."""
    words = shlex.split(command)
    assert words[0] == "scripts/warplock"
    env = os.environ | {"WARPLOCK_NO_SETUP": "1", "WLK_BLOCKS": ""}
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(words, cwd=folder, env=env, check=False, **both)
    return done.returncode, programs.PROGRESS.sub("", done.stdout)


def edited(text, part):
    """A file with a part that the page shows."""
    first = part.partition("\n")[0]
    if not first.startswith(" "):
        assert text.count(f"\n{first}\n") == 1, first
        return text[: text.index(f"\n{first}\n") + 1] + part
    for line in part.splitlines(keepends=True):
        port, row = re.match(r" *SHOW\((\w+),", line), re.match(r"  { name = (\S+),", line)
        old = rf" *// SHOW\({port[1]}, .*\n" if port else r".*// wrong\n"
        old = rf"  {{ name = {row[1]},.*\n" if row else old
        text, count = re.subn(old, line, text)
        assert count == 1, line
    return text


def lines(text):
    """Without speeds and the widths of columns."""
    plain = ROW.sub(r"\1 speed \2", text)
    return [" ".join(re.sub("-+", "-", line).split()) for line in plain.splitlines()]


def is_shown(answer, printed):
    """Does the page show this? `...` stands for any lines."""
    pattern = "".join(".*" if x == "..." else re.escape(f"{x}\n") for x in lines(answer))
    return re.fullmatch(pattern, "".join(f"{x}\n" for x in lines(printed)), re.DOTALL)


@pytest.mark.parametrize("name", WALKS)
def test_own_blocks_walk_shows_what_the_page_says(name, tmp_path):
    for link in ("docs", "scripts"):
        (tmp_path / link).symlink_to(programs.ROOT / link)
    answers = []
    for kind, text in parts(WALKS[name]):
        if kind:
            path = tmp_path / name / FILES[kind]
            path.write_text(edited(path.read_text("utf-8"), text), encoding="utf-8")
            continue
        for command, answer in commands(text):
            code, printed = typed(command, tmp_path)
            assert is_shown(answer, printed), f"{command}\n{printed}"
            rows = ROW.findall(printed)
            verdicts = {verdict for _, verdict in rows}
            assert (code == 0) == (verdicts <= {"PASS"})
            if rows:
                (verdict,) = verdicts
                answers.append((verdict, int(rows[0][0].split()[3].replace(",", ""))))
    # Outputs are named until all are modelled, and each run compares more than the one before.
    assert [verdict for verdict, _ in answers] == ["VACUOUS"] * 2 + MISTAKES[name] + ["PASS"]
    compares = [count for verdict, count in answers if verdict != "FUNCTIONAL_MISMATCH"]
    assert compares[0] == 0
    assert compares == sorted(set(compares))
    # What was typed is the example, but for its first lines and the texts of the table.
    model = (tmp_path / name / "model.c").read_text("utf-8")
    code = model[model.index(f"struct wlk_{name}_state") :]
    assert (EXAMPLES / name / "model.c").read_text("utf-8").endswith(f"\n{code}")
    own, example = (
        tomllib.loads((place / name / "block.toml").read_text("utf-8"))
        for place in (tmp_path, EXAMPLES)
    )
    assert [own[key] for key in ("config", "cover")] == [
        example[key] for key in ("config", "cover")
    ]
