# SPDX-License-Identifier: Apache-2.0
"""What `warplock vectors` does, an action each, and prints."""

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, report
from ..base.entries import Entry
from ..base.errors import Status, WlkError
from ..base.options import Command, operand, option
from ..base.published import Reported
from ..fit import waivers
from . import covered, digests, goldens, harness, jobs, lockstep, vectors
from .cover_store import Run
from .diff import Diff
from .dumped import Import
from .export import Export
from .lockstep import Outcome
from .vectors import Gen, Header


@dataclass
class Play(jobs.Simulated, waivers.Waiving, Reported):
    """Run the model on files and compare."""

    NAME = "play"
    TITLE = "vectors play"
    EXAMPLE = "warplock vectors play c.wlv"

    rtl: list[Path] = jobs.rtl_option(action="append")  # files may follow it
    files: Sequence[Path] = operand("FILE", nargs="+", type=Path)
    config: Mapping[str, str] = options.settings("refuse a file that was made with another value")
    cover: Path | None = options.cover()
    waves: bool = option(False, "with --rtl: write what the RTL does to an FST beside each file")

    def refuse(self) -> None:
        """Options that do not go together."""
        if self.waves and not self.rtl:
            raise WlkError(Status.USAGE, "--waves goes with --rtl: without it no RTL runs")
        if not self.rtl:
            self.refuse_ports("--rtl: the file lacks no input, and has the table's ports")
        covered.refuse(self.cover)
        self.read_waivers()

    def needs(self) -> tuple[str, ...]:
        return ("build", *self.tools, "rtl") if self.rtl else ("build",)

    def run(self) -> int:
        """The exit code is the worst verdict."""
        table = report.Table("file", "block", "cycles", "compared bits", "masked bits", "verdict")
        verdicts: list[Status] = []
        lost = covered.Lost()
        for header, port_table, config in self._opened():
            path = header.path
            report.warn(port_table.warnings(config))
            played = self._play_model(header, port_table, config)
            verdicts.append(played.verdict)
            sys.stderr.write(played.report)
            notes = report.partly_compared(played.result)
            notes += waivers.lines(played.result)
            for note in notes:
                print(f"{path}: {note}", file=sys.stderr if self.json else sys.stdout)
            self.entries.append(Entry(played.result, str(path), played.report, notes=notes))
            if self.cover is not None:
                digest = covered.file_digest([path])
                run = Run("play", digest, header.seed, 0, header.power_up, source=str(path))
                lost.add(self.cover, port_table, config, played.result, run)
            if self.json:
                report.json_line(played.result)
            numbers = [played.result[key] for key in ("cycles", "compared_bits", "masked_bits")]
            verdict = report.verdict_cell(played.verdict, played.result)
            table.add(str(path), header.block, *numbers, verdict)
            if self.rtl:
                outcome = self._play(header, port_table, config)
                name = f"{path} -> {outcome.result.module}"
                self.entries.append(dataclasses.replace(outcome.entry(), name=name))
                verdicts.append(outcome.result.verdict)
                self._show_rtl(outcome, path, table)
        if not self.json:
            table.print()
        not_added = lost.told()
        worst = report.worst(verdicts)
        return self.judge_waivers(worst, self.entries, as_json=self.json) or int(not_added)

    def _opened(self) -> Iterator[tuple[Header, tables.Table, tables.Config]]:
        """Each file with its block and its configuration; with waivers all are opened first."""
        files = map(self._open, self.files)
        if self.waivers.listed:
            files = list(files)
            self.waivers.require((table, config) for _, table, config in files)
        yield from files

    def _open(self, path: Path) -> tuple[Header, tables.Table, tables.Config]:
        header = vectors.read_header(path)
        table = vectors.check_schema(header)
        config = vectors.check_config(header, table, self.config)
        vectors.check_model(header, table)
        return header, table, config

    def _play_model(
        self, header: Header, table: tables.Table, config: tables.Config
    ) -> vectors.Played:
        """The model on the inputs of a file, whose outputs it is compared with."""
        subjects = [(table, config)]
        played = vectors.play(header, table, config, self.waivers.words(subjects))
        result = played.result | self.waivers.shown(played.result)
        self.waivers.note(played.verdict, subjects, result.get("waived"))
        return dataclasses.replace(played, result=result)

    def _play(self, header: Header, table: tables.Table, config: tables.Config) -> Outcome:
        """The inputs in the RTL, which powers up as in the run that they were taken from."""
        wave = header.path.with_suffix(".fst") if self.waves else None
        return lockstep.replay(
            table,
            config,
            header.path,
            header.power_up,
            self,
            seed=header.seed,
            wave=wave,
            waiving=options.of(waivers.Waiving, self),
        )

    def _show_rtl(self, outcome: Outcome, path: Path, table: report.Table) -> None:
        """What came of the inputs in the RTL: the bound checker compares it with the model."""
        result = outcome.result
        if self.json:
            report.json_line(result.json())
        for text in (*outcome.messages, *outcome.left.lines):
            print(text, file=sys.stderr if self.json else sys.stdout)
        numbers = (result.cycles, result.compared_bits, result.masked_bits)
        verdict = report.verdict_cell(result.verdict, result.extra)
        table.add(f"{path} -> {result.module}", result.block, *numbers, verdict)
        if result.first is not None:
            print(f"{path}: first difference {json.dumps(result.first.json())}", file=sys.stderr)
        for note in harness.notes(str(path), result.extra):
            print(note, file=sys.stderr)


@dataclass
class Dump(Command):
    """Print records as JSON lines; values in hexadecimal."""

    NAME = "dump"
    EXAMPLE = "warplock vectors dump c.wlv --from 10 --to 12"

    file: Path = operand("FILE", type=Path)
    first: int = option(0, "first cycle", "--from", type=options.number(), metavar="A")
    last: int | None = option(
        None, "last cycle (default: all)", "--to", type=options.number(), metavar="B"
    )

    def run(self) -> int:
        vectors.dump(vectors.read_header(self.file), self.first, self.last)
        return 0


@dataclass
class Info(Command):
    """Print what files say of themselves."""

    NAME = "info"
    EXAMPLE = "warplock vectors info c.wlv"

    files: Sequence[Path] = operand("FILE", nargs="+", type=Path)

    def run(self) -> int:
        for path in self.files:
            header = vectors.read_header(path)
            vectors.show_file(header, self.json)
            if not self.json:
                shown = header.text | {"config": report.config_text(_config(header))}
                for key, value in shown.items():
                    print(f"  {key}: {value}")
        return 0


def _config(header: Header) -> Mapping[str, Any]:
    """The file's configuration as one gives it; as the file has it where its table is not ours."""
    try:
        table = vectors.check_schema(header)
        return table.show(vectors.check_config(header, table))
    except WlkError:
        return header.config


@dataclass
class Golden(Reported):
    """Check the golden files of this checkout against the model, or write them."""

    NAME = "golden"
    TITLE = "vectors golden"
    EXAMPLE = """warplock vectors golden --write
warplock vectors golden --digests"""

    write: bool = option(False, "write the files and their manifest")
    digests: bool = option(
        False, "the digests of many cycles of every named configuration, in place of the files"
    )
    jobs: int = options.jobs("digests at a time")

    def refuse(self) -> None:
        """A report of what is not checked."""
        if self.write and (self.html or self.junit):
            name = "--html" if self.html else "--junit"
            raise WlkError(Status.USAGE, f"--write checks nothing that {name} could report")

    def run(self) -> int:
        if self.write:
            return digests.write(self.jobs) if self.digests else goldens.write()
        if self.digests:
            return digests.check(self.json, self.jobs, runs=self.entries)
        return goldens.check(self.json, runs=self.entries)


class Vectors(Command):
    """Make, play, compare, import and export vector files (stimulus with expected values)."""

    NAME = "vectors"
    EXAMPLE = """warplock vectors gen collector saturate.wlv --profile saturate --cycles 100000
warplock vectors play saturate.wlv"""
    ACTIONS = (Gen, Play, Dump, Import, Export, Diff, Info, Golden)
