# SPDX-License-Identifier: Apache-2.0
"""The runner of directed cases: what it refuses, and that a row that does not hold fails."""

import cases
import programs
import pytest

HEAD = "block scoreboard\nstart reset\n"


def play(folder, capsys, text):
    file = folder / "cases.txt"
    file.write_text(HEAD + text)
    player = str(programs.folder() / "tests/unit/play_cases")
    code = cases.main(player, str(file))
    return code, capsys.readouterr().out.replace(str(file), "cases.txt")


@pytest.mark.parametrize(
    "text, message",
    {
        "unknown_port": ("case a\n x.y=1\n", "cases.txt:4: no port 'x.y' in this configuration"),
        "port_of_a_larger_array": ("case a num_warps=1\n hazard.warps[1].readRd.enable", "no port"),
        "value_too_wide": ("case a\n reset=2\n", "cases.txt:4: 2 is too wide for reset"),
        "value_unreadable": ("case a\n reset=1+\n", "cases.txt:4: no value: 1+"),
        "output_driven": ("case a\n updateWB.success\n", "updateWB.success is an output"),
        "input_expected": ("case a\n | reset\n", "reset is an input"),
        "list_too_long": ("case a\n updateColl.reads[*].pReg=1,2,3,4", "there are 3"),
        "unknown_rule": ("case a\n | violates=x\n", "no rule 'x'"),
        "unknown_variable": ("case a\n reset=$v\n", "unknown variable in 'reset=$v'"),
        "unknown_block": ("block x\n", "cases.txt:3: no block 'x'"),
        "parameter": ("case a num_warps=99\n | drained=1\n", "num_warps"),
        "nothing_expected": ("case a\n reset\n", "cases.txt:3: case 'a' expects nothing"),
        "row_too_short": (
            "case a\n with x y = 1 2; 3\n | drained=1\n",
            "cases.txt:4: 'with' has 2",
        ),
        "case_twice": (
            "case a\n | drained=1\ncase a\n | drained=1\n",
            "cases.txt:5: case 'a' twice",
        ),
        "macro_arguments": ("macro m(a) reset=$a\ncase a\n m(1,2)\n", "arguments or place of 'm'"),
        "macro_of_itself": ("macro m m\ncase a\n m\n", "macros call each other"),
        "outside": ("reset\n", "cases.txt:3: 'reset' outside a case"),
        "walk_of_less": ("case a\n walk v b 9 = updateWB.write\n", "walk of 10 bits"),
        "parenthesis": ("case a\n reset=(1\n", "parentheses"),
    }.values(),
)
def test_cases_refuse_a_bad_row(tmp_path, capsys, text, message):
    code, shown = play(tmp_path, capsys, text)
    assert code == 2
    assert message in shown


@pytest.mark.parametrize(
    "text, message",
    {
        "value": ("| !updateWB.success", "io_updateWB_success is 1 (0x1), not 0"),
        "unknown": ("| updateWB.success=?", "io_updateWB_success has care 0x1, not 0"),
        "drained": ("| drained=0", "drained is not 0"),
        "state": ("| state.pendingReads[3]=1", "state.pendingReads[3] is not 1"),
        "macro": ("m", "cases.txt:4 (from line 7): a: io_updateWB_success is 1 (0x1), not 0"),
    }.values(),
)
def test_cases_fail_where_a_row_does_not_hold(tmp_path, capsys, text, message):
    code, shown = play(
        tmp_path, capsys, f"macro m\n| !updateWB.success\nend\ncase a\n {text}\n| drained=1\n"
    )
    assert code == 1
    assert message in shown
    assert shown.endswith("1 cases, 1 failed checks\n")


@pytest.mark.parametrize(
    "line", ["refuse num_warps=8", "accept num_warps=99", "refuse num_warps=99 : x"]
)
def test_cases_fail_where_check_does_not_answer_so(tmp_path, capsys, line):
    code, shown = play(tmp_path, capsys, f"case a\n {line}\n | drained=1\n")
    assert code == 1
    assert "cases.txt:4: a: not so" in shown
