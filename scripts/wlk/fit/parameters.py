# SPDX-License-Identifier: Apache-2.0
"""Parameters of a block that the elaborated RTL has by other names: what is read is not inferred.

`block.verilog` of a table says which: a parameter or localparam of the module (`NUM_BANKS`), one of
the instances of a module inside it (`VX_dp_ram.RESET_RAM`), or the number of these instances
(`#VX_opc_unit`), each as an expression of the block's parameters.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from pyslang import SVInt, ast

from ..base.errors import Status, WlkError
from ..tables import Expr, Table, label
from . import rtl


class Read(NamedTuple):
    """What the RTL says of an expression of the block's parameters."""

    expr: Expr
    value: int
    where: str  # the key of `block.verilog`


def read(table: Table, module: rtl.Module, given: Collection[str] = ()) -> list[Read]:
    """What is there; parameters that are `given` are not read. BAD_CONFIG for a value that the
    block cannot have."""
    found = []
    for key, text in table.verilog.items():
        expr = Expr(text, f"{label(table.path)}: block.verilog")
        if expr.names & {*given} or (value := _value(module, key)) is None:
            continue
        if text in table.params:
            _require_legal(table, module, key, text, value)
        found.append(Read(expr, value, key))
    return found


def notes(found: Sequence[Read]) -> list[str]:
    """The same for a person."""
    texts = [f"{each.expr.text}={each.value} ({each.where})" for each in found]
    return [f"read from the RTL: {', '.join(texts)}"] if texts else []


def _require_legal(table: Table, module: rtl.Module, key: str, name: str, value: int) -> None:
    param = table.params[name]
    if value not in param.legal:
        message = f"{module.where}: module {module.name} has {key}={value}, and block {table.name} "
        message += f"has {name}={param.describe()}"
        raise WlkError(Status.BAD_CONFIG, message)


def _value(module: rtl.Module, key: str) -> int | None:
    """The value of a key; None where there is none, or instances differ in it."""
    body = module.design.elaborate(module.name)
    if key.startswith("#"):
        return sum(1 for _ in module.design.instances(body, key[1:])) or None
    inner, dot, name = key.rpartition(".")
    found = module.design.instances(body, inner)
    values = {_number(each, name) for each in ([x.body for x in found] if dot else [body])}
    return values.pop() if len(values) == 1 else None


def _number(body: Any, name: str) -> int | None:
    for member in body:
        if member.kind == ast.SymbolKind.Parameter and member.name == name:
            value = member.value.value
            return int(value) if isinstance(value, SVInt) and not value.hasUnknown else None
    return None
