# SPDX-License-Identifier: Apache-2.0
"""Which inputs of a block are legal, as a miter takes it: its protocol rules, from its table."""

from ..gen import rules
from ..tables import Config, Table
from .miter import Rules


def of_block(table: Table, cfg: Config) -> Rules | None:
    """The rules of a block; None when every input is legal."""
    text, found = rules.module_sv(table, cfg), rules.rules_of(table, cfg)
    if text is None:
        return None
    read = {port.name: port.field for rule in found for port in rule.ports}
    valids = {item.valid_when for item in table.fields}
    masked = [n for n, item in read.items() if item.direction == "in" and item.flat in valids]
    return Rules(text, f"wlk_{table.name}_rules", [rule.output for rule in found], [*read], masked)
