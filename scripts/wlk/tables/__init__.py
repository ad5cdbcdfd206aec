# SPDX-License-Identifier: Apache-2.0
"""Port tables: load `refmodel/*/*/block.toml`, evaluate them for a configuration, lay out records.

A table names every port of a block once. From it everything else is generated. This package
is the only reader of the tables; the format is documented in docs/port-tables.md.

Record layout (one record = one cycle; 64-bit words):
  in  = control words, then each input payload in whole words
  out = control words, then each output payload in whole words
A control field never straddles a word and sits at a place that depends on no parameter value:
space is reserved for the widest legal width and the largest count, and the elements of an array
that fits in a word lie side by side. Larger arrays whose count is a parameter form one group of
whole words a side, repeated `count` times. The fields of a unit (such as an instruction) fill words
of their own, equal wherever the unit is used. Fields that no rule reads come last.
"""

from .expr import MAX_COMBINATIONS, Config, Expr, lane_step, most
from .fields import WORD, Field, Port, element_name, opaque_stem, walk
from .files import ROOT, folder, label, names, own, shipped, source, use
from .params import Condition, ListParam, Param
from .read import load, parse, settings
from .table import Table

__all__ = [
    "MAX_COMBINATIONS",
    "ROOT",
    "WORD",
    "Condition",
    "Config",
    "Expr",
    "Field",
    "ListParam",
    "Param",
    "Port",
    "Table",
    "element_name",
    "folder",
    "label",
    "lane_step",
    "load",
    "most",
    "names",
    "opaque_stem",
    "own",
    "parse",
    "settings",
    "shipped",
    "source",
    "use",
    "walk",
]
