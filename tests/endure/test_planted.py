# SPDX-License-Identifier: Apache-2.0
"""The short form of planted.py: its list holds, and one check that is left out is found."""

import planted
import programs
import pytest
from wlk.base.errors import Status

pytestmark = [pytest.mark.needs("clang", "fuzz", "python"), pytest.mark.slow]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr(planted, "PLACE", tmp_path)
    return planted.copy()


def test_each_check_is_there_once(tmp_path):
    found = planted.planted()
    assert {each["reader"] for each in found} == {*planted.fuzz.READERS}
    path = tmp_path / "planted.toml"
    text = planted.LIST.read_text(encoding="utf-8")
    path.write_text(text.replace('was = "', 'was = "no ', 1), encoding="utf-8")
    with programs.error(Status.NO_FILE, path, "is there 0 times, not once"):
        planted.planted(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[planted", "write [[planted]] tables"),
        ("", "'planted'; write [[planted]] tables"),
        ("[[planted]]\nreader = 'csv'", "entry 1: wants file, now, reader, was, what"),
    ],
)
def test_a_list_that_is_none_is_named(tmp_path, text, says):
    (tmp_path / "planted.toml").write_text(text)
    with programs.error(Status.NO_FILE, tmp_path, says):
        planted.planted(tmp_path / "planted.toml")


def test_what_the_checkout_has_no_more_leaves_the_copy(tree):
    old = tree / "scripts" / "wlk" / "old.py"
    old.write_text("")
    planted.copy()
    assert not old.exists()


def test_a_check_that_is_left_out_is_found(tree):
    (one,) = (each for each in planted.planted() if each["reader"] == "sweeps")
    assert planted.run(tree, one, 20)["found"]
    assert not planted.run(tree, one | {"now": one["was"]}, 1)["found"]
    assert (tree / one["file"]).read_bytes() == (planted.setup.ROOT / one["file"]).read_bytes()


def test_what_does_not_run_is_no_finding(tree):
    (one,) = (each for each in planted.planted() if each["reader"] == "sweeps")
    with programs.error(Status.BUILD_FAIL, one["file"], "mend `now`"):
        planted.run(tree, one | {"reader": "nobody"}, 1)
