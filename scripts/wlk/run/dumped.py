# SPDX-License-Identifier: Apache-2.0
"""`vectors import`: of a CSV, or of a scope of a waveform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import tables
from ..base import options, outputs
from ..base.errors import Status, WlkError
from ..base.options import option
from ..fit import readings, scopes, search
from ..fit.wave import TOOL, Passes
from . import build, check, tools, vectors
from .vectors import Imported

OF_DUMPS = ("scope", "clock", "tie", "map", "reset", "prefix")


@dataclass
class Import(scopes.Named, vectors.Import):
    """Make a file from a recording."""

    NAME = "import"
    EXAMPLE = """warplock vectors import --csv collector_A.csv.xz a.wlv --block collector
warplock vectors import --dump run.fst --map collector.toml a.wlv --block collector"""

    dump: str | None = option(None, "a waveform, VCD or FST, in place of a CSV", metavar="FILE")
    scope: Sequence[str] = option(
        [], "the scope of the waveform that holds the ports (default: that which fits)",
        metavar="PATH",
    )  # fmt: skip
    clock: str | None = option(None, "the waveform's clock, as in `check`", metavar="PATH")
    tie: Mapping[str, int] = options.ties()

    def refuse(self) -> None:
        """Options that do not go together."""
        super().refuse()
        if (self.csv is None) == (self.dump is None):
            raise WlkError(Status.USAGE, "give --csv FILE or --dump FILE, one of them")
        for name in OF_DUMPS if self.dump is None else ():
            if getattr(self, name):
                raise WlkError(Status.USAGE, f"--{name} goes with --dump")

    def make(self) -> Imported:
        return super().make() if self.dump is None else self._make_of_dump(self.dump)

    def _make_of_dump(self, dump: str) -> Imported:
        """The file; the configuration is that in which the scope passes, else the likeliest."""
        told = self.port_map()
        wanted = scopes.Check(
            dump, [self.block], self.scope, self.clock, self.config, self.power_up, self.tie,
            map=self.map, reset=self.reset, prefix=self.prefix, accept_inferred=True,
        )  # fmt: skip
        wanted = wanted.with_map(told) if told is not None else wanted
        found = check.check(wanted, [tables.load(self.block)], told)
        good = [each for each in found if each.target.match.ok]
        if len(good) != 1:
            paths = ", ".join(each.target.scope.path for each in good or found)
            message = f"{dump}: {len(good)} scopes fit block {self.block} ({paths})"
            raise WlkError(Status.NO_SCOPE, f"{message}; name one with --scope PATH")
        subject, target = good[0].target.subject, good[0].target
        readings.require_accepted(target.scope.path, subject, self.accept_inferred)
        if subject.open and self.strict:
            readings.require_pinned([(target.scope.path, True, readings.inferred(subject))])
        self._write(dump, target, subject.chosen)
        header = vectors.read_header(self.out)
        reason = f"the scope does not pass: {good[0].answer['verdict']}"
        notes = [*good[0].notes, *([] if subject.chosen.passed else [reason])]
        searched = readings.as_json(subject) if subject.open else {}
        told = readings.ambiguous(subject) if subject.open else []
        answer = good[0].answer
        compared = {key: answer[key] for key in ("outputs", "not_compared")}
        return Imported(header, notes, searched, told, answer["config"], compared)

    def _write(self, dump: str, target: scopes.Target, trial: search.Trial) -> None:
        table = target.match.table
        is_async = "reset=async" in target.scope.reset_words()
        words = ["import", *(["--async"] if is_async else [])]
        passes = Passes(build.brought_up() / "dpi" / TOOL, dump)
        with passes, outputs.temporary(self.out) as draft:
            words += [table.name, draft, dump, self.power_up, *table.words(trial.config)]
            feed = passes.rows(target.words(trial, self.power_up))
            tools.run(vectors.PROGRAM, words, label=f"importing {dump}", feed=feed)
            outputs.publish(draft, self.out, replace=self.force)
