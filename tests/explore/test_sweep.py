# SPDX-License-Identifier: Apache-2.0
"""A sweep with the runner itself: what the command makes of its answers."""

import json
import sqlite3

from programs import warplock


def test_sweep_has_a_row_for_each_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    points = "src,src+option2,caching+option1,minimal"
    words = ("--point", points, "--workload", "dot,mixed", "--seeds", "1", "--instructions", "400")
    done = warplock("explore", *words, "--db", "a.sqlite", "--html", "page.html", "--json")
    base = sqlite3.connect("a.sqlite")
    found = {(row[0], row[1]): row[2:] for row in base.execute(
        "SELECT point, workload, status, message, ipc, prfReads, hang FROM run")}  # fmt: skip
    base.close()
    assert len(found) == 8
    for load in ("dot", "mixed"):
        assert found["src", load][0] == found["minimal", load][0] == "DONE"
        assert found["src", load][2] > found["minimal", load][2] > 0.2
        assert found["src", load][3] > 0
        status, message, *_, hang = found["src+option2", load]
        assert status == "HANG"
        assert json.loads(hang)["cycle"] > 0
        assert json.loads(hang)["state"]
        status, message, *_ = found["caching+option1", load]
        assert status == "REFUSED"
        assert "muon-designs §1" in message
    last = done.objects[-1]
    assert {each["workload"] for each in last["answers"]} == {"dot", "mixed"}
    assert list(last["unsafe"]) == ["src+option2"]
