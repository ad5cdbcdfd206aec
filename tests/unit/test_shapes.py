# SPDX-License-Identifier: Apache-2.0
"""How bits of a port are named in SystemVerilog, by the port's declared type.

tests/lockstep/test_shapes.py runs such names in the simulators.
"""

import pytest
from wlk.fit import rtl, shapes
from wlk.gen.shell import Pin

pytestmark = pytest.mark.needs("rtl")

TYPES = """
package p;
  typedef enum logic [1:3] {A, B, C} e_t;
  typedef struct packed {logic [3:0] \\end ; logic [1:0][7:0] y; e_t e;} s_t;
  typedef union packed {logic [7:0] raw; logic [1:0][3:0] half;} u_t;
endpackage
"""
PORTS = {
    "logic [7:0] x": [(2, 3, "x[4:2]"), (5, 1, "x[5]"), (0, 8, "x")],
    "logic [0:7] x": [(2, 3, "x[3:5]"), (0, 1, "x[7]")],
    "logic [9:2] x": [(2, 3, "x[6:4]")],
    "int x": [(4, 4, "x[7:4]")],
    "logic [1:0][7:0] x": [(8, 8, "x[1]"), (4, 8, "{x[1][3:0], x[0][7:4]}"), (0, 16, "x")],
    "logic [0:1][0:7] x": [(8, 8, "x[0]"), (1, 2, "x[1][5:6]")],
    "logic [2:0][1:0][3:0] x": [
        (8, 8, "x[1]"),
        (4, 8, "{x[1][0], x[0][1]}"),
        (6, 4, "{x[1][0][1:0], x[0][1][3:2]}"),
    ],
    "logic [5:3][0:0] x": [(1, 1, "x[4]"), (0, 2, "{x[4], x[3]}")],
    "p::e_t x": [(0, 2, "x[2:3]"), (0, 3, "x")],
    "p::s_t x": [
        (0, 3, "x.e"),
        (1, 2, "x.e[1:2]"),
        (19, 4, "x.\\end "),
        (2, 10, "{x.y[1][0], x.y[0], x.e[1]}"),
    ],
    "p::s_t [1:0] x": [(26, 8, "x[1].y[0]"), (22, 2, "{x[1].e[3], x[0].\\end [3]}")],
    "p::u_t x": [(4, 2, "x.raw[5:4]")],
    "p::u_t [0:1] x": [(7, 2, "{x[0].raw[0], x[1].raw[7]}")],
    "logic [1:0] \\bit ": [(1, 1, "\\bit [1]")],
    "logic [1:0] \\a.b ": [(1, 1, "\\a.b [1]")],
}


@pytest.mark.parametrize(
    ("port", "lsb", "width", "text"),
    [(port, *row) for port, rows in PORTS.items() for row in rows],
)
def test_shapes_bits_are_selects_by_the_type(tmp_path, port, lsb, width, text):
    path = tmp_path / "m.sv"
    path.write_text(f"{TYPES}module m (input {port}); endmodule\n")
    ((name, shape),) = shapes.of_ports(rtl.load([path]).find("m")).items()
    found = shapes.selects(shapes.spelled(name, name), shape, lsb, width)
    assert Pin(tuple(found)).text() == text


def test_shapes_pin_is_reached_bit_by_bit():
    """What names an instance goes before each part, and not before the braces."""
    pin = Pin(("x[1][0]", "x[0]"), inverted=True)
    assert pin.text() == "~{x[1][0], x[0]}"
    assert pin.text("`AT({})") == "~{`AT(x[1][0]), `AT(x[0])}"
