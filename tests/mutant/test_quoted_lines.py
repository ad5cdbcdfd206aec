# SPDX-License-Identifier: Apache-2.0
"""The report of a failure quotes the faulty line.

Faults are drawn from all lists. `warplock test --full` runs twenty, else four of small blocks.
"""

import difflib
import random

import programs
import pytest
from wlk import tables
from wlk.gen import stubs
from wlk.run import mutate as injector

SMALL = ("collector", "compactor", "hazard", "dispatch_basic")
DRAWN, WANTED = (20, 15) if programs.FULL else (4, 3)  # floors
MOST_LINES = 24


def drawn():
    """Faults of all lists, or one of each small block."""
    if programs.FULL:
        blocks = [name for name in tables.names() if injector.fault_list(name).is_file()]
        faults = [(name, fault) for name in blocks for fault in injector.load(name)]
        return random.Random(1).sample(faults, DRAWN)
    return [(name, random.Random(1).choice(injector.load(name))) for name in SMALL]


def touched(good, bad):
    """Lines of the faulty text that the change has touched; of what is only gone, those beside."""
    found = set()
    matcher = difflib.SequenceMatcher(None, good.splitlines(), bad.splitlines(), autojunk=False)
    for tag, _, _, start, end in matcher.get_opcodes():
        if tag != "equal":
            found |= set(range(start + 1, end + 1)) if end > start else {start, start + 1}
    return found


def quotes_the_fault(block, fault, folder):
    """Run a stub with the fault; is a faulty line among those quoted?"""
    table = tables.load(block)
    config = table.config(fault.config)
    stub = stubs.write_stub(table, config)
    files = injector.mutant(table, fault, stub)
    folder.mkdir(parents=True)
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    good = {path.name: path.read_text(encoding="utf-8") for path in stub}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    words = [w for key, value in table.show(config).items() for w in ("--config", f"{key}={value}")]
    words += ["--bind", "stage"] if table.instances else []
    done = programs.warplock(
        *("lockstep", block, "--rtl", folder, *words, "--seeds", "1..2", "--json"),
        *("--reports", folder / "reports"),
        code=None,
    )
    answer = done.objects[-1]
    quoted = answer.get("rtl_lines", [])
    assert answer["verdict"] != "PASS", (block, fault.name)
    assert len(quoted) <= MOST_LINES
    faulty = {
        (name, line)
        for name, text in texts.items()
        if good.get(name) != text
        for line in touched(good.get(name, text), text)
    }
    spans = [(each["file"].rpartition("/")[2], each["line"], each["last"]) for each in quoted]
    return any(name == file and a <= n <= b for file, a, b in spans for name, n in faulty)


@pytest.mark.slow
def test_quoted_lines_have_the_faulty_one(tmp_path):
    found = {
        f"{block}/{fault.name}": quotes_the_fault(block, fault, tmp_path / f"{block}-{fault.name}")
        for block, fault in drawn()
    }
    assert len(found) == DRAWN
    assert sum(found.values()) >= WANTED, found
