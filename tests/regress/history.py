# SPDX-License-Identifier: Apache-2.0
"""A small hardware repository with a history, made by a script, and the verdict planned for each
of its commits.

Three modules: a scoreboard, and BOOM's compactor in two sizes which share a file. A step is one
commit: comments, refactorings, faults and their mending, a commit that does not build, one with
other ports, one with another legal timing, two faults at once, a fault on a merged branch, a fault
of one size only.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wlk import tables
from wlk.gen import composed, stubs

SCOREBOARD, SMALL, WIDE = "scoreboard", "compactor n=4 k=2", "compactor n=6 k=3"
CONFIG = "num_warps=4 num_pregs=16 max_pending_reads=3"
TITLES = (f"{SCOREBOARD} {CONFIG}", SMALL, WIDE)
CORE, COUNT, COMPACT = "scoreboard_core.sv", "scoreboard_count.sv", "compact.sv"
LOWER = "Two reads at most are counted"  # the commit of the other timing
BRANCH = "All inputs have the ready of the first"  # the fault on a merged branch
SETTINGS = f"""\
rtl = ["rtl"]
seeds = "1..2"
cycles = 5000

[[block]]
name = "scoreboard"
configs = ["{CONFIG}"]

[[block]]
name = "compactor"
module = "Compactor"
configs = ["n=4 k=2"]

[[block]]
name = "compactor"
module = "WideCompactor"
configs = ["n=6 k=3"]
"""
Edit = tuple[str, str, str]  # file, text that stands in it, what it becomes


@dataclass(frozen=True)
class Step:
    """One commit: what it changes, and what is planned for the modules it touches."""

    subject: str
    edits: Sequence[Edit] = ()
    verdicts: Mapping[str, str] = field(default_factory=dict)  # from here on
    refactors: Sequence[str] = ()  # what has another netlist and the same behaviour
    is_short: bool = False  # in the short history, too
    on_branch: bool = False


def _swap(edit: Edit) -> Edit:
    return edit[0], edit[2], edit[1]


def _fault(
    subject: str, edits: Sequence[Edit], titles: Sequence[str], gap: int = 1, **more: bool
) -> Iterator[Step]:
    """A fault, some comments, and its mending."""
    yield Step(subject, edits, dict.fromkeys(titles, "FAIL"), **more)
    for _ in range(gap - 1):
        yield _comment()
    mended = dict.fromkeys(titles, "PASS")
    yield Step(f"Mend: {subject}", [*map(_swap, reversed(edits))], mended, **more)


_numbers = iter(range(1000))


def _comment(**more: bool) -> Step:
    number = next(_numbers)
    name = (CORE, COMPACT, COUNT)[number % 3]
    return Step(
        f"Comment {number}", [(name, "endmodule\n", f"// note {number}\nendmodule\n")], **more
    )


def _rename(name: str, old: str, new: str, titles: Sequence[str], **more: bool) -> Step:
    return Step(f"Rename {old}", [(name, old, new)], refactors=titles, **more)


BOTH = (SMALL, WIDE)
BOOK = (SCOREBOARD,)
ALL = (*BOOK, *BOTH)


def steps() -> list[Step]:
    """The history, oldest first, behind the commit that brings the modules."""
    global _numbers
    _numbers = iter(range(1000))
    pointer = "CountW'(valid_i[i-1]);"
    found: list[Step] = [
        _comment(is_short=True),
        _rename(CORE, "pending_writes_q", "writes_q", BOOK, is_short=True),
        _comment(),
        *_fault(
            "Commit without a look at success",
            [(CORE, "if (commit_rs) begin", "if (hazard_updateRS_enable_i) begin")],
            BOOK, 3, is_short=True,
        ),
        _rename(COMPACT, "ahead", "earlier", BOTH, is_short=True),
        _comment(),
        *_fault("Idle outputs show ones", [(COMPACT, "data_o  = '0;", "data_o  = '1;")], BOTH, 2),
        Step("Shorten the sum", [(COUNT, "SumW'(Max) +", "SumW'(Max +")],
             dict.fromkeys(ALL, "BUILD_FAIL"), is_short=True),
        Step("Mend: Shorten the sum", [(COUNT, "SumW'(Max +", "SumW'(Max) +")],
             dict.fromkeys(ALL, "PASS"), is_short=True),
        _comment(),
        Step("Swap the operands of an and",
             [(CORE, "read_enable[port] && (preg != '0)", "(preg != '0) && read_enable[port]")],
             refactors=BOOK),
        *_fault(
            "The last read decides",
            [(CORE, "(rs_reads_success == '1)", "rs_reads_success[NumOps-1]")], BOOK, 2,
        ),
        Step("Rename a port", [("Scoreboard.sv", "io_updateWB_success", "io_wb_success")],
             {SCOREBOARD: "IFACE_CHANGED"}, is_short=True),
        Step("Give it back", [("Scoreboard.sv", "io_wb_success", "io_updateWB_success")],
             {SCOREBOARD: "PASS"}, is_short=True),
        _comment(), _comment(),
        *_fault(
            "Two faults at once",
            [(CORE, "answered && write_behind_wb(preg);", "answered && writes_q[preg];"),
             (COMPACT, "valid_o[j] = 1'b1;", "valid_o[j] = ready_i[j];")],
            (*BOTH, SCOREBOARD), 2,
        ),
        _rename(COUNT, "raised", "sum", BOOK),
        _comment(),
        *_fault(
            "Only six inputs go wrong",
            [(COMPACT, pointer, "CountW'(valid_i[i-1] && (NumIn != 6 || i != 5));")], (WIDE,), 2,
            is_short=True,
        ),
        Step("Write the difference in another way",
             [(COUNT, "(incr_i != decr_i)", "((incr_i ^ decr_i) != '0)")], refactors=BOOK),
        _comment(), _comment(),
        *_fault(
            "Book writes of register 0",
            [(CORE, ".fixed_i(hazard_updateRS_write_pReg_i == '0),", ".fixed_i(1'b0),")], BOOK, 4,
        ),
        _comment(is_short=True),
        _comment(on_branch=True, is_short=True),
        Step(BRANCH, [(COMPACT, "ready_o[i] = ready_i[j];", "ready_o[i] = ready_i[0];")],
             dict.fromkeys(BOTH, "FAIL"), on_branch=True, is_short=True),
        _comment(is_short=True),
        Step("Merge the branch", verdicts=dict.fromkeys(BOTH, "FAIL"), is_short=True),
        Step(f"Mend: {BRANCH}",
             [(COMPACT, "ready_o[i] = ready_i[0];", "ready_o[i] = ready_i[j];")],
             dict.fromkeys(BOTH, "PASS"), is_short=True),
        _comment(),
        *_fault(
            "Swallow a decrement",
            [(CORE, "<= coll_new[op*CountW+:CountW];", "<= coll_old[op*CountW+:CountW];")], BOOK, 2,
        ),
        _rename(CORE, "rs_write_old", "old_write", BOOK),
        Step(LOWER, [("Scoreboard.sv", ".MaxPendingReads(3)", ".MaxPendingReads(2)")],
             {SCOREBOARD: "FAIL"}, is_short=True),
        *(_comment() for _ in range(7)), _comment(is_short=True),
    ]  # fmt: skip
    return found


class History:
    """The repository at a place, and what is planned."""

    def __init__(self, place: Path, *, short: bool) -> None:
        self.place = place
        self.steps = [each for each in steps() if each.is_short or not short]
        self.planned: dict[tuple[str, str], str] = {}  # commit, title: PASS, FAIL or a verdict
        self.ids: dict[str, str] = {}  # of subjects
        self.refactored: list[tuple[str, str]] = []  # commit, title

    def git(self, *words: object) -> str:
        """Call git there; times are fixed, so that ids are the same each time."""
        fixed = {"GIT_AUTHOR_DATE": "@1700000000 +0000", "GIT_COMMITTER_DATE": "@1700000000 +0000"}
        names = ["-c", "user.name=A. Designer", "-c", "user.email=a@example.org"]
        command = ["git", "-C", self.place, *names, *words]
        done = subprocess.run(
            [*map(str, command)], env=os.environ | fixed, capture_output=True, text=True, check=True
        )
        return done.stdout

    def make(self) -> None:
        """Make the repository, with warplock.toml in its last commit."""
        self.place.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        for path, text in modules().items():
            self._write(path, text)
        (self.place / "warplock.toml").write_text(SETTINGS)
        self._commit("Begin")
        states = {"main": dict.fromkeys(ALL, "PASS")}
        here = "main"
        for step in self.steps:
            if step.on_branch and "branch" not in states:
                self.git("checkout", "--quiet", "-b", "branch")
                states["branch"] = dict(states["main"])
            elif here == "branch" and not step.on_branch:
                self.git("checkout", "--quiet", "main")
            here = "branch" if step.on_branch else "main"
            if step.subject.startswith("Merge"):
                self.git("merge", "--quiet", "--no-ff", "-m", step.subject, "branch")
            for name, old, new in step.edits:
                path = self.place / "rtl" / name
                text = path.read_text()
                assert old in text, (step.subject, name, old)
                path.write_text(text.replace(old, new))
            self._commit(step.subject)
            states[here].update(step.verdicts)
            self._plan(step, states[here])

    def _plan(self, step: Step, state: Mapping[str, str]) -> None:
        """Note what is planned for a commit."""
        name = self.ids[step.subject]
        self.planned |= {(name, _title(each)): word for each, word in state.items()}
        self.refactored += [(name, _title(each)) for each in step.refactors]

    def subject(self, name: str) -> str:
        """That of a commit."""
        return next(subject for subject, each in self.ids.items() if each == name)

    def faults(self) -> Iterator[tuple[str, str, str, str]]:
        """Of each fault: its subject, block and configuration, a good commit with nothing but good
        ones or none between, and the last bad one."""
        for step in self.steps:
            for name, word in step.verdicts.items():
                if word != "FAIL" or step.subject.startswith("Merge"):
                    continue
                title, good = _title(name), self.ids[step.subject]
                while True:
                    before = self.git("rev-parse", f"{good}^").strip()
                    if self.planned.get((before, title)) not in ("PASS", "BUILD_FAIL"):
                        break
                    good = before
                mend = self.ids.get(f"Mend: {step.subject}")
                bad = self.git("rev-parse", f"{mend}^" if mend else "HEAD").strip()
                yield step.subject, title, good, bad

    def _write(self, path: str, text: str) -> None:
        full = self.place / "rtl" / path
        full.parent.mkdir(exist_ok=True)
        full.write_text(text)

    def _commit(self, subject: str) -> None:
        self.git("add", "--all")
        if not subject.startswith("Merge"):
            self.git("commit", "--quiet", "-m", subject)
        self.ids[subject] = self.git("rev-parse", "HEAD").strip()


def _title(name: str) -> str:
    return TITLES[0] if name == SCOREBOARD else name


def modules() -> dict[str, str]:
    """The RTL at the beginning."""
    texts: dict[str, str] = {}
    for block, words, rename in (
        ("scoreboard", CONFIG, None),
        ("compactor", "n=4 k=2", None),
        ("compactor", "n=6 k=3", "WideCompactor"),
    ):
        table = tables.load(block)
        config = table.config(dict(word.split("=") for word in words.split()))
        for module, text in composed.module_texts(table, config).items():
            name = rename or module
            texts[f"{name}.sv"] = text.replace(f"module {module} ", f"module {name} ")
        texts |= {path.name: path.read_text() for path in stubs.stub_files(table)}
    return texts
