# SPDX-License-Identifier: Apache-2.0
"""Cost formulas, chances and the document's figures: those that muon-designs §10 prints."""

import itertools

import pytest
from programs import warplock
from wlk.explore import chances, cost, document, points
from wlk.explore.cost import Cost


def at(text):
    return Cost(points.parse(text, "test"))


@pytest.mark.parametrize(
    ("depth", "area"), [(8, 3446.816), (32, 4097.926), (64, 4966.073), (4, 3446.816)]
)
def test_cost_macros_lie_on_the_line(depth, area):
    assert cost.macro(depth) == pytest.approx(area, abs=0.001)


@pytest.mark.parametrize(
    ("point", "name", "value"),
    [
        ("src", "prf_bits", 131_072),
        ("muon_rtl", "prf_bits", 393_216),
        ("src", "prf_area", 39_728.6),
        ("minimal", "prf_area", 65_566.8),
        ("muon_rtl", "prf_area", 61_049.7),
        ("muon_rtl", "collector_bits", 3_072),
        ("src3", "collector_bits", 12_288),
        ("minimal", "collector_bits", 1_536),
        ("src", "collector_bits", 16_384),
        ("inst", "collector_bits", 49_152),
        ("src", "collector_area", 27_574.5),
        ("inst", "collector_area", 82_723.6),
        ("minimal", "collector_area", 12_000),
        ("caching", "collector_area", 20_680.9),
        ("src", "crossbar", 8_192),
        ("src reg_banks=8", "crossbar", 16_384),
        ("muon_rtl", "crossbar", 0),
        ("muon_rtl reg_banks=4", "crossbar", 6_144),
        ("src", "fu_crossbar", 6_144),
        ("src3", "fu_crossbar", 0),
        ("inst", "fu_crossbar", 0),
        ("caching", "tags", 321),
        ("src", "tags", 0),
        ("muon_rtl max_pending_reads=3", "scoreboard", 768),
        ("muon_rtl", "scoreboard", 1_024),
        ("src+option2_2", "scoreboard", 2_048),
        ("src", "row_metadata", 31),
        ("src", "row_data", 1_594),
        ("src", "row_added", 8),
        ("src+option2_2", "row_added", 11),
        ("caching", "row_added", 13),
        ("src", "age", 28),
        ("muon_rtl", "age", 0),
        ("src", "forward_cam", 24),
        ("muon_rtl+option2_2", "wb_buffer", 13_425),
        ("src", "storage", 67_303.1),
        ("inst", "storage", 122_452.2),
        ("src ibuf_window=4", "window_comparators", 42),
    ],
)
def test_cost_is_that_of_the_spec(point, name, value):
    assert getattr(at(point), name) == pytest.approx(value, abs=0.06)


@pytest.mark.parametrize(("point", "percent"), [("src", 69), ("inst", 208), ("minimal", 18)])
def test_cost_overhead_is_that_of_the_spec(point, percent):
    assert round(100 * at(point).overhead) == percent


def test_cost_area_is_storage_and_flops():
    """Operands are in the collector only: no row has 3·W bits of them."""
    found = at("src")
    rows = 8 * (31 + 8 + 3 + 32 + 7 + 16)
    assert found.flops == 1_024 + rows + 28
    assert found.area == pytest.approx(found.storage + 7.8125 * found.flops)


@pytest.mark.parametrize(
    ("banks", "percents"),
    [(4, (37.50, 90.82, 98.83, 99.85)), (8, (65.63, 99.33, 99.99, 100.0))],
)
def test_chances_of_three_banks_are_those_of_the_spec(banks, percents):
    found = [100 * chances.three_distinct(banks, entries) for entries in (1, 2, 3, 4)]
    assert found == pytest.approx(percents, abs=0.006)


@pytest.mark.parametrize(("banks", "entries"), [(4, 1), (4, 2), (8, 1)])
def test_chances_are_those_of_counting(banks, entries):
    draws = [len(set(d)) for d in itertools.product(range(banks), repeat=3 * entries)]
    counted = sum(n >= 3 for n in draws) / len(draws)
    assert chances.three_distinct(banks, entries) == pytest.approx(counted)
    assert chances.distinct(banks, 3 * entries) == pytest.approx(sum(draws) / len(draws))


def test_chances_of_minimal_are_those_of_the_spec():
    found = [round(chances.minimal_ipc(banks), 3) for banks in (1, 2, 4, 8, 16)]
    assert found == [0.250, 0.308, 0.372, 0.424, 0.458]
    for banks in (2, 4, 8):
        most = [max(map(d.count, d)) for d in itertools.product(range(banks), repeat=3)]
        assert chances.minimal_cycles(banks) == pytest.approx(sum(most) / len(most))


def test_document_is_wrong_in_three_figures_only():
    wrong = [each.says for each in document.figures() if not each.agrees]
    assert wrong == ["310k", "350k", "780 %"]


@pytest.mark.parametrize(
    "number", ["82,724", "122,452", "208.2 %", "20,681", "77,567", "67,303", "95.24 %", "173 bits"]
)
def test_document_findings_have_the_corrected_number(number):
    assert any(number in each.corrected for each in document.findings())


def test_document_findings_cover_what_the_spec_marks():
    """Tags of muon-designs: [doc error], [doc unclear], [doc≠rtl]."""
    kinds = [each.kind for each in document.findings()]
    assert (kinds.count("error"), kinds.count("unclear"), kinds.count("rtl")) == (12, 4, 2)


def test_explore_prints_the_costs():
    done = warplock("explore", "--cost", "--point", "src,inst")
    for part in ("27,574.5", "82,723.6", "310k", "[doc error]", "122,452", "NO", "0.424"):
        assert part in done.out, part


def test_explore_prints_the_costs_as_json():
    found = warplock("explore", "--cost", "--point", "src", "--json").objects
    assert found[0]["cost"]["scoreboard"] == 1024
    assert sum("finding" in each for each in found) == len(document.findings())
