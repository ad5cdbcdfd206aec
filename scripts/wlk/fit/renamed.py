# SPDX-License-Identifier: Apache-2.0
"""A module under other names of its ports: a wrapper in SystemVerilog, written from the module."""

from collections.abc import Mapping

from ..base.errors import Status, WlkError
from . import rtl

SUFFIX = "_renamed"
_KEYWORDS = {"in": "input", "out": "output", "inout": "inout"}


def wrapper(module: rtl.Module, names: Mapping[str, str]) -> tuple[str, str]:
    """Name and text of a module whose ports have other names: `names` gives the module's own by
    those that the wrapper has. Each port is a vector of all its bits. IFACE_CHANGED when the module
    has no such port, or has one already that is named as another is to be."""
    ports = module.ports()
    there = {port.name for port in ports}
    for new, own in names.items():
        if own not in there:
            message = f"module {module.name} has no port {own}, which is to be {new}"
            raise WlkError(Status.IFACE_CHANGED, f"{module.where}: {message}")
        if new in there - {*names.values()}:
            message = f"module {module.name} has ports {own} and {new}"
            raise WlkError(
                Status.IFACE_CHANGED, f"{module.where}: {message}; {own} cannot be {new}"
            )
    shown = {own: new for new, own in names.items()}
    lines, links = [], []
    for port in ports:
        name = shown.get(port.name, port.name)
        width = f" [{port.width - 1}:0]" if port.width > 1 else ""
        lines.append(f"  {_KEYWORDS[port.direction]}{width} {name}")
        links.append(f"    .{port.name}({name})")
    name = f"{module.name}{SUFFIX}"
    body = ",\n".join(lines), ",\n".join(links)
    return (
        name,
        f"module {name}(\n{body[0]}\n);\n  {module.name} dut (\n{body[1]}\n  );\nendmodule\n",
    )
