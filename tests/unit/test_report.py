# SPDX-License-Identifier: Apache-2.0
"""Tables, the common JSON object, and the exit code of several runs."""

import io
import json

import pytest
from wlk.base import report
from wlk.base.errors import Status
from wlk.run import recordings


def test_table_aligns_numbers_right_and_text_left():
    table = report.Table("block", "cycles", "speed [Mcyc/s]", "verdict")
    table.add("collector", 1234567, 5.4321, Status.OK)
    table.add("x", 1, None, Status.HANG)
    assert table.render() == (
        "block         cycles  speed [Mcyc/s]  verdict\n"
        "---------  ---------  --------------  -------\n"
        "collector  1,234,567            5.43  PASS\n"
        "x                  1               -  HANG"
    )


def test_table_without_rows():
    assert report.Table("a", "b").render() == "a  b\n-  -"


def test_table_wrong_number_of_cells():
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        report.Table("a", "b").add(1)


LACKING = {"not_compared": ["a", "b", "c"], "outputs": 38}


@pytest.mark.parametrize(
    ("answer", "cell"),
    [
        ({}, Status.OK),
        ({"not_compared": [], "outputs": 41}, Status.OK),
        (LACKING, "PASS (3 of 41 outputs not compared)"),
        ({"not_compared": ["a"]}, "PASS (1 output not compared)"),
        ({"binds_left_out": ["x"]}, "PASS (1 bind left out)"),
        (
            LACKING | {"binds_left_out": ["x", "y"]},
            "PASS (3 of 41 outputs not compared; 2 binds left out)",
        ),
    ],
)
def test_pass_says_what_it_does_not_cover(answer, cell):
    assert report.verdict_cell(Status.OK, answer) == cell
    assert report.with_gaps("PASS", answer) == report.cell_text(cell)
    assert report.with_gaps("PROVED", answer) == report.cell_text(cell).replace("PASS", "PROVED")


def test_pass_says_what_it_infers_and_does_not_cover():
    readings = [{"config": {"banks": 1}}, {"config": {"banks": 2}}]
    cell = report.verdict_cell(Status.OK, LACKING | {"readings": readings})
    assert cell == "PASS (inferred banks=2; 3 of 41 outputs not compared)"


def test_summary_of_recordings_counts_those_without_some_outputs():
    extras = ({"recording": "a"} | LACKING, {"recording": "b", "not_compared": [], "outputs": 1})
    results = [result(scope="-", extra=extra) for extra in extras]
    assert "PASS (1 without some outputs)" in recordings._summary(results).render()
    assert recordings._summary(results[1:]).render().endswith(" PASS")


def test_failure_does_not_say_what_it_does_not_cover():
    assert report.verdict_cell(Status.HANG, LACKING) == Status.HANG
    assert report.with_gaps("REFUTED", LACKING) == "REFUTED"


def result(verdict=Status.OK, **options):
    return report.Result("collector", verdict, {"num_lanes": 16}, 100, 6400, 64, **options)


def test_result_is_the_common_object():
    first = report.Mismatch(17, "io_readResp_valid", 1, 0, 1 << 600)
    stream = io.StringIO()
    verdict = Status.FUNCTIONAL_MISMATCH
    report.json_line(result(verdict, module="Top", first=first).json(), stream)
    assert stream.getvalue().count("\n") == 1
    assert json.loads(stream.getvalue()) == {
        "block": "collector",
        "module": "Top",
        "config": {"num_lanes": 16},
        "cycles": 100,
        "compared_bits": 6400,
        "masked_bits": 64,
        "verdict": "FUNCTIONAL_MISMATCH",
        "first": {
            "cycle": 17,
            "port": "io_readResp_valid",
            "expected": "0x1",
            "got": "0x0",
            "care": hex(1 << 600),
        },
    }


def test_result_scope_and_extra():
    value = result(scope="a.b", extra={"seed": 3}).json()
    assert (value["scope"], value["seed"], value["verdict"]) == ("a.b", 3, "PASS")
    assert "module" not in value
    assert "first" not in value
    with pytest.raises(ValueError, match="cycles"):
        result(extra={"cycles": 3}).json()


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([], Status.VACUOUS),
        ([Status.OK, Status.OK], Status.OK),
        ([Status.OK, Status.VACUOUS, Status.FUNCTIONAL_MISMATCH], Status.FUNCTIONAL_MISMATCH),
        ([Status.MODEL_ERROR, Status.OK], Status.MODEL_ERROR),
        ([Status.VACUOUS, Status.RTL_ASSERTION, Status.OK], Status.RTL_ASSERTION),
        ([Status.RTL_ASSERTION, Status.HANG], Status.HANG),
    ],
)
def test_exit_code_of_several_runs(verdicts, code):
    assert report.exit_code([result(v) for v in verdicts]) == code


def test_named_groups_what_differs_in_numbers_alone():
    names = ["a", "x_0", "x_1", "x_2", "y_0_0", "y_0_1", "y_1_0", "z_0", "z_1", "b"]
    assert report.named(names) == "a, x_0..x_2, y_0_0..y_1_0, z_0, z_1, b"


def run(verdict="PASS", never=(), **shares):
    return {"verdict": verdict, "shares": shares, "never_compared": list(never)}


def test_outputs_compared_in_part_are_listed_least_first():
    shares = {"a": 1, "b": 0.5, "c": 0.123456, "d": 0.509999, "e": 0.99}
    half = ["compared in 50 % of the cycles: b, d"]
    assert report.partly_compared(run(**shares)) == ["compared in 12 % of the cycles: c", *half]
    assert report.partly_compared(run(never=["c"], **shares)) == half
    assert report.partly_compared(run("HANG", **shares)) == []
    assert report.partly_compared({"verdict": "PASS"}) == []


def test_outputs_that_are_alike_stand_together():
    assert report.partly_compared(run(x_0=0.25, y=0.1, x_1=0.5, x_2=0.75)) == [
        "compared in 10 % of the cycles: y",
        "compared in 25 % to 75 % of the cycles: x_0..x_2",
    ]


def test_lines_about_outputs_are_few():
    lines = report.partly_compared(run(**{chr(97 + n): n / 100 for n in range(10)}))
    assert len(lines) == 7
    assert lines[-1] == "compared in less than 99 % of the cycles: 4 more outputs"


@pytest.mark.parametrize("port", [{}, {"port": "io_en"}])  # an input that is X
def test_result_has_the_rule_that_was_broken(port):
    first = {"cycle": 4, **port, "rule": "free only what is taken"}
    options = {"first": report.Mismatch.of(first), "rule": report.broken_rule(first)}
    assert result(Status.PROTOCOL_VIOLATION, **options).json()["first"] == first
    differs = {"cycle": 4, "port": "io_en", "expected": "0x1", "got": "0x0", "care": "0x1"}
    options = {"first": report.Mismatch.of(differs), "rule": report.broken_rule(differs)}
    assert result(Status.FUNCTIONAL_MISMATCH, **options).json()["first"] == differs
