# SPDX-License-Identifier: Apache-2.0
"""The naive blocks by name."""

from __future__ import annotations

from typing import Any

import naive_collector
import naive_hazard
import naive_issue
import naive_reservation_station
import naive_scoreboard
from naive_collector import Port

_BLOCKS = {
    "collector": (naive_collector, naive_collector.NaiveCollector),
    "scoreboard": (naive_scoreboard, naive_scoreboard.NaiveScoreboard),
    "hazard": (naive_hazard, naive_hazard.NaiveHazard),
    "reservation_station": (
        naive_reservation_station,
        naive_reservation_station.NaiveReservationStation,
    ),
    "issue": (naive_issue, naive_issue.NaiveIssue),
}


def complete(block: str, params: dict) -> dict:
    """The block's parameters with §0's defaults filled in; ValueError when one is not legal."""
    return _BLOCKS[block][0].complete(params)


def ports(block: str, params: dict) -> list[Port]:
    """Every port of the block but the clock, in module order."""
    return _BLOCKS[block][0].ports(params)


def model(block: str, params: dict) -> Any:
    """The naive block at power-up."""
    return _BLOCKS[block][1](params)
