# SPDX-License-Identifier: Apache-2.0
"""What `warplock stub` writes: the stub RTL of a block for one configuration."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import tables
from ..base import options, outputs, report
from ..base.options import Command, operand, option
from ..gen import composed, stubs
from . import jobs


@dataclass
class Stub(Command):
    """Write the stub RTL of a block: modules with the emitted ports, and what is in them."""

    NAME = "stub"
    NEEDS = ()
    EXAMPLE = """warplock stub collector --config num_lanes=4 --out my_rtl
warplock lockstep collector --rtl my_rtl"""

    block: str = operand("BLOCK")
    out: Path = options.path("folder to write to", "DIR", required=True)
    config: Sequence[str] = options.named_config()
    omit: Sequence[str] = option(
        [], "leave a port out, as the Chisel compiler does in inner modules", metavar="PORT"
    )
    force: bool = options.force()

    def run(self) -> int:
        """Write the files, and print their names."""
        table = tables.load(self.block)
        config = table.config(jobs.given_config(table, self.config))
        texts = composed.module_texts(table, config, omit=self.omit)
        contents = {f"{module}.sv": text.encode() for module, text in texts.items()}
        contents |= {path.name: path.read_bytes() for path in stubs.stub_files(table)}
        outputs.save(self.out, contents, force=self.force)
        files = [str(self.out / name) for name in contents]
        if self.json:
            report.json_line({"block": table.name, "files": files})
        else:
            print("\n".join(files))
        return 0
