# SPDX-License-Identifier: Apache-2.0
"""The naive stage of the document's designs: the examples of muon-designs, random programs against
an interpreter, and the recordings of the stage that exists as RTL, which is its default."""

import itertools
import random
from collections import Counter

import programs
import pytest
from naive_stage_x import OPERANDS, Cycle, Inst, StageX, Write
from test_naive_recordings import read

DEFAULTS = {
    "num_warps": 1,
    "num_lanes": 1,
    "num_pregs": 32,
    "rs_entries": 8,
    "reg_banks": 1,
    "max_pending_reads": 7,
    "forward_coll_issue": 1,
    "in_order_per_warp": 0,
    "collector": "duplicated",
    "coll_banks": 3,
    "coll_depth": 2,
    "bank_map": "high",
    "coll_alloc": "request",
    "alloc_order": "index",
    "alloc_rows": 1,
    "read_broadcast": 0,
    "forwarding": "none",
    "war": "gate",
    "count_forwarded_reads": 1,
    "ibuf_window": 1,
    "issue_ports": 1,
    "wb_buffer": 0,
}
POINT = DEFAULTS | {
    "alloc_order": "age",
    "alloc_rows": 8,
    "bank_map": "mod",
    "reg_banks": 4,
    "coll_depth": 8,
}
SRC = POINT | {"collector": "src_banked", "coll_banks": 4, "coll_alloc": "eager"}
INST = SRC | {"collector": "inst_banked"}
CACHING = POINT | {"collector": "caching", "coll_alloc": "eager"}
MINIMAL = POINT | {"collector": "src_banked", "coll_depth": 1, "reg_banks": 8}
OPTION2_1 = {
    "war": "stall",
    "forwarding": "must",
    "coll_alloc": "admit",
    "count_forwarded_reads": 0,
}
OPTION2_2 = {"war": "epoch", "coll_alloc": "admit"}


def inst(tag: str, rd: int | None, *rs: int, fu: int = 0) -> Inst:
    return Inst(rd, (*rs, *(None for _ in range(3 - len(rs)))), 0, fu, tag)


def play(
    params: dict, program: list[Inst], latency: dict[str, int], cycles: int = 24
) -> list[Cycle]:
    """One warp; a result is offered its latency after the issue, and until it is taken."""
    stage, left, results, found = StageX(params), list(program), [], []
    for cycle in range(cycles):
        window = (left + [None] * 16)[: params["ibuf_window"]]
        due = sorted((at, one.rd) for at, one in results if at <= cycle)
        offered = Write(due[0][1], {0: cycle}) if due else None
        c = stage.cycle([window], offered, [True] * params["issue_ports"])
        found.append(c)
        if c.admitted is not None:
            left.remove(c.admitted)
        if offered is not None and c.ready:
            results = [(at, one) for at, one in results if (at, one.rd) != due[0]]
        for one in c.issued.values():
            if one.rd is not None:
                results.append((cycle + latency.get(one.tag, 4), one))
    return found


def when(found: list[Cycle], what) -> dict[str, int]:
    """The cycle in which each thing happens."""
    return {name: n for n, c in enumerate(found) for name in what(c)}


def admitted(c: Cycle) -> list[str]:
    return [c.admitted.tag] if c.admitted is not None else []


def issued(c: Cycle) -> list[str]:
    return [one.tag for one in c.issued.values()]


def granted(c: Cycle) -> list[str]:
    return [f"{r.row.inst.tag}.{r.operand}>l{lane}" for lane, r in sorted(c.grants.items())]


def in_order(c: Cycle) -> list[str]:
    return sorted(granted(c))


PROGRAM = [inst("i0", None, 4, 5, 8), inst("i1", None, 6, 9, 13), inst("i2", None, 7)]


def test_src_reads_from_four_banks() -> None:
    found = play(SRC, PROGRAM, {})
    assert when(found, admitted) == {"i0": 0, "i1": 1, "i2": 2}
    assert [in_order(c) for c in found[:5]] == [
        [],
        ["i0.0>l0", "i0.1>l1"],
        ["i0.2>l2", "i1.0>l3", "i1.1>l0"],
        ["i1.2>l1", "i2.0>l2"],
        [],
    ]
    assert when(found, issued) == {"i0": 4, "i1": 5, "i2": 6}


def test_inst_has_one_lane_an_entry() -> None:
    program = [*PROGRAM[:2], PROGRAM[2]._replace(fu=1)]
    found = play(INST, program, {})
    cycles = when(found, lambda c: [text.partition(">")[0] for text in granted(c)])
    order = ["i0.0", "i0.1", "i0.2", "i1.0", "i1.1", "i1.2"]
    assert cycles == {name: n for n, name in enumerate(order, 1)} | {"i2.0": 3}
    assert when(found, issued) == {"i2": 5, "i0": 6, "i1": 8}


def test_minimal_issues_every_other_cycle() -> None:
    found = play(MINIMAL, PROGRAM, {})
    assert when(found, lambda c: [c.taken[0].inst.tag] if c.taken else []) == {
        "i0": 1, "i1": 3, "i2": 5
    }  # fmt: skip
    assert when(found, issued) == {"i0": 3, "i1": 5, "i2": 7}


@pytest.mark.parametrize(
    ("params", "admissions", "issues"),
    [
        (SRC | OPTION2_1, (0, 1, 2), {"i0": 4, "i1": 3, "i2": 7}),
        (SRC | OPTION2_2, (0, 1, 2), {"i0": 4, "i1": 3, "i2": 9}),
        (SRC | {"war": "stall"}, (0, 1, 2), {"i0": 4, "i1": 3}),
        (DEFAULTS, (0, 2, 3), {"i0": 3, "i1": 4, "i2": 10}),
    ],
    ids=["option2_1", "option2_2", "naive", "rtl"],
)
def test_war_policies(params: dict, admissions: tuple, issues: dict) -> None:
    """§6.4: without forwards or epochs the third instruction never issues."""
    program = [inst("i0", None, 5), inst("i1", 5), inst("i2", None, 5)]
    found = play(params, program, {"i1": 3}, cycles=60)
    assert tuple(when(found, admitted).values()) == admissions
    assert when(found, issued) == issues


def test_fence_lets_instructions_pass() -> None:
    """§7."""
    program = [
        inst("i0", 5, 1), inst("i1", 5, 6), inst("i2", 7, 4), inst("i3", 8, 5), inst("i4", 6)
    ]  # fmt: skip
    found = play(SRC | {"ibuf_window": 4}, program, {"i0": 6, "i1": 4})
    assert when(found, admitted) == {"i0": 0, "i2": 1, "i1": 9, "i3": 10, "i4": 11}
    assert when(found, issued)["i3"] == 19


def test_must_serves_one_lane_a_cycle() -> None:
    """§5.3: i1 reads the register twice and i2 once, all in lane 0."""
    program = [inst("i0", 5), inst("i1", None, 5, 5), inst("i2", None, 5)]
    found = play(INST | OPTION2_1, program, {"i0": 6})
    served = [
        (n, row.inst.tag, i) for n, c in enumerate(found) for row, i in c.forwards if i in OPERANDS
    ]
    first = served[0][0]
    assert served == [(first, "i1", 0), (first + 1, "i1", 1), (first + 2, "i2", 0)]
    assert [found[first + n].commit for n in range(3)] == [False, False, True]


def test_caching_reads_what_no_slot_has() -> None:
    """§4.4: the second instruction's p5 is read again, the third reads nothing."""
    program = [inst("i0", None, 4, 5), inst("i1", None, 6, 5), inst("i2", None, 4, 5)]
    found = play(CACHING, program, {})
    assert when(found, lambda c: [c.bound.inst.tag] if c.bound else []) == {
        "i0": 1, "i1": 2, "i2": 3
    }  # fmt: skip
    reads = [text.partition(">")[0] for c in found for text in granted(c)]
    assert reads == ["i0.0", "i0.1", "i1.0", "i1.1"]
    assert [how for _, how in found[3].found.values()] == ["hit", "hit"]
    assert when(found, issued) == {"i0": 3, "i1": 4, "i2": 5}


def test_egress_takes_the_lane_and_the_bank() -> None:
    """§5.3: p5 is written in cycle 6 and goes to i1; i4's read of the same bank is lost."""
    program = [
        inst("i0", 5, 1),
        inst("i1", None, 5),
        inst("i2", None, 2, 6),
        Inst(None, (4, None, 8), 0, 0, "i3"),
        inst("i4", None, 13, 17),
    ]
    found = play(SRC | {"forwarding": "egress"}, program, {"i0": 3})
    names = lambda reads: [f"{r.row.inst.tag}.{r.operand}" for r in reads]  # noqa: E731
    assert [names(found[n].grants.values()) for n in (5, 6, 7)] == [
        ["i3.2", "i4.0"],
        ["i4.1"],
        ["i4.0"],
    ]
    assert [names(c.lost) for c in found[5:9]] == [[], ["i4.0"], [], []]
    assert [names(c.landed) for c in found[6:9]] == [["i3.2"], ["i4.1"], ["i4.0"]]
    assert [(row.inst.tag, i) for row, i in found[6].forwards] == [("i1", 0)]
    assert when(found, issued) == {"i0": 3, "i2": 6, "i3": 7, "i1": 8, "i4": 9}


def test_egress_takes_the_lane_of_another_bank() -> None:
    """§5.2, in copies: the lane alone decides, and the read is granted again."""
    program = [inst("i0", 5, 1), inst("i1", None, 5), inst("i2", None, 4, 13)]
    params = POINT | {"coll_alloc": "eager", "forwarding": "egress"}
    found = play(params, program, {"i0": 1})
    assert [f"{r.row.inst.tag}.{r.operand}" for r in found[4].lost] == ["i2.0"]
    assert [f"{r.row.inst.tag}.{r.operand}" for r in found[4].landed] == ["i2.1"]
    assert [f"{r.row.inst.tag}.{r.operand}" for r in found[6].landed] == ["i2.0"]


# ---- random programs against an interpreter (§9) ----------------------------------------------

ORGANISATIONS = {
    "duplicated": {"collector": "duplicated"},
    "src": {"collector": "src_banked"},
    "inst": {"collector": "inst_banked"},
    "caching": {"collector": "caching", "coll_alloc": "eager"},
}
POLICIES = {
    "rtl": {},
    "eager": {"coll_alloc": "eager", "alloc_order": "age"},
    "egress": {"coll_alloc": "eager", "alloc_order": "age", "forwarding": "egress"},
    "option1": {"forwarding": "must", "coll_alloc": "admit", "count_forwarded_reads": 0},
    "option2_1": OPTION2_1,
    "option2_2": OPTION2_2 | {"forwarding": "egress"},
    "buffer": {"war": "epoch", "wb_buffer": 99, "coll_alloc": "eager", "alloc_order": "age"},
    "buffer_must": OPTION2_1 | {"wb_buffer": 3},
}
RUNS = 12


def drawn(dice: random.Random, organisation: str, policy: str) -> dict:
    """A configuration of an organisation and a policy that cannot deadlock (§9.2)."""
    kind = ORGANISATIONS[organisation]
    banks = {"src": dice.choice((3, 4, 5)), "inst": dice.choice((1, 2, 3))}.get(organisation, 3)
    params = DEFAULTS | {
        "num_warps": dice.choice((1, 2, 3)), "num_lanes": 2, "num_pregs": 32,
        "rs_entries": dice.randint(1, 6), "reg_banks": dice.choice((1, 2, 4)),
        "max_pending_reads": dice.choice((3, 7)), "forward_coll_issue": dice.randint(0, 1),
        "coll_banks": banks, "coll_depth": dice.randint(1, 6),
        "bank_map": dice.choice(("high", "mod")),
        "alloc_order": dice.choice(("index", "age")), "alloc_rows": dice.randint(1, 6),
        "read_broadcast": dice.randint(0, 1), "ibuf_window": dice.choice((1, 1, 4)),
    }  # fmt: skip
    params |= POLICIES[policy] | kind
    if organisation == "inst" and dice.random() < 0.5:
        params["issue_ports"] = banks
    if params["coll_alloc"] == "eager":
        params["alloc_order"] = "age"
    return params


def random_program(dice: random.Random, warps: int, fus: int) -> list[list[Inst]]:
    """Of each warp; warps have registers of their own, of which few, and register 0."""
    found = []
    for warp in range(warps):
        own = [0, *range(1 + warp * 5, 6 + warp * 5)]
        program = []
        for n in range(40):
            sources = tuple(dice.choice(own) if dice.random() < 0.6 else None for _ in OPERANDS)
            rd = dice.choice(own) if dice.random() < 0.8 else None
            if rd is None and not any(r is not None for r in sources):
                rd = own[1]
            program.append(Inst(rd, sources, warp, dice.randrange(fus), (warp, n)))
        found.append(program)
    return found


def interpreted(program: list[list[Inst]], masks: dict, start: dict) -> tuple[dict, dict]:
    """The operands of each instruction, by its tag, and the registers at the end."""
    registers, operands = {r: dict(word) for r, word in start.items()}, {}
    for warp in program:
        for inst in warp:
            operands[inst.tag] = [dict(registers[r]) if r is not None else None for r in inst.rs]
            if inst.rd:
                registers[inst.rd] |= masks[inst.tag]
    return operands, registers


def run(dice: random.Random, params: dict) -> Counter:
    """Until all is done; what happened, by kind."""
    program = random_program(dice, params["num_warps"], params["coll_banks"])
    lanes, values = range(params["num_lanes"]), itertools.count(1)
    masks = {
        inst.tag: {lane: next(values) for lane in lanes if dice.random() < 0.8}
        for warp in program
        for inst in warp
    }
    stage = StageX(params)
    stage.rf = {r: dict.fromkeys(lanes, r) for r in range(1, params["num_pregs"])}
    start = {r: dict(stage.register(r)) for r in range(params["num_pregs"])}
    operands, registers = interpreted(program, masks, start)
    left, results, events = [list(warp) for warp in program], [], Counter()
    offered: tuple | None = None
    for cycle in range(4000):
        due = [each for each in results if each[0] <= cycle]
        offered = offered or (min(due, key=lambda each: each[0]) if due else None)
        windows = [(warp + [None] * 16)[: params["ibuf_window"]] for warp in left]
        write = Write(offered[1].rd, masks[offered[1].tag]) if offered is not None else None
        c = stage.cycle(windows, write, [dice.random() < 0.8 for _ in stage.ports])
        if c.admitted is not None:
            left[c.admitted.warp].remove(c.admitted)
        if offered is not None and c.ready:
            results.remove(offered)
            offered = None
        for port, inst in c.issued.items():
            want = operands.pop(inst.tag)
            got = [v for v, r in zip(c.operands[port], inst.rs, strict=True) if r is not None]
            assert got == [v for v in want if v is not None], (cycle, inst)
            if inst.rd is not None:
                results.append((cycle + dice.randint(1, 12), inst))
        events.update({
            "forwards": len(c.forwards), "lost": len(c.lost), "merge": c.merge,
            "hits": sum(how == "hit" for _, how in c.found.values()),
            "held": c.write is not None and not c.commit, "grants": len(c.grants),
        })  # fmt: skip
        if not (operands or results or stage.buffer or any(left)):
            break
    assert not operands, f"not issued: {sorted(operands)[:5]}"
    assert {r: stage.register(r) for r in registers} == registers
    assert not stage.taken and not +stage.users and not +stage.pending_reads
    return events


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("organisation", ORGANISATIONS)
def test_operands_are_the_interpreters(organisation: str, policy: str) -> None:
    kind = ORGANISATIONS[organisation]
    if organisation == "caching" and POLICIES[policy].get("coll_alloc", "eager") != "eager":
        pytest.skip("a caching collector has eager allocation (§1)")
    events: Counter = Counter()
    for number in range(RUNS):
        dice = random.Random(f"{organisation} {policy} {number}")
        params = drawn(dice, organisation, policy)
        try:
            events += run(dice, params)
        except AssertionError as problem:
            pytest.fail(f"{params}: {problem}")
    print(organisation, policy, dict(events), kind)
    forwarding = POLICIES[policy].get("forwarding", "none")
    assert events["grants"] > 100
    assert (events["forwards"] > 0) == (forwarding != "none")
    assert (events["hits"] > 0) == (organisation == "caching")


# ---- the recordings of the stage that exists (§1) ---------------------------------------------


def head_of(row: dict[str, int], at: str) -> Inst | None:
    essentials = f"{at}_bits_uop_inst_essentials_"
    if not row[f"{at}_valid"]:
        return None
    rs = tuple(
        row[f"{essentials}{4 + i}"] if row[f"{essentials}{23 + i}"] else None for i in OPERANDS
    )
    payload = sorted(v for name, v in row.items() if name.startswith(f"{at}_bits_"))
    rd = row[f"{essentials}3"] if row[f"{essentials}22"] else None
    return Inst(rd, rs, row[f"{at}_bits_uop_wid"], 0, payload)


def explains(params: dict, rows: list[dict[str, int]], lasts: tuple[int, int]) -> bool:
    """Are admissions, issued instructions and operands those recorded, from the first reset on?"""
    stage, reset_seen = StageX(params, lasts), False
    lanes, warps = range(params["num_lanes"]), range(params["num_warps"])
    for row in rows:
        data = {n: row[f"io_writeback_bits_data_{n}"] for n in lanes}
        mask = row["io_writeback_bits_tmask"]
        words = {n: value for n, value in data.items() if mask >> n & 1}
        offered = Write(row["io_writeback_bits_rd"], words) if row["io_writeback_valid"] else None
        held = stage.stage.get(0)
        windows = [[head_of(row, f"io_ibuf_{w}")] for w in warps]
        c = stage.cycle(windows, offered, [bool(row["io_issue_ready"])])
        fires = [w for w in warps if row[f"io_ibuf_{w}_valid"] and row[f"io_ibuf_{w}_ready"]]
        shown = head_of(row, "io_issue")
        if reset_seen and (
            fires != ([c.chosen] if c.admitted else [])
            or shown != (held.inst if held is not None else None)
            or any(
                word.get(n, row[f"io_operands_{i}_{n}"]) != row[f"io_operands_{i}_{n}"]
                for i, word in enumerate(c.operands.get(0, [dict.fromkeys(lanes, 0)] * 3))
                for n in lanes
            )
        ):
            return False
        if row["reset"]:
            stage.reset()
            reset_seen = True
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    "one", [pytest.param(one, id=one.name) for one in programs.recordings("issue")]
)
def test_stage_with_defaults_is_the_recorded_one(one: programs.Recording) -> None:
    _, rows = read(one)
    real = DEFAULTS | {"num_warps": 8, "num_lanes": 16, "num_pregs": 256}
    params = real | {name: value for name, value in one.params.items() if name in real}
    params["coll_depth"] = one.params.get("coll_entries", 2)
    starts = itertools.product(range(params["num_warps"]), range(params["rs_entries"]))
    assert any(explains(params, rows, lasts) for lasts in ([(0, 0)] if one.zero else starts))
