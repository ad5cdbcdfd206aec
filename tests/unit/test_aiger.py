# SPDX-License-Identifier: Apache-2.0
"""Circuits as bits: what is written can be read, and does the same in every cycle."""

import itertools
import random

import pytest
from wlk.base.errors import Status, WlkError
from wlk.prove import aiger
from wlk.prove.aiger import FALSE, TRUE, Circuit

INPUTS = [("a", 0), ("a", 1), ("b", 0)]
CYCLES = 20


def value(values, literal):
    return values[literal >> 1] ^ literal & 1


def run(part, rows):
    """The outputs of a part in each cycle; registers begin with 0."""
    state, seen = [0] * len(part.registers), []
    for row in rows:
        values = [0, *(row[part.input_bits.get(n)] for n in range(part.inputs)), *state]
        for one, other in part.gates:
            values.append(value(values, one) & value(values, other))
        seen.append([value(values, literal) for literal in part.outputs])
        state = [value(values, literal) for literal in part.registers]
    return seen


def random_circuit(rng):
    """A circuit with feedback through registers."""
    circuit = Circuit()
    literals = [TRUE, *map(circuit.input, INPUTS), *(circuit.register() for _ in range(4))]
    for _ in range(60):
        one, other = (rng.choice(literals) ^ rng.randrange(2) for _ in range(2))
        literals.append(
            circuit.differ(one, other) if rng.randrange(3) else circuit.both(one, other)
        )
    for variable in circuit.registers:
        circuit.registers[variable] = rng.choice(literals) ^ rng.randrange(2)
    circuit.outputs = [rng.choice(literals[-30:]) ^ rng.randrange(2) for _ in range(5)]
    return circuit


def read_back(circuit, folder):
    """What `write` wrote; its inputs and outputs are named as Yosys names them."""
    circuit.write(folder / "x.aig")
    literals = {literal >> 1: bit for bit, literal in circuit.inputs.items()}
    named = ((number, literals.get(variable)) for number, variable in enumerate(circuit.order))
    names = {number: bit for number, bit in named if bit is not None}
    lines = [f"input {number} {bit} {name}" for number, (name, bit) in names.items()]
    lines += [f"output {number} {number} out" for number in range(1, len(circuit.outputs))]
    (folder / "x.map").write_text("\n".join(lines) + "\n")
    bits = [("out", number) for number in range(len(circuit.outputs))]
    return aiger.read(folder / "x.aig", folder / "x.map", bits)


@pytest.mark.parametrize("seed", range(5))
def test_circuit_read_back_and_added_twice_does_the_same(seed, tmp_path):
    rng = random.Random(seed)
    part = read_back(random_circuit(rng), tmp_path)
    rows = [{bit: rng.randrange(2) for bit in INPUTS} for _ in range(CYCLES)]
    seen = run(part, rows)
    assert len({tuple(row) for row in seen}) > 1
    both = Circuit()
    one, other = both.add(part, {}), both.add(part, {("b", 0): FALSE})
    both.outputs = [outs["out", n] for outs in (one, other) for n in range(5)]
    again = run(read_back(both, tmp_path), rows)
    assert [row[:5] for row in again] == seen
    assert [row[5:] for row in again] == run(part, [row | {("b", 0): 0} for row in rows])


@pytest.mark.parametrize("kind", ["both", "differ"])
def test_gates_of_constants_and_of_one_input_are_folded(kind):
    for one, other in itertools.product((FALSE, TRUE, 2, 3), repeat=2):
        circuit = Circuit()
        circuit.input(("a", 0))
        result = getattr(circuit, kind)(one, other)
        assert not circuit.gates
        for a in (0, 1):
            x, y = value([0, a], one), value([0, a], other)
            assert value([0, a], result) == (x & y if kind == "both" else x ^ y)


def test_start_behind_a_reset_is_written(tmp_path):
    circuit = Circuit()
    reset, register = circuit.input(("reset", 0)), circuit.register()
    circuit.registers[register >> 1] = circuit.any_of([reset, register])
    circuit.outputs = [register]
    circuit.begin({("reset", 0): 1}, circuit.registers)
    circuit.write(tmp_path / "x.aig")
    assert (tmp_path / "x.aig").read_bytes().split(b"\n")[1].endswith(b" 1")
    circuit.begin({}, circuit.registers)
    circuit.write(tmp_path / "x.aig")
    assert not (tmp_path / "x.aig").read_bytes().split(b"\n")[1].endswith(b" 1")


def test_minus_a_number(tmp_path):
    circuit = Circuit()
    circuit.outputs = circuit.negated([circuit.input(("a", n)) for n in range(3)])
    part = read_back(circuit, tmp_path)
    for number in range(8):
        (bits,) = run(part, [{("a", n): number >> n & 1 for n in range(3)}])
        assert sum(bit << n for n, bit in enumerate(bits)) == -number % 8


@pytest.mark.parametrize("rows", [1, 2, 5, 8, 9])
@pytest.mark.parametrize("bits", [0, 3, 4])
def test_rows_of_a_memory(rows, bits, tmp_path):
    circuit = Circuit()
    address = [circuit.input(("at", n)) for n in range(bits)]
    held = [circuit.input(("row", n)) for n in range(rows)]
    circuit.outputs = [*circuit.decoded(address, rows), circuit.below(address, rows)]
    circuit.outputs.append(circuit.selected(address, held))
    part = read_back(circuit, tmp_path)
    rng = random.Random(rows)
    for at in range(1 << bits):
        row = {("at", n): at >> n & 1 for n in range(bits)}
        row |= {("row", n): rng.randrange(2) for n in range(rows)} | {None: 0}
        ((*decoded, exists, value),) = run(part, [row])
        assert decoded == [int(at == n) for n in range(rows)]
        assert exists == (at < rows)
        assert value == (row["row", at] if at < rows else 0)


def test_circuit_that_depends_on_itself_is_refused(tmp_path):
    circuit = Circuit()
    later = circuit.later()
    circuit.gates[later >> 1] = circuit.both(later, circuit.input(("a", 0))), TRUE
    circuit.outputs = [later]
    with pytest.raises(WlkError) as error:
        circuit.write(tmp_path / "x.aig")
    assert error.value.status == Status.MODEL_ERROR


@pytest.mark.parametrize(
    ("text", "names", "words"),
    [
        (b"aag 0 0 0 1 0\n0\n", "", "no binary AIGER file"),
        (b"aig 0 0 0 1 0\n0\n", "output 1 0 y\n", "another order"),
    ],
)
def test_file_that_yosys_would_not_write_is_refused(text, names, words, tmp_path):
    (tmp_path / "x.aig").write_bytes(text)
    (tmp_path / "x.map").write_text(names)
    with pytest.raises(WlkError, match=words):
        aiger.read(tmp_path / "x.aig", tmp_path / "x.map", [("y", 0)])
