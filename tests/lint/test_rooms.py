# SPDX-License-Identifier: Apache-2.0
"""No folder of the source uses one behind it: docs/architecture.md has the picture."""

import pytest
from wlk.base.setup import ROOT
from wlk.gen import rooms

MOST = {"python": 32, "c": 30}  # arrows


@pytest.mark.parametrize("part", rooms.ORDER)
def test_rooms_are_those_of_the_picture(part):
    used = {room for arrow in rooms.arrows(part) for room in arrow}
    assert used == set(rooms.ORDER[part])


@pytest.mark.parametrize("part", rooms.ORDER)
def test_room_uses_none_behind_it(part):
    assert rooms.wrong(part) == []


@pytest.mark.parametrize("part", rooms.ORDER)
def test_rooms_have_few_arrows(part):
    assert len(rooms.arrows(part)) <= MOST[part]


def test_rooms_commands_are_only_a_list():
    path = ROOT / rooms.PYTHON / "commands.py"
    assert path.read_text(encoding="utf-8").count("\n") < 100
