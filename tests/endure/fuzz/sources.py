# SPDX-License-Identifier: Apache-2.0
"""RTL, and lists of its files: what is asked of a module before anything is built."""

import contextlib
import itertools
import random
import re
from pathlib import Path

MODULES = 3  # of a file
TABLES = ("collector", "compactor", "scoreboard")
TOKENS = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\s+|`?[A-Za-z_$][\w$]*|\d*'[sS]?[bodhBODH][\w?]+|\d+|"
    rb"<<<|>>>|<=|>=|==|!=|&&|\|\||<<|>>|\+:|-:|::|\.\*|.",
    re.DOTALL,
)
# What stands in place of a token of its kind, and mostly leaves a file that is read.
VALUES = """0 1 64 65 '0 '1 'x 1'b1 65'h1 2147483648 1.5 "text" N $bits(a) $clog2(0) $clog2(65)
$signed(1) {2{1'b1}} {3{a}} (1?2:3) 1/0 -1 4'd8**3 8'(7) signed'(a) {<<{a}} a.b a[0] a[1][0] a[7:0]
a[b+:2] a[2-:3] (a|b) f(a) f(f(1)) &a ^a""".split()
TYPES = """logic|bit|reg|wire|tri|integer|int|byte|logic signed|time|real|string|event|chandle|T|I.m
|logic [3:0]|logic [0:3]|logic [1:0][2:0]|logic [-1:1]|logic [N-1:0]|bit [65:0]|type(a)|ref logic
|struct packed { logic a; logic [2:0] b; }|union packed { logic [1:0] a; logic [1:0] b; }
|enum logic [1:0] { A, B = 2 }|struct { logic a; int b; }|input|output|inout""".split("|")
SIGNS = "+ - * / % & | ^ && || == != < > <= >= << >> <<< >>> ** === !== ==?".split()
STATEMENTS = """assign a = b;
logic [3:0] a;
logic a [4];
logic a [2][3];
wire b = 1;
localparam int N = 2;
parameter int N = 2;
parameter type T = logic;
always_comb a = b;
always_ff @(posedge clock) a <= b;
always @(a or b) a = ~b;
always_latch if (a) b = a;
initial a = 0;
initial $readmemh("x", a);
final a = 1;
typedef struct packed { logic a; logic [N-1:0] b; } T;
typedef enum { A, B } T;
function automatic logic f(input logic a); return f(a); endfunction
function automatic int f(int a); for (int i = 0; i < a; i++) f += i; endfunction
import p::*;
for (genvar i = 0; i < 4; i++) begin : g assign a[i] = b[i]; end
if (N > 2) assign a = b;
for (int i = 0; i < 4; i++) a[i] = b;
foreach (a[i]) a[i] = b[i];
if (a) b = 1; else;
while (a) a = a - 1;
do a = 1; while (a);
repeat (3) a = ~a;
forever #1 a = ~a;
case (a) 0, 1: b = 1; default: b = a; endcase
casez (a) 4'b1??0: b = 1; endcase
unique case (a) inside [0:3]: b = 1; endcase
a <= #1 b;
a += b;
a++;
{a, b} = c;
a = '{default: 0};
a = '{1, 2};
a.b = c;
return;
break;
begin end
sub #(.N(3)) u (.*);
sub u [3:0] (.a(a), .b());
sub u (a, b);
and (a, b, c);
bind sub checker u (.*);
assert property (@(posedge clock) a |-> b);
covergroup c;
endmodule module m (input a, output b); assign b = a;
endmodule package p;
`define A(x) x
`ifdef A
`else
`endif
`A
`include "x.svh"
`default_nettype none""".split("\n")
PORTS = """input logic a,
output logic b,
inout c,
input [1:0] a [3],
I.m d,
output e,
input logic [N-1:0][1:0] f,
output struct packed { logic a; } g,
input real h,
.i(),
interface j,
output logic k [2],
input T l,
ref int m,
output logic [128:0] n,
input logic o [$],""".split("\n")
KINDS = (
    (rb"\d|'", VALUES),
    (rb"logic|reg|wire|bit|int|input|output", TYPES),
    (rb"[-+*/&|^<>=]", SIGNS),
)


def rtl(path: Path) -> None:
    """Each module: its ports and text, as a block, as RTL of a block, as a block of one's own, and
    what drives its outputs."""
    from wlk.base.errors import WlkError
    from wlk.fit import alike, cone, draft, first_block, identity, match, rtl  # noqa: F401  instrumented

    design = rtl.load([path])
    for module in itertools.islice(design.modules(), MODULES):
        for ask in (_text, _alike, _ports, _maps, _new, _behind):
            with contextlib.suppress(WlkError):
                ask(module)


def _text(module: object) -> None:
    from wlk.fit import identity

    module.design.find(module.name)
    identity.of(module)
    identity.simulated_only(module)
    module.renamed("other")
    module.require_complete()


def _alike(module: object) -> None:
    from wlk.fit import alike

    alike.require(module)


def _ports(module: object) -> None:
    from wlk import tables
    from wlk.fit import match

    shapes = module.ports()
    module.has_parameters()
    module.instances_of(module.name)
    for name in TABLES:
        table = tables.load(name)
        match.fits(table, shapes)
        match.render_differences(match.match(table, shapes))


def _maps(module: object) -> None:
    from wlk import tables
    from wlk.fit import draft

    for name in TABLES:
        draft.text(draft.of(module, tables.load(name)))


def _new(module: object) -> None:
    from wlk.fit import first_block
    from wlk.gen import block_folder

    block = first_block.draft(module, "own", ["a.sv"], {})
    first_block.check(block, module, Path("own"))
    block_folder.texts(block)


def _behind(module: object) -> None:
    """Of RTL that a simulator takes too; no other one is asked about."""
    from wlk.fit import cone

    if any(d.isError() for d in module.design.compilation(module.name).getAllDiagnostics()):
        return
    outputs = {port.name: -1 for port in module.ports() if port.direction == "out"}
    for each in cone.behind(module, outputs):
        each.json()


def tokens(data: bytes, dice: random.Random) -> bytes:
    """RTL with other tokens, statements or ports; mostly such that it can be read."""
    parts = TOKENS.findall(data)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        solid = [at for at, part in enumerate(parts) if not part[:1].isspace()]
        if not solid:
            break
        _change(parts, solid, dice)
    return b"".join(parts)


def _change(parts: list[bytes], solid: list[int], dice: random.Random) -> None:
    at, how = dice.choice(solid), dice.randrange(10)
    if how < 4:  # another one of its kind
        parts[at] = _other(parts[at], [parts[place] for place in solid], dice)
    elif how < 6:
        ends = [place for place in solid if parts[place] == b";"] or solid
        parts[dice.choice(ends)] += f" {dice.choice(STATEMENTS)} ".encode()
    elif how < 7:
        ends = [place for place in solid if parts[place] in b"(,"] or solid
        parts[dice.choice(ends)] += f" {dice.choice(PORTS)} ".encode()
    elif how < 8:  # a statement is left out, or comes twice
        ends = [place for place in solid if parts[place] == b";"] or solid
        first = dice.randrange(len(ends))
        piece = slice(ends[first] + 1, ends[min(first + 1, len(ends) - 1)] + 1)
        parts[piece] = parts[piece] * dice.choice((0, 2))
    elif how < 9:
        parts[at] = dice.choice((b"", parts[dice.choice(solid)], parts[at] * 2))
    else:
        parts[at] = dice.choice((*VALUES, *TYPES, *SIGNS, *STATEMENTS)).encode()


def _other(part: bytes, all_parts: list[bytes], dice: random.Random) -> bytes:
    for pattern, values in KINDS:
        if re.match(pattern, part):
            return dice.choice(values).encode()
    if part[:1].isalpha() or part[:1] in b"_`$":
        return dice.choice([each for each in all_parts if each[:1].isalpha()])
    return part


# ---- lists of files -----------------------------------------------------------------------------

LISTED = (
    *("a.sv", "./a.sv", "sub", "sub/b.sv", "-f", "-F", "list.f", "-v", "-y", "-I", "-D", "-Isub"),
    *("+incdir+sub", "+incdir++sub", "+define+A", "+define+A=1+B", "+libext+.v", "-sv", "-Wall"),
    *('"a.sv"', '"', "//", "#", "-", "+", "$HOME", "$", "${X", "~", ".", "..", "/dev/null"),
    *("x" * 300, "a/" * 3000, "\0", "a.sv\0", "\udcff", "*", "sub/*.sv", "-y sub", "-y a.sv"),
)


def listed(path: Path) -> None:
    """A list beside a file and a folder that it may name."""
    from wlk.fit import rtl

    top = path.parent
    (top / "sub").mkdir(exist_ok=True)
    for place in (top / "a.sv", top / "sub" / "b.sv"):
        if not place.is_file():
            place.write_text(f"module {place.stem}(output logic q);\nassign q = 1;\nendmodule\n")
    with contextlib.chdir(top):
        rtl.load([path.name]).modules()


def other_list(data: bytes, dice: random.Random) -> bytes:
    """A list with other words in other places."""
    words = re.findall(rb"\s+|\S+", data) or [b""]
    for _ in range(dice.randint(1, 3)):
        at, put = dice.randrange(len(words)), dice.choice(LISTED).encode(errors="surrogateescape")
        how = dice.randrange(4)
        if how == 0:
            words[at] = b""
        elif how == 1:
            words[at] = put
        elif how == 2:
            words.insert(at, put + dice.choice((b"\n", b" ", b"")))
        else:
            words[at] += put
    return b"".join(words)
