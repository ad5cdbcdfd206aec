# SPDX-License-Identifier: Apache-2.0
"""What `warplock new` writes: the folder of a block, for a module that has none."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..base import options, outputs, report
from ..base.errors import Status, WlkError
from ..base.installed import COMMAND
from ..base.options import Command, operand
from ..tables import files
from . import jobs


@dataclass
class New(jobs.RtlSource, Command):
    """Write a first folder for a block of your own: table, model, port map, page."""

    NAME = "new"
    NEEDS = ("rtl",)
    WITHOUT: ClassVar[tuple[str, ...]] = ("tie", "map", "prefix")
    EXAMPLE = """warplock new fifo --rtl rtl/fifo.sv
warplock lockstep fifo --blocks fifo
warplock new arbiter --rtl rtl/ --module rr_arb -G NumIn=8 --out blocks"""

    rtl: list[Path] = jobs.rtl_option(nargs="+", action="extend", required=True)
    name: str = operand("NAME", "name of the block: small letters, digits and _")
    out: Path = options.path("where the folder NAME goes (default: here)", "DIR", Path())
    force: bool = options.force()

    @property
    def folder(self) -> Path:
        """The block's folder."""
        return self.out / self.name

    def refuse(self) -> None:
        """A name that no block may have, and a folder that must not be written to."""
        from ..fit import names

        if not files.NAME.fullmatch(self.name) or names.is_reserved(self.name):
            message = f"'{self.name}' is no name for a block: a word of small letters, digits and _"
            raise WlkError(Status.USAGE, f"{message} is wanted, and none that C has")
        if self.name in files.shipped():
            message = f"warplock has a block '{self.name}' itself; give yours another name"
            raise WlkError(Status.USAGE, message)
        if self.folder.is_dir() and any(self.folder.iterdir()) and not self.force:
            message = f"{self.folder}: exists already; choose another name or --out, or replace its"
            raise WlkError(Status.USAGE, f"{message} files with --force")
        if self.folder.exists() and not self.folder.is_dir():
            message = f"{self.folder}: a file, where the folder would be; choose another --out"
            raise WlkError(Status.USAGE, message)

    def own_folders(self) -> list[Path]:
        """None but those given: the one that is written is no block yet."""
        return self.block_folders

    def run(self) -> int:
        """Read the module, write the folder."""
        from ..fit import first_block, rtl  # needs slang
        from ..gen import block_folder

        design = rtl.load(self.rtl, defines=self.define, include_dirs=self.include)
        module = self._module(design)
        module.require_complete()
        listed = self._listed() if self.define or self.include else []
        words = [block_folder.LIST] if listed else [self._relative(path) for path in self.rtl]
        given = self.parameter
        block = first_block.draft(module, self.name, words, given, self.clock, self.reset)
        block.listed = listed
        first_block.check(block, module, self.folder)
        texts = block_folder.texts(block)
        contents = {name: text.encode() for name, text in texts.items()}
        outputs.save(self.folder, contents, force=self.force)
        self._say(block, [*texts])
        return 0

    def _module(self, design: Any) -> Any:
        """The module named, or the only top; NO_MODULE and AMBIGUOUS name those there are."""
        found = [each.name for each in design.modules()]
        names = ", ".join(found[:8]) + (", …" if len(found) > 8 else "")
        packages = design.packages()
        if self.module in packages and self.module not in found:
            have = f"the modules are {names}" if found else "no file given has a module"
            message = f"{packages[self.module]}: {self.module} is a package, not a module; {have}"
            raise WlkError(Status.NO_MODULE, f"{message}; use --module NAME")
        if not found:
            is_package = f" but packages ({', '.join(packages)})" if packages else ""
            message = f"{self.rtl[0]}: no module in the files given{is_package}; name the file that"
            raise WlkError(Status.NO_MODULE, f"{message} has the module with --rtl")
        if self.module is None:
            tops = [module.name for module in design.tops()]
            same = [name for name in tops if name.lower() == self.name]
            if len(tops) != 1 and len(same) != 1:
                message = f"{self.rtl[0]}: {len(tops)} modules that no other one uses: "
                message += f"{', '.join(tops[:8])}{', …' if len(tops) > 8 else ''}"
                raise WlkError(Status.AMBIGUOUS, f"{message}; name one of {names}: --module NAME")
            return design.find(tops[0] if len(tops) == 1 else same[0])
        return design.find(self.module)

    def _relative(self, path: Path) -> str:
        """A path from the block's folder on."""
        return os.path.relpath(path.resolve(), self.folder.resolve())

    def _listed(self) -> list[str]:
        """Lines of a list that has the macros and include folders too."""
        lines = [f"+define+{each}" for each in self.define]
        lines += [f"+incdir+{self._relative(each)}" for each in self.include]
        return [*lines, *map(self._relative, self.rtl)]

    def _say(self, block: Any, names: list[str]) -> None:
        following = f"{COMMAND} lockstep {self.name} --blocks {self.folder}"
        if self.json:
            answer = {"block": block.name, "module": block.module, "folder": str(self.folder)}
            answer |= {"files": names, "clock": block.clock, "reset": block.reset_port}
            answer |= {"parameters": {p.name: p.verilog for p in block.parameters}}
            answer |= {"outputs": [row.name for row in block.outputs]}
            answer |= {"channels": [each.name for each in block.channels]}
            report.json_line(answer | {"notes": list(block.notes), "next": following})
            return
        rows = list(block.rows)
        inputs = len(rows) - len(block.outputs)
        print(f"{self.folder}: module {block.module}")
        for name in names:
            print(f"  {name}")
        print(f"{inputs} inputs, {len(block.outputs)} outputs; {_clocked(block)}")
        if block.parameters:
            print("parameters: " + ", ".join(f"{p.name} ({p.verilog})" for p in block.parameters))
        if block.channels:
            print("channels: " + ", ".join(each.name for each in block.channels))
        for note in block.notes:
            print(f"look at: {note}")
        print(f"next: {following}")


def _clocked(block: Any) -> str:
    """Clock and reset in words."""
    if block.clock is None:
        return "no clock: combinational"
    if block.reset is None:
        return f"clock {block.clock}, no reset"
    style = "asynchronous" if block.is_async else "synchronous"
    level = "low" if block.is_low else "high"
    return f"clock {block.clock}, reset {block.reset_port} (active {level}, {style})"
