# SPDX-License-Identifier: Apache-2.0
"""The kernels: files are what the generator makes, and each is a program that can run."""

import itertools
from dataclasses import dataclass

import programs
import pytest
from wlk.base.errors import Status
from wlk.gen import kernels

NAMES = sorted(kernels.KERNELS)
# As shipped, and others: unroll, warps and lanes that are no powers of two, a narrow machine.
VARIANTS = [
    *((name, {}) for name in NAMES),
    ("dot", {"warps": 4, "registers": 32, "lanes": 4, "unroll": 1, "turns": 3}),
    ("dot", {"warps": 1, "registers": 64, "unroll": 16}),
    ("matmul", {"warps": 3, "rows": 2, "columns": 5, "depth": 3, "tiles": 1}),
    ("divergent_reduction", {"warps": 5, "registers": 64, "lanes": 7}),
    ("divergent_reduction", {"warps": 2, "registers": 16, "lanes": 64, "rounds": 20}),
    ("divergent_reduction", {"warps": 1, "registers": 16, "lanes": 1}),
]


@dataclass(frozen=True)
class Instruction:
    warp: int
    pc: int
    rd: int | None
    rs: tuple[int, ...]
    mask: str
    latency: int
    unit: str


@dataclass(frozen=True)
class Program:
    """A kernel: what it is made for, its headers, its instructions."""

    machine: dict
    headers: dict
    instructions: list[Instruction]

    @property
    def share(self):
        """Registers of a warp."""
        return self.machine["registers"] // self.machine["warps"]

    def of_warp(self, warp):
        return [i for i in self.instructions if i.warp == warp]


def program(name, **settings):
    text = kernels.text(name, settings)
    lines = [line.partition("#")[0].split() for line in text.splitlines()[1:]]
    headers = {line[0]: int(line[1]) for line in lines if len(line) == 2}
    instructions = [instruction(line) for line in lines if len(line) > 2]
    return Program(kernels.MACHINE | settings, headers, instructions)


def instruction(cells):
    warp, pc, *names, mask, latency, unit = cells
    rd, *rs = (None if name == "-" else int(name.removeprefix("x")) for name in names)
    assert len(rs) == 3
    sources = tuple(r for r in rs if r is not None)
    return Instruction(int(warp), int(pc, 16), rd, sources, mask, int(latency), unit)


@pytest.fixture(params=VARIANTS, ids=lambda v: "-".join([v[0], *map(str, v[1].values())]))
def made(request):
    name, settings = request.param
    return program(name, **settings)


# ---- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_kernels_in_the_repository_are_up_to_date(name):
    text = (kernels.FOLDER / f"{name}.prog").read_text(encoding="ascii")
    assert text == kernels.text(name), f"run `{kernels.COMMAND}`"


def test_kernels_folder_holds_no_other_program():
    assert sorted(path.stem for path in kernels.FOLDER.glob("*.prog")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_kernels_say_how_they_are_made(name):
    """The command in the head prints the same file."""
    text = (kernels.FOLDER / f"{name}.prog").read_text(encoding="ascii")
    [line] = [line for line in text.splitlines() if line.startswith("# Made by: ")]
    kernel, *words = line.partition(f"{kernels.COMMAND} ")[2].split()
    settings = {key: int(value) for key, _, value in (word.partition("=") for word in words)}
    assert set(settings) > set(kernels.MACHINE)
    assert kernels.text(kernel, settings) == text


def test_kernels_check_lists_what_is_stale(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(kernels, "FOLDER", tmp_path)
    assert kernels.main([]) == 0
    assert kernels.main(["--check"]) == 0
    (tmp_path / "dot.prog").write_text("warplock-program 1\n", encoding="ascii")
    (tmp_path / "matmul.prog").unlink()
    capsys.readouterr()
    with programs.error(Status.CORRUPT, "stale"):
        kernels.main(["--check"])
    stale = [line.split("/")[1] for line in capsys.readouterr().out.splitlines()]
    assert stale == ["dot.prog: stale", "matmul.prog: stale"]
    assert (tmp_path / "dot.prog").stat().st_size < 30


def test_kernels_print_one_with_other_parameters(capsys):
    assert kernels.main(["dot", "warps=2", "unroll=1"]) == 0
    assert capsys.readouterr().out == kernels.text("dot", {"warps": 2, "unroll": 1})


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["axpy"], Status.USAGE, "there is no 'axpy'"),
        (["dot", "rows=2"], Status.USAGE, "dot has no rows; it has warps, registers, lanes, unr"),
        (["dot", "unroll"], Status.USAGE, "'unroll' is not key=value"),
        (["dot", "unroll=0"], Status.USAGE, "must be 1 or more"),
        (["dot", "--check"], Status.USAGE, "name no kernel"),
        (["dot", "unroll=10"], Status.BAD_PARAMS, "out of registers; registers=N"),
    ],
)
def test_kernels_refuse(words, status, message):
    with programs.error(status, message):
        kernels.main(words)


# ---- programs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_kernels_have_the_size_of_a_small_kernel(name):
    assert 300 <= len(program(name).instructions) <= 2000


def test_kernels_headers_are_what_they_are_made_for(made):
    assert made.headers["warps"] == made.machine["warps"]
    assert made.headers["registers"] == made.machine["registers"]
    masked = any(i.mask != "*" for i in made.instructions)
    assert made.headers.get("lanes") == (made.machine["lanes"] if masked else None)


def test_kernels_give_every_warp_work(made):
    assert all(len(made.of_warp(warp)) >= 15 for warp in range(made.machine["warps"]))


def test_kernels_read_only_what_they_have_written(made):
    """x0 is zero; all else is live only behind its first write by the same warp."""
    written = set()
    for i in made.instructions:
        assert all(r == 0 or (i.warp, r) in written for r in i.rs), i
        written.add((i.warp, i.rd))


def test_kernels_registers_belong_to_one_warp(made):
    for i in made.instructions:
        assert {r // made.share for r in (*i.rs, i.rd or 0) if r} <= {i.warp}, i
        assert i.rd != 0, i


def test_kernels_can_be_admitted_with_one_pending_read(made):
    """Some register operand in each instruction, and none but x0 twice."""
    for i in made.instructions:
        sources = [r for r in i.rs if r != 0]
        assert i.rd is not None or i.rs, i
        assert len(sources) == len(set(sources)), i


def test_kernels_masks_name_some_of_the_lanes(made):
    full = (1 << made.machine["lanes"]) - 1
    for i in made.instructions:
        assert i.mask == "*" or 0 < int(i.mask, 16) < full, i


def test_kernels_pcs_go_up_by_4_or_jump(made):
    """Loops jump back to a pc the warp has been at, branches forward over a side of theirs."""
    for warp in range(made.machine["warps"]):
        pcs = [i.pc for i in made.of_warp(warp)]
        assert pcs[0] == kernels.ENTRY
        for at, (one, other) in enumerate(itertools.pairwise(pcs)):
            back = other in pcs[: at + 1]
            assert back or one + 4 <= other <= one + 12, (warp, hex(one), hex(other))


def test_kernels_same_pc_is_the_same_instruction(made):
    """But for the registers' base, which is the warp's, and the lanes."""
    code = {}
    for i in made.instructions:
        local = [None if r is None else r and r - i.warp * made.share for r in (i.rd, *i.rs)]
        assert code.setdefault(i.pc, (local, i.unit)) == (local, i.unit), i


@pytest.mark.parametrize(
    ("name", "turns"), [("dot", "turns"), ("matmul", "tiles"), ("divergent_reduction", "rounds")]
)
def test_kernels_loops_come_back_for_each_turn(name, turns):
    pcs = [i.pc for i in program(name, **{turns: 5}).of_warp(1)]
    assert sum(other < one for one, other in itertools.pairwise(pcs)) == 4


# ---- what each is for ---------------------------------------------------------------------------


@pytest.mark.parametrize("unroll", [1, 4])
def test_kernels_dot_chains_grow_with_unrolling(unroll):
    """As many totals are in flight as the loop is unrolled."""
    found = program("dot", unroll=unroll).of_warp(0)
    assert len({i.rd for i in found if i.rd in i.rs and len(i.rs) == 3}) == unroll


def test_kernels_matmul_uses_each_loaded_value_again():
    """Reads of a multiplicand for each load from near memory: rows or columns of the block."""
    found = program("matmul", rows=4, columns=3).instructions
    products = [i for i in found if len(i.rs) == 3]
    loads = [i for i in found if i.unit == "lsu" and i.rd is not None and i.latency < 20]
    assert len(products) * 2 / len(loads) == pytest.approx(24 / 7)


def test_kernels_divergent_reduction_diverges():
    """Masks differ between the warps, split into two sides, and halve in the tree."""
    made = program("divergent_reduction")
    masks = [[i.mask for i in made.of_warp(w) if i.mask != "*"] for w in range(8)]
    assert len({tuple(m) for m in masks}) == 8
    for own in masks:
        assert own[-3:] == ["0x1"] * 3
        assert [m for m in own if m in ("0xff", "0xf", "0x3")][::3] == ["0xff", "0xf", "0x3"]
        long = [int(m, 16) for m in own[:18:3]]
        short = [int(m, 16) for m in own[2:18:3]]
        assert [a ^ b for a, b in zip(long, short, strict=True)] == [0xFFFF] * 6


def test_kernels_divergent_reduction_gives_warp_0_more():
    made = program("divergent_reduction")
    work = [len(made.of_warp(w)) for w in range(8)]
    assert work[0] > max(work[1:]) == min(work[1:])
