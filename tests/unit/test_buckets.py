# SPDX-License-Identifier: Apache-2.0
"""Failures that are alike are shown once."""

import dataclasses

import pytest
from wlk.base import buckets
from wlk.base.entries import Entry


def entry(name, port="io_ready", cycle=10, verdict="FUNCTIONAL_MISMATCH", **more):
    first = {"cycle": cycle, "port": port, "expected": "0x1", "got": "0x0", "care": "0x1"}
    answer = {"block": "collector", "verdict": verdict, "first": first} | more
    return Entry(answer, name)


@pytest.mark.parametrize(
    ("port", "wanted"),
    [
        ("io_resp_bits_3_data", "io_resp_bits_#_data"),
        ("io_resp_bits_12", "io_resp_bits_#"),
        ("ports[2].data[15]", "ports[#].data[#]"),
        ("rs1_valid", "rs1_valid"),
        ("io_x2_y", "io_x2_y"),
    ],
)
def test_index_of_an_array_does_not_tell_ports_apart(port, wanted):
    assert buckets.without_index(port) == wanted


def test_bucket_counts_and_shows_the_smallest():
    runs = [entry("a", "io_q_0_x", 90), entry("b", "io_q_7_x", 30), entry("c", "io_q_1_x", 60)]
    (bucket,) = buckets.of(runs)
    assert (len(bucket.members), bucket.place) == (3, "io_q_#_x")
    assert (bucket.smallest.name, bucket.smallest.cycle, bucket.smallest.entry) == ("b", 30, 1)


def test_smallest_is_the_one_with_the_shortest_stimulus():
    runs = [entry("a", cycle=5), entry("b", cycle=90, shrunk={"cycles": 4})]
    (bucket,) = buckets.of([*runs, entry("c", cycle=80, shrunk={"cycles": 7})])
    assert bucket.smallest.name == "b"
    assert bucket.smallest.where == "b, cycle 90, 4 cycles are enough"


def test_port_verdict_rule_and_block_tell_failures_apart():
    runs = [
        entry("a"),
        entry("b", "io_valid"),
        entry("c", verdict="TIMING_DIVERGENCE"),
        entry("d", at_fault={"block": "hazard"}),
        entry("e", verdict="PROTOCOL_VIOLATION", first={"cycle": 3, "rule": "no read of x0"}),
        entry("f", verdict="PROTOCOL_VIOLATION", first={"cycle": 3, "rule": "no write of x0"}),
        entry("g"),
    ]
    found = buckets.of(runs)
    assert [[each.name for each in bucket.members] for bucket in found] == [
        *(["a", "g"], ["b"], ["c"], ["d"], ["e"], ["f"])
    ]
    assert [bucket.place for bucket in found][-1] == "no write of x0"


def test_failures_without_a_port_are_grouped_by_what_they_say():
    fired = {"file": "a.sv", "line": 3, "kind": "assertion", "message": "m", "cycle": 8}
    answers = [
        {"verdict": "RTL_ASSERTION", "assertion": fired},
        {"verdict": "HANG", "stuck": "warp 3 waits"},
        {"verdict": "HANG", "stuck": "warp 5 waits"},
        {"verdict": "BUILD_FAIL"},
        {"verdict": "PASS"},
    ]
    found = buckets.of([Entry({"block": "issue"} | each, "x", notes=["n"]) for each in answers])
    assert [(bucket.place, len(bucket.members)) for bucket in found] == [
        ("warp # waits", 2),
        ("assertion in a.sv:3", 1),
        ("n", 1),
    ]


def test_seeds_of_a_run_count_each():
    seeds = [
        {"seed": n, "verdict": "FUNCTIONAL_MISMATCH", "cycle": 100 - n, "port": f"io_{n}_x"}
        for n in range(1, 4)
    ]
    seeds.append({"seed": 9, "verdict": "HANG", "block": "scoreboard"})
    again = "warplock lockstep --seeds 1..1 --waves"
    found = buckets.of([dataclasses.replace(entry("a", failures=seeds), repeat=again)])
    assert [(bucket.place, len(bucket.members)) for bucket in found] == [("io_#_x", 3), ("-", 1)]
    assert found[0].smallest.where == "a, seed 3, cycle 97"
    text = buckets.text(found)
    assert "io_#_x" in text
    assert "1: warplock lockstep --seeds 3..3 --waves" in text
    assert [bucket.smallest.block for bucket in found] == ["collector", "scoreboard"]
