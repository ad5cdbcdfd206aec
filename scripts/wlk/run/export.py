# SPDX-License-Identifier: Apache-2.0
"""`vectors export`: a vector file in formats of others, and as a bench that needs none of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import options, outputs, report, setup
from ..base.errors import Status, WlkError
from ..base.options import Command, operand, option
from ..gen.sv import Harness
from ..tables import Config, Table
from . import jobs, player_folder, vectors
from .vectors import Header

WAVES = ("vcd", "fst")
FORMATS = ("csv", *WAVES, "readmemh")


@dataclass
class Export(jobs.RtlSource, Command):
    """Write a file as CSV, as a waveform, or as a Verilog bench with memories."""

    NAME = "export"
    EXAMPLE = """warplock vectors export c.wlv --readmemh bench
make -f bench/Makefile RTL="my_rtl/*.sv"
warplock vectors export c.wlv --fst c.fst"""

    file: Path = operand("FILE", type=Path)
    csv: Path | None = options.path("the form that `vectors import` reads", "OUT", alone=True)
    vcd: Path | None = options.path("a waveform as text", "OUT", alone=True)
    fst: Path | None = options.path("a waveform, small", "OUT", alone=True)
    readmemh: Path | None = options.path(
        "a folder with a bench in plain Verilog and its memories", "DIR", alone=True
    )
    force: bool = options.force()
    rtl: list[Path] = jobs.rtl_option(action="append")  # the file may follow it
    module: str | None = option(
        None,
        "module that the bench plays on (default: that of the RTL, or of the block's table)",
        group=jobs.RTL,
        metavar="NAME",
    )

    @property
    def form(self) -> str:
        """The format that was asked for."""
        return next(name for name in FORMATS if getattr(self, name) is not None)

    @property
    def out(self) -> Path:
        """Where it goes."""
        return getattr(self, self.form)

    def refuse(self) -> None:
        """Options that do not go together, and names that nothing can have."""
        if all(getattr(self, name) is None for name in FORMATS):
            names = ", ".join(f"--{name}" for name in FORMATS)
            raise WlkError(Status.USAGE, f"give one of {names}, and where to write")
        if self.readmemh is None and (self.rtl or self.module):
            raise WlkError(Status.USAGE, "--rtl and --module go with --readmemh")
        if self.tie:
            message = "--tie: the file has values of every input; none is constant"
            raise WlkError(Status.USAGE, message)
        if not self.rtl:
            self.refuse_ports("--rtl")
        if self.readmemh is None:
            outputs.refuse(self.out, self.force)
        elif self.readmemh.exists() and not self.readmemh.is_dir():
            raise WlkError(Status.NO_FILE, f"{self.readmemh}: is no folder; name another one")

    def needs(self) -> tuple[str, ...]:
        return ("build", "rtl") if self.rtl else ("build",)

    def run(self) -> int:
        """Write it, and print what was written."""
        header = vectors.read_header(self.file)
        table = vectors.check_schema(header)
        config = vectors.check_config(header, table)
        if not header.cycles:
            raise WlkError(Status.VACUOUS, f"{self.file}: has no cycle")
        if self.readmemh is not None:
            return self._bench(header, table, config)
        if self.form in WAVES:
            vectors.check_model(header, table)  # shows what a state of it shows
        vectors.export(header, table, config, self.form, self.out, force=self.force)
        self._say(header, [self.out])
        return 0

    def _bench(self, header: Header, table: Table, config: Config) -> int:
        harness, more, notes = self._harness(header, table, config)
        folder = self.readmemh
        files = player_folder.write(folder, header, harness, more, force=self.force)
        self._say(header, files, notes)
        if not self.json:
            print(f'make -f {folder}/Makefile RTL="my_rtl/*.sv"  (SIM=verilator: not in Icarus)')
        return 0

    def _say(self, header: Header, files: Sequence[Path], notes: Sequence[str] = ()) -> None:
        if self.json:
            names = [str(path) for path in files]
            made = {"format": self.form, "files": names, "notes": list(notes)}
            report.json_line({"file": str(header.path), "block": header.block} | made)
            return
        for path in (path for path in files if path.is_file()):  # not a pipe
            print(f"{path}: {path.stat().st_size:,} bytes")
        for note in notes:
            print(f"  {note}")

    def _harness(
        self, header: Header, table: Table, config: Config
    ) -> tuple[Harness, dict[str, str], list[str]]:
        """The ports of the module that is played on, what stands between it and the bench, and what
        a user should know."""
        if not self.rtl:
            names = table.clocked(port.name for port in table.ports(config))
            return Harness(table, config, names, self.module or table.module), {}, []
        words = [f"{key}={value}" for key, value in table.show(config).items()]
        fit = jobs.matched(table, self, words, whole=False)
        found, module = fit.found, fit.module
        more = {}
        if setup.BUILD in module.file.parents:  # a module of ours around that of the user
            more[module.file.name] = module.file.read_text(encoding="utf-8")
        notes = [*found.questions(), *fit.notes]
        if found.missing_outputs:
            notes.append(f"not compared (not in the RTL): {', '.join(found.missing_outputs)}")
        if fit.told.is_async != (header.reset == "async"):
            kinds = ("synchronous", "asynchronous")
            both = f"{kinds[fit.told.is_async]}, that of the file {kinds[not fit.told.is_async]}"
            notes.append(f"the module's reset is {both}: cycles in reset are not compared")
        present = found.table.clocked(found.present)
        is_async = fit.told.is_async
        harness = Harness(found.table, config, present, module.name, async_reset=is_async)
        return harness, more, notes
