# SPDX-License-Identifier: Apache-2.0
"""A user's own BOOM dispatcher: other fields of a uop, queues of other types, no clock."""

import re
import subprocess

import programs
import pytest
import rtl_under_test as rut
from rtl_under_test import FAILS
from wlk.base.errors import Status

FIELDS = {"inst": 32, "fu_code_0": 1, "fu_code_1": 1, "exc_cause": 64, "br_mask": 12, "x": 1}


def target(w: int, kind: int, v4: bool) -> str:
    bits = f"io_ren_uops_{w}_bits_iq_type"
    return f"{bits}_{kind}" if v4 else f"|({bits} & 3'd{kind})"


def port(side: str, name: str, width: int) -> str:
    return f"  {side} [{width - 1}:0] {name}" if width > 1 else f"  {side} {name}"


def group(stem: str, into: bool, fields: dict[str, int]) -> list[str]:
    """Ready, valid and bits of a position or a place."""
    here, back = ("input", "output") if into else ("output", "input")
    bits = [port(here, f"{stem}_bits_{name}", width) for name, width in fields.items()]
    return [port(back, f"{stem}_ready", 1), port(here, f"{stem}_valid", 1), *bits]


def module(name: str, ports: list[str], body: list[str]) -> str:
    text = ",\n".join(ports)
    return "\n".join([f"module {name} (\n{text}\n);", *body, "endmodule\n"])


def dispatcher(n: int, kinds: list[int], *, v4=False, clock=True, fields=FIELDS) -> str:
    """A BasicDispatcher in a style of its own; the target stands among the other fields."""
    kind_fields = {f"iq_type_{b}": 1 for b in range(4)} if v4 else {"iq_type": 3}
    names = dict(list(fields.items())[:2]) | kind_fields | fields
    ports = ["  input clock", "  input reset"] if clock else []
    body = []
    for w in range(n):
        ports += group(f"io_ren_uops_{w}", True, names)
        ready = " & ".join(f"io_dis_uops_{q}_{w}_ready" for q in range(len(kinds)))
        body.append(f"assign io_ren_uops_{w}_ready = {ready};")
    for q, kind in reversed(list(enumerate(kinds))):
        for w in range(n):
            out, into = f"io_dis_uops_{q}_{w}", f"io_ren_uops_{w}"
            ports += group(out, False, names)
            body.append(f"assign {out}_valid = {into}_valid & ({target(w, kind, v4)});")
            body += [f"assign {out}_bits_{f} = {into}_bits_{f};" for f in names]
    return module("BasicDispatcher", ports, body)


def compactor(name: str, n: int, k: int, fields: dict[str, int]) -> str:
    """A Compactor inside a dispatcher: no clock, a pointer of one hot bit, one wire a line."""
    ports, body = [], []
    for i in range(n):
        ports += group(f"io_in_{i}", True, fields)
    for j in range(k):
        ports += group(f"io_out_{j}", False, fields)
    pointer = [f"{k}'d1"]
    for i in range(n):
        ready = " | ".join(f"(c{i}[{j}] & io_out_{j}_ready)" for j in range(k))
        shifted = f"c{i} << 1" if k > 1 else "1'd0"
        body += [f"wire [{k - 1}:0] c{i} = {pointer[i]};", f"assign io_in_{i}_ready = {ready};"]
        pointer.append(f"io_in_{i}_valid ? ({shifted}) : c{i}")
    for j in range(k):
        hits = [f"(c{i}[{j}] & io_in_{i}_valid)" for i in range(n)]
        body.append(f"assign io_out_{j}_valid = {' | '.join(hits)};")
        for bits, width in fields.items():
            shown = [
                f"({{{width}{{{hit}}}}} & io_in_{i}_bits_{bits})" for i, hit in enumerate(hits)
            ]
            body.append(f"assign io_out_{j}_bits_{bits} = {' | '.join(shown)};")
    return module(name, ports, body)


def inner_name(number: int) -> str:
    return f"Compactor_{number}" if number else "Compactor"


def compacting(n: int, queues: list[tuple[int, int]]) -> str:
    """A v3 CompactingDispatcher around a module for each queue, (type, width)."""
    names = {"iq_type": 3} | FIELDS
    ports, body, inner = ["  input clock", "  input reset"], [], []
    for w in range(n):
        ports += group(f"io_ren_uops_{w}", True, names)
    for q, (kind, k) in reversed(list(enumerate(queues))):
        pins = []
        for w in range(n):
            into = f"io_ren_uops_{w}"
            body += [f"wire use_{q}_{w} = {target(w, kind, False)};", f"wire rdy_{q}_{w};"]
            pins += [f".io_in_{w}_ready(rdy_{q}_{w})"]
            pins += [f".io_in_{w}_valid({into}_valid & use_{q}_{w})"]
            pins += [f".io_in_{w}_bits_{f}({into}_bits_{f})" for f in names]
        for j in range(k):
            out = f"io_dis_uops_{q}_{j}"
            ports += group(out, False, names)
            pins += [f".io_out_{j}_{f}({out}_{f})" for f in ("ready", "valid")]
            pins += [f".io_out_{j}_bits_{f}({out}_bits_{f})" for f in names]
        body.append(f"{inner_name(q)} compactor_{q} ({', '.join(pins)});")
        inner.append(compactor(inner_name(q), n, k, names))
    for w in range(n):
        ready = " & ".join(f"(rdy_{q}_{w} | ~use_{q}_{w})" for q in range(len(queues)))
        body.append(f"assign io_ren_uops_{w}_ready = {ready};")
    return "\n".join([*inner, module("CompactingDispatcher", ports, body)])


def written(name: str, text: str):
    path = rut.folder(name) / "BasicDispatcher.sv"
    path.write_text(text, encoding="utf-8")
    return path


def lockstep(name, text, *words, code=0):
    return rut.run_rtl(written(name, text), *words, block="dispatch_basic", code=code)


def test_fields_and_types_are_found():
    done = lockstep("boom_types", dispatcher(2, [4, 2, 1]), "--accept-inferred")
    answer = done.json
    assert answer["match"] == "equal"
    assert answer["config"]["queues"] == "FP:2,MEM:2,INT:2"
    assert "behaviour" in answer["inferred"]["queues"]
    assert answer["inferred_behaviour"] == {"queues": "FP:2,MEM:2,INT:2"}
    width = 2 + 3 * 2 * (1 + 3 + sum(FIELDS.values()))
    assert answer["compared_bits"] == answer["cycles"] * width
    assert answer["masked_bits"] == 0


def test_wrong_bit_in_one_lane_is_not_blamed_on_another():
    """The right types differ at one port, though in more cycles than a mask that suits the lane."""
    text = dispatcher(3, [2, 1, 4])
    old = f"assign io_dis_uops_1_1_valid = io_ren_uops_1_valid & ({target(1, 1, False)});"
    assert text.count(old) == 1
    text = text.replace(old, old.replace(target(1, 1, False), target(1, 5, False)))
    done = lockstep("boom_lane", text, code=FAILS)
    assert done.json["config"]["queues"] == "MEM:3,INT:3,FP:3"
    assert done.port == "io_dis_uops_1_1_valid"
    assert done.json["candidates"][0]["differing_ports"] == 1
    assert "--config queues=MEM:3,INT:3,FP:3" in done.err.split("repeat: ")[1].splitlines()[0]


def test_v4_without_a_clock_port():
    done = lockstep("boom_v4", dispatcher(1, [0, 1, 2, 3], v4=True, clock=False))
    answer = done.json
    assert answer["config"]["encoding"] == "v4"
    assert answer["config"]["queues"] == "MEM:1,UNQ:1,ALU:1,FP:1"
    assert answer["tied_off"] == ["clock", "reset"]


def test_fault_in_a_field_is_named():
    text = dispatcher(2, [2, 1])
    bits = "io_ren_uops_1_bits_exc_cause"
    text = text.replace(f"= {bits};", f"= {{{bits}[63:1], 1'b0}};")
    done = lockstep("boom_fault", text, "--config", "queues=MEM,INT", code=FAILS)
    assert done.port == "io_dis_uops_1_1_bits_exc_cause"


def test_compacting_dispatcher_of_modules():
    path = written("boom_inner", compacting(4, [(2, 2), (5, 1), (6, 3)]))
    given = ("--config", "queues=MEM:2,5:1,6:3")  # a type has two queues: no search finds that
    done = rut.run_rtl(path, *given, block="dispatch_compacting")
    config = done.json["config"]
    assert config["core_width"] == 4
    assert config["queues"] == "MEM:2,5:1,6:3"
    for number, k in enumerate((2, 1, 3)):
        words = ("--module", inner_name(number))
        done = rut.run_rtl(path, *words, block="compactor")
        assert (done.json["config"]["n"], done.json["config"]["k"]) == (4, k)
        assert done.json["tied_off"] == ["clock", "reset"]


FOLDED = "io_out_1_ready"


def folded(value: int):
    """The Compactor whose second output is always ready, so that the compiler dropped the port."""
    place = rut.stub("folded", {"n": 4, "k": 2}, block="compactor")
    path = place / "Compactor.sv"
    text = re.sub(rf"^ *input +{FOLDED},?\n", "", path.read_text(), flags=re.MULTILINE)
    path.write_text(text.replace(");\n", f");\n  wire {FOLDED} = 1'b{value};\n", 1))
    return place


def test_constant_input_that_is_not_there_is_tied():
    place = folded(1)
    without = rut.run_lockstep(
        "--rtl", place, "--seeds", "1", block="compactor", code=Status.IFACE_CHANGED
    )
    assert f"--tie {FOLDED}=VALUE" in without.err
    words = ("--rtl", place, "--seeds", "1", "--cycles", "2000", "--tie")
    done = rut.run_lockstep(*words, f"{FOLDED}=1", block="compactor")
    assert done.json["tied"] == {FOLDED: 1}
    assert done.json["floors"] == 0
    done = rut.run_lockstep(*words, f"{FOLDED}=0", block="compactor", code=FAILS)
    assert f"--tie {FOLDED}=0" in done.err  # in the command that repeats it


def test_field_that_is_too_wide_is_refused():
    text = dispatcher(1, [2], fields={"a": 65, "b": 1})
    done = lockstep("boom_wide", text, code=Status.IFACE_CHANGED)
    assert "port a has more bits: at most 64" in done.line


TOP = """module tb;
  logic tick = 0;
  always #5 tick = !tick;
  logic [3:0] seen = 0;
  wire ready, valid;
  wire [2:0] kind;
  BasicDispatcher dut (
    .io_ren_uops_0_ready(ready), .io_ren_uops_0_valid(seen[0]), .io_ren_uops_0_bits_a(seen),
    .io_ren_uops_0_bits_iq_type(3'd2), .io_dis_uops_0_0_ready(seen[1]),
    .io_dis_uops_0_0_valid(valid), .io_dis_uops_0_0_bits_a(), .io_dis_uops_0_0_bits_iq_type(kind)
  );
  always @(negedge tick) begin
    seen <= seen + 1;
    if ($time > 2000) $finish;
  end
endmodule
"""


@pytest.mark.slow
def test_checker_is_sampled_by_the_clock_that_is_named():
    rtl = written("boom_bind", dispatcher(1, [2], clock=False, fields={"a": 4}))
    out = rut.folder("boom_bind_wlk")
    words = ("bind", "dispatch_basic", "--rtl", rtl, "--out", out, "--config", "queues=MEM:1:1")
    done = rut.warplock(*words, code=Status.USAGE)
    assert "BasicDispatcher has no clock; give --clock PATH" in done.line
    rut.warplock(*words, "--clock", "tb.tick")
    place = rut.folder("boom_bind_sim")
    (place / "tb.sv").write_text(TOP, encoding="utf-8")
    sources = ("-f", out / "warplock.f", rtl, place / "tb.sv")
    program = programs.simulation(place / "obj", "tb", *sources)
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert re.search(r"warplock: dispatch_basic \S*tb\.dut: PASS, 20\d cycles", done.stderr)
    assert done.returncode == 0
