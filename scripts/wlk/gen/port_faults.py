# SPDX-License-Identifier: Apache-2.0
"""Faults that every output port can have, made from the table: stuck at 0, inverted, a cycle late.

One module holds those of all ports; the plusarg `wlk_fault=N` chooses the Nth, 0 is none.
"""

import re
from collections.abc import Iterable, Mapping

from ..tables import Config, Port, Table

KINDS = ("stuck", "inverted", "late")
Record = Mapping[str, Mapping[str, str]]


def of(table: Table, cfg: Config) -> list[tuple[Port, str]]:
    """Each fault in the order of its number, from 1 on. A block without state is never late."""
    kinds = KINDS if table.clock else KINDS[:2]
    return [(port, kind) for port in _outputs(table, cfg) for kind in kinds]


def _outputs(table: Table, cfg: Config) -> list[Port]:
    return [port for port in table.ports(cfg) if port.direction == "out"]


def module(table: Table, cfg: Config, text: str) -> str:
    """The block's module with a choice of faults between what drives its outputs and the ports."""
    header, _, body = text.partition(");\n")
    body, _, rest = body.rpartition("endmodule")
    read = 'if (!$value$plusargs("wlk_fault=%d", wlk_fault)) wlk_fault = 0;'
    rows = ["int wlk_fault = 0;", f"initial {read}"]
    first = 1
    for port in _outputs(table, cfg):
        name, good, late = port.name, f"{port.name}__good", f"{port.name}__late"
        body = re.sub(rf"(?<![.\w]){name}\b", good, body)
        rows.append(f"wire [{port.width - 1}:0] {good};")
        faulty = [f"wlk_fault == {first} ? '0", f"wlk_fault == {first + 1} ? ~{good}"]
        if table.clock:
            rows.append(f"reg [{port.width - 1}:0] {late};")
            rows.append(f"always @(posedge {table.clock}) {late} <= {good};")
            faulty.append(f"wlk_fault == {first + 2} ? {late}")
        rows.append(f"assign {name} = {' : '.join(faulty)} : {good};")
        first += len(faulty)
    return f"{header});\n" + "".join(f"  {row}\n" for row in rows) + f"{body}endmodule{rest}"


def visible(table: Table, cfg: Config, records: Iterable[Record], zero: bool) -> list[int | None]:
    """The cycle in which each fault must show at its port, by what the model gives: in the first
    one in which the port differs for certain. None: in none of these cycles. `zero`: powered up so.
    """
    ports = _outputs(table, cfg)
    found: dict[tuple[str, str], int] = {}
    before = {port.name: (0, -1 if zero else 0) for port in ports}
    for cycle, record in enumerate(records):
        for port in ports:
            value, care = (int(record[side][port.name], 16) for side in ("out", "care"))
            last, known = before[port.name]
            shows = {"stuck": value & care, "inverted": care, "late": (last ^ value) & care & known}
            for kind, bits in shows.items():
                if bits:
                    found.setdefault((port.name, kind), cycle)
            before[port.name] = value, care
    return [found.get((port.name, kind)) for port, kind in of(table, cfg)]
