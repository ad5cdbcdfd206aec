# SPDX-License-Identifier: Apache-2.0
"""Coverage in the XML interchange form of UCIS 1.0, written by the package pyucis.

A configuration is an instance with one covergroup; a coverage point is a coverpoint with one bin,
its goal is at_least. A point without a goal has no weight. Runs are history nodes.
"""

from collections.abc import Sequence
from pathlib import Path

from ucis import (
    UCIS_DU_MODULE,
    UCIS_ENABLED_STMT,
    UCIS_HISTORYNODE_TEST,
    UCIS_INST_ONCE,
    UCIS_INSTANCE,
    UCIS_OTHER,
    UCIS_SCOPE_UNDER_DU,
    UCIS_TESTSTATUS_OK,
    UCIS_VLOG,
)
from ucis.mem.mem_factory import MemFactory
from ucis.source_info import SourceInfo
from ucis.test_data import TestData
from ucis.xml.xml_writer import XmlWriter

from ..base import installed, outputs, report
from . import cover_view
from .cover_store import Run
from .cover_view import Group

COVERGROUP = "coverage_points"
TOOL = "warplock"


def write(path: Path, groups: Sequence[Group]) -> None:
    """All of it in one file."""
    base = MemFactory.create()
    base.setWrittenBy(f"{TOOL} {installed.version()}")
    for group in groups:
        for run in group.counted:
            _test(base, group, run)
        _instance(base, group)
    with outputs.atomic_write(path) as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        XmlWriter().write(file, base)


def name(group: Group) -> str:
    """Of the instance: block and configuration."""
    return report.file_name(f"{group.space.block} {group.name}")


def _test(base: MemFactory, group: Group, run: Run) -> None:
    title = f"{name(group)} {cover_view.run_name(run)}"
    node = base.createHistoryNode(None, title, run.source, UCIS_HISTORYNODE_TEST)
    date = "".join(c for c in run.added if c.isdigit())[:14]
    about = {"date": date, "seed": str(run.seed), "simtime": run.cycles, "timeunit": "cycles"}
    node.setTestData(TestData(UCIS_TESTSTATUS_OK, "UCIS:simulator", **about, user=TOOL))
    node.setVendorId(TOOL)
    node.setVendorTool(TOOL)
    node.setVendorToolVersion(run.version)


def _instance(base: MemFactory, group: Group) -> None:
    where = SourceInfo(base.createFileHandle(f"{group.space.block}.toml", None), 0, 0)
    flags = UCIS_ENABLED_STMT | UCIS_INST_ONCE | UCIS_SCOPE_UNDER_DU
    unit = base.createScope(group.space.block, where, 1, UCIS_OTHER, UCIS_DU_MODULE, flags)
    place = (None, 1, UCIS_OTHER, UCIS_INSTANCE, unit, UCIS_INST_ONCE)
    own = base.createInstance(name(group), *place)
    points = own.createCovergroup(COVERGROUP, where, 1, UCIS_OTHER)
    for seen in group.seen:
        weight = 1 if seen.goal else 0
        point = points.createCoverpoint(seen.point.name, where, weight, UCIS_VLOG)
        least = max(1, seen.goal)
        point.setAtLeast(least)
        point.createBin(seen.point.name, where, least, seen.hits, seen.point.name)
