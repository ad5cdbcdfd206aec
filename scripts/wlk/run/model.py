# SPDX-License-Identifier: Apache-2.0
"""What `warplock model` writes: a block's model as a module in place of its RTL, or as a predictor
for testbenches, and what a simulator needs to use it.

Both are of one configuration: what the RTL has not got at run time is fixed when they are written.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import tables
from ..base import options, report
from ..base.errors import Status, WlkError
from ..base.options import Command, operand, option
from ..gen import shell
from ..gen.model import Model as Module
from ..gen.predict import Predictor
from ..gen.sv import Harness
from . import bind, bind_folder, jobs

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Model(jobs.RtlSource, Command):
    """Write a block's model as a SystemVerilog module in place of its RTL, or as a predictor."""

    NAME = "model"
    EXAMPLE = """warplock model collector --config num_lanes=4 --out my_model
warplock lockstep collector --rtl my_model
warplock model collector --config num_lanes=4 --predict --out predict"""

    block: str = operand("BLOCK")
    config: Sequence[str] = options.named_config()
    module: str | None = option(
        None,
        "name of the module, or with --predict of the package, to write (default: that of the "
        "RTL, wlk_predict_BLOCK_pkg); with --rtl: the module that has the ports",
        metavar="NAME",
    )
    omit: Sequence[str] = option(
        [], "leave a port out, as the Chisel compiler does in inner modules", metavar="PORT"
    )
    predict: bool = option(
        False, "a package with the model as predictor for a testbench, instead of the module"
    )
    out: Path = options.path("folder to write to", "DIR", required=True)
    force: bool = options.force()

    def needs(self) -> tuple[str, ...]:
        return ("build", "rtl") if self.rtl else ("build",)

    def run(self) -> int:
        """Write the files, and print how to use them."""
        harness, notes = _harness(self)
        if self.predict:
            made = Predictor(harness, None if self.rtl else self.module)
            name, text = made.package, made.text()
        else:
            name, text = harness.module, Module(harness).text()
        block = harness.table.name
        bind_folder.write_model(self.out, f"{name}.sv", text, block, force=self.force)
        report.warn(harness.table.warnings(harness.cfg))
        _say(self, harness, name, notes)
        return 0


def _harness(asked: Model) -> tuple[Harness, list[str]]:
    """The block's words as the module has its ports, and what a user should know."""
    table = tables.load(asked.block)
    if asked.module is not None and not IDENTIFIER.fullmatch(asked.module):
        message = f"--module {asked.module}: no name of a module; letters, digits and _ make one"
        raise WlkError(Status.USAGE, message)
    if asked.rtl and asked.omit:
        raise WlkError(
            Status.USAGE, "--omit and --rtl: give one of them; the RTL's ports are taken"
        )
    if asked.rtl:
        fit = bind.matched(asked, table)
        if fit.pins:
            message = f"{fit.module.name}: its ports are interfaces; leave --rtl out"
            raise WlkError(Status.IFACE_CHANGED, f"{message}, and connect the table's ports")
        found = fit.found
        present, config, module = found.present, found.config, fit.module.name
        made = Harness(found.table, config, present, module, tied=found.tied)
        return made, [*found.questions(), *fit.notes]
    config = table.config(jobs.given_config(table, asked.config))
    table.require(config)
    ports = table.ports(config)
    shell.check_omitted(table, asked.omit, ports)
    present = table.clocked(p.name for p in ports if p.name not in asked.omit)
    return Harness(table, config, present, asked.module or table.module), []


def _say(asked: Model, harness: Harness, name: str, notes: Sequence[str]) -> None:
    table, listed = harness.table, asked.out / "warplock.f"
    files = [str(asked.out / f"{name}.sv"), str(listed)]
    if asked.json:
        answer = {"block": table.name, "config": table.show(harness.cfg), "files": files}
        answer |= {"package": name} if asked.predict else {"module": name}
        report.json_line(answer)
        return
    print("\n".join([*files, *(f"  {note}" for note in notes)]))
    print(f"add to your simulator's command: -f {listed}  (other simulators: compile")
    print(f"{name}.sv and link libwarplock_dpi.so of {asked.out})")
