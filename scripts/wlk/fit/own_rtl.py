# SPDX-License-Identifier: Apache-2.0
"""The RTL of a user's block in place of a stub: its module, whatever it is like, in a wrapper that
has its name and the table's flat ports, with the parameters of a configuration.

`block.rtl` of the table lists files and folders, from the block's folder on (default: `rtl`); a
port map `map.toml` beside it says where the ports are, `block.verilog` what parameters are.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base import keep, outputs, setup
from ..base.errors import Status, WlkError
from ..gen import stubs
from ..tables import Config, Expr, Table, label, own
from ..tables.files import map_path
from . import data, interfaces, mapped, match, portmap, rtl

INNER = "_rtl"  # behind the name of the module that is wrapped
INCLUDE = re.compile(r'(`include\s+)"([^"\n]+)"')


def sources(table: Table) -> list[Path]:
    """Its files and folders; NO_FILE names one that is not there."""
    folder = own()[table.name]
    found = [folder / name for name in table.rtl]
    for path in found:
        if not path.exists():
            message = f"{label(table.path)}: block.rtl: no {path}; name the RTL, or give --rtl"
            raise WlkError(Status.NO_FILE, message)
    return found


def parameters(table: Table, config: Config) -> dict[str, str]:
    """Those of the module in a configuration."""
    where = f"{label(table.path)}: block.verilog"
    return {name: str(Expr(text, where)(config)) for name, text in table.verilog.items()}


def write(table: Table, config: Config) -> list[Path]:
    """The files of the stub in a configuration, the wrapper behind the types that it uses."""
    design = rtl.load(sources(table))
    told = portmap.read(map_path(table.name))
    module = design.find(told.module or table.module)
    values = {**told.parameters, **parameters(table, config)}
    design.override(module, values)
    module.require_complete()
    ports = mapped.leaves(module, table, told)
    found = match.match(table, ports.shapes, table.show(config), ties=told.tie)
    found.require(f"{module.where}: module {module.name}")
    inner = module.name + INNER
    names = {"title": table.module, "inner": inner}
    _, text = interfaces.wrapper(module, found, ports.parts, values, **names)
    wrapper = f"{table.module}.sv"
    compiled, included = design.files_for(module), design.included
    copies = _names([*compiled, *(path for path in included if path not in compiled)], wrapper)
    texts, renamed = {wrapper: text}, module.renamed(inner)
    for path, name in copies.items():
        head = _macros(design) if path in compiled else ""
        texts[name] = head + (renamed.get(path) or path.read_bytes().decode(errors="replace"))
    read = {name: paths[0].read_bytes() for name, paths in data.named(module).items()}
    place = setup.BUILD / "stubs" / table.name
    parts = [part for item in (*texts.items(), *read.items()) for part in item]
    place /= keep.digest([str(place), *parts])
    outputs.make_folder(place)
    for name, content in read.items():
        is_inside = not Path(name).is_absolute() and ".." not in Path(name).parts
        if is_inside and name not in texts:
            outputs.make_folder((place / name).parent)
            (place / name).write_bytes(content)
    for name, text in texts.items():
        if not (place / name).is_file():
            with setup.locked("stubs"), outputs.atomic_write(place / name) as file:
                file.write(_includes_from(place, copies, text))
    return [place / name for name in (*(copies[path] for path in compiled), wrapper)]


def _names(paths: Sequence[Path], wrapper: str) -> dict[Path, str]:
    """Names for the copies of files in one folder, which the wrapper is in too."""
    found: dict[Path, str] = {}
    for path in paths:
        name = path.name
        while name in found.values() or name == wrapper:
            name = f"{Path(name).stem}{INNER}{path.suffix}"
        found[path] = name
    return found


def _macros(design: rtl.Design) -> str:
    """Macros given beside the files, which tools that read the copies are not given."""
    pairs = (each.partition("=") for each in design.defines)
    return "".join(f"`define {name} {value or 1}\n" for name, _, value in pairs)


def _includes_from(place: Path, copies: Mapping[Path, str], text: str) -> str:
    """The text with its includes from the copies."""

    def put(found: re.Match[str]) -> str:
        parts = Path(found[2]).parts
        for path, name in copies.items():
            if path.parts[-len(parts) :] == parts:
                return f'{found[1]}"{place / name}"'
        return found[0]

    return INCLUDE.sub(put, text)


stubs.own_rtl = write
