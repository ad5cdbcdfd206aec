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
from ..base import options, outputs, report, setup
from ..base.errors import Status, WlkError
from ..base.options import Command, operand, option
from ..fit import match
from ..gen.rules import Assertions
from ..gen.sv import ABI_VERSION, Harness
from . import build, jobs

LIBRARY = ("libwarplock_dpi.so", f"libwarplock_dpi.so.{ABI_VERSION}")


@dataclass
class Bind(jobs.RtlSource, Command):
    """Write a bindable checker for a module, for a simulation of your own."""

    NAME = "bind"
    NEEDS = ("build", "rtl")
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
    out: Path = options.path("folder to write to", "DIR", required=True)
    force: bool = options.force()

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
        )
        step = f"wlk_{table.name}{suffix}_step.c"
        texts = {
            "wlk_pkg.sv": harness.package_sv("*"),  # the same for all blocks of a folder
            f"{harness.checker}.sv": harness.checker_sv(),
            f"{harness.checker}_bind.sv": harness.bind_sv(_clock(self, fit), fit.pins),
            step: harness.step_c(None),
        }
        assertions = Assertions.of(harness, suffix) if self.sva else None
        if assertions and assertions.rules:
            texts[f"{assertions.module}.sv"] = assertions.text()
        contents = {name: text.encode() for name, text in texts.items()}
        contents |= library()
        outputs.make_folder(self.out)
        with outputs.locked(self.out):
            outputs.save(self.out, contents, force=self.force)
            sources = [name for name in texts if name.endswith(".sv")]
            write_list(self.out, [*sources, step], sva=self.sva)
        report.warn(table.warnings(found.config))
        _say(self, fit, harness, assertions)
        return 0


def library() -> dict[str, bytes]:
    """Copies of the library by the names that a simulator asks for."""
    built = build.meson_build() / "dpi" / "libwarplock_dpi.so"
    return dict.fromkeys(LIBRARY, built.read_bytes())


def matched(asked: Any, table: tables.Table) -> jobs.Matched:
    """The module of the RTL, and its parameters; BAD_CONFIG when one must be given. `asked`: a
    jobs.RtlSource with `config`."""
    fit = jobs.matched(table, asked, asked.config, whole=False, wrap=False)
    for item in fit.found.params.values():
        if item.ambiguous and item.how != "default":
            question = fit.found.questions()[0]
            raise WlkError(Status.BAD_CONFIG, f"{fit.module.name}: {question}")
    return fit


def _clock(asked: Bind, fit: jobs.Matched) -> str:
    """What samples a block without a clock, as seen from its module; WlkError USAGE when there is
    none, and none is given."""
    module, sampler = fit.module, fit.pins.get(match.SAMPLER)
    if fit.found.table.clock is not None:
        return fit.found.table.clock
    if asked.clock is not None or sampler is not None:
        return asked.clock or sampler
    if match.SAMPLER in module.port_names:
        return match.SAMPLER
    message = f"{module.name} has no clock; give --clock PATH, which samples it"
    raise WlkError(Status.USAGE, message)


def write_list(out: Path, sources: Sequence[str], sva: bool = False) -> None:
    """A file list in the form Verilator reads; it accumulates over several modules, in this order.
    `sva`: with assertions, which Verilator ignores unless it is told."""
    path = out / "warplock.f"
    place = out.resolve()
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    fixed = [
        f"-CFLAGS -I{setup.ROOT / 'dpi/include'}",
        f"-CFLAGS -I{setup.ROOT / 'refmodel/include'}",
        f"-LDFLAGS -L{place}",
        "-LDFLAGS -lwarplock_dpi",
        f"-LDFLAGS -Wl,-rpath,{place}",
    ]
    if sva:
        fixed.append("--assert")
    if build.folder().name == "asan":  # our own sanitized runs: its runtime must come first
        fixed.append("-LDFLAGS -fsanitize=address,undefined")
    # The package first: the checkers use it.
    wanted = [str(place / name) for name in sources]
    for line in [*fixed, *wanted]:
        if line not in lines:
            lines.append(line)
    with outputs.atomic_write(path) as file:
        file.write("\n".join(lines) + "\n")


def _say(asked: Bind, fit: jobs.Matched, harness: Harness, sva: Assertions | None) -> None:
    module, found, listed = fit.module, fit.found, asked.out / "warplock.f"
    if asked.json:
        answer = {"block": found.table.name, "module": module.name, "match": found.kind}
        answer |= {"config": found.shown(found.config), "checker": harness.checker}
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
    print(f"add to your simulator's command: -f {listed}  (other simulators: compile")
    print(f"the .sv and .c files of {asked.out} and link libwarplock_dpi.so)")
