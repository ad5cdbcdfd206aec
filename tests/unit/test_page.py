# SPDX-License-Identifier: Apache-2.0
"""The page of a command's runs: it needs nothing else, shows all, and nothing in it runs."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from wlk.base import page
from wlk.base.entries import Entry, Whole

EVIL = "</pre><script>alert('1')</script><img src=x onerror=\"alert(2)\">&amp;\x00\udc80"
FIRST = {"cycle": 7, "port": "io_x", "expected": "0x1", "got": "0x0", "care": "0x1"}
VERDICTS = ("FUNCTIONAL_MISMATCH", "HANG", "BUILD_FAIL", "PASS")


class Read(HTMLParser):
    """What is on a page: start tags, and the texts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.names = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)

    def of(self, tag, key=None):
        """The attributes of each of these tags, or one of them."""
        found = [attrs for name, attrs in self.tags if name == tag]
        return [attrs[key] for attrs in found if key in attrs] if key else found


def entry(number, verdict="PASS", **more):
    answer = {"block": "collector", "verdict": verdict, "config": {"num_lanes": 2}, "cycles": 100}
    answer |= {"first": FIRST | {"port": f"io_q_{number % 8}_x"}} if verdict != "PASS" else {}
    return Entry(answer | more.pop("answer", {}), f"seed {number}", **more)


def rendered(*entries, **more):
    keys = {"name": "lockstep", "command": "warplock lockstep --all", "seconds": 12.5, "code": 1}
    keys |= {"began": "2026-11-22T07:45:00Z", "entries": entries}
    return page.render(Whole(**keys | more))


def runs(read):
    """Verdict of each run that is listed."""
    return [attrs["data-verdict"] for attrs in read.of("details") if "data-verdict" in attrs]


def test_page_says_what_was_run_and_what_came_out():
    text = rendered(entry(1, "HANG", text="the report", repeat="warplock lockstep --seeds 7..7"))
    shown = " ".join(Read(text).texts)
    for part in (
        *("warplock lockstep --all", "2026-11-22 07:45 UTC", "12.5 s", "warplock 0."),
        *("HANG", "collector", "num_lanes=2", "the report", "warplock lockstep --seeds 7..7"),
        "cycle 7: io_q_1_x is 0x0, expected 0x1",
    ):
        assert part in shown, part


def test_page_needs_nothing_else_and_fits_a_phone(tmp_path):
    picture = tmp_path / "p.svg"
    picture.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    text = rendered(entry(1, "HANG", answer={"picture": str(picture)}), entry(2))
    assert not re.search(r"https?:|//\w|@import|url\(", text)
    read = Read(text)
    assert read.of("link") == []
    assert [src[:26] for _, attrs in read.tags if (src := attrs.get("src"))] == [
        "data:image/svg+xml;base64,"
    ]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in read.of("meta")
    assert "color-scheme: light dark" in text
    assert "prefers-color-scheme: dark" in text
    assert "@media (max-width: 40rem)" in text


def test_page_has_filters():
    read = Read(rendered(entry(1, "HANG"), entry(2), entry(3)))
    assert [each["name"] for each in read.of("input") if each["type"] == "search"] == ["text"]
    boxes = [each for each in read.of("input") if each["type"] == "checkbox"]
    assert [box["value"] for box in boxes] == ["HANG", "PASS"]
    assert all("checked" in box for box in boxes)


def test_page_escapes_all_that_it_shows(tmp_path):
    evil = Entry(
        {
            "block": EVIL,
            "verdict": EVIL,
            "config": {EVIL: EVIL},
            "module": EVIL,
            "first": FIRST | {"port": EVIL},
            "coverage": {EVIL: {"hits": 1, "floor": 2}},
            "rtl_lines": [dict.fromkeys(("file", "line", "text", "source", "why"), EVIL)],
            "failures": [{"seed": 1, "verdict": EVIL, "port": EVIL, "rule": EVIL}] * 2,
            "not_compared": [EVIL],
        },
        EVIL,
        text=EVIL,
        repeat=EVIL,
        notes=[EVIL],
    )
    text = rendered(evil, entry(1, "HANG"), command=EVIL, message=EVIL, name=EVIL)
    text.encode()
    plain = Read(rendered(entry(1, "HANG"), entry(2, "HANG")))
    read = Read(text)
    assert len(read.of("script")) == len(plain.of("script")) == 1
    assert read.of("img") == []
    assert [attrs for _, attrs in read.tags if any(key.startswith("on") for key in attrs)] == []
    assert text.count("alert(") == text.count("&#39;1&#39;") + text.count("&#34;alert(2)&#34;")
    assert "\x00" not in text


def test_page_shows_bars_with_their_floors():
    coverage = {
        "met": {"hits": 100, "floor": 10},
        "low": {"hits": 3, "floor": 10},
        "free": {"hits": 7, "floor": 0},
    }
    text = rendered(
        entry(1, answer={"coverage": coverage}), entry(2, answer={"coverage": {"a": 5}})
    )
    read = Read(text)
    assert [each for each in read.of("span", "class") if each.startswith("bar")] == [
        *("bar ", "bar bad", "bar free", "bar free")
    ]
    assert len(read.of("u")) == 2
    assert "1 of 2 floors met" in text
    widths = [float(each[6:-1]) for each in read.of("i", "style")]
    assert widths[0] == 100 > widths[2] > widths[1] > 0


def test_page_shows_lines_of_the_rtl():
    lines = [
        {"file": "a.sv", "line": 12, "text": "assign x = y;", "source": "y", "why": "drives x"}
    ]
    shown = " ".join(Read(rendered(entry(1, "HANG", answer={"rtl_lines": lines}))).texts)
    for part in ("a.sv:12", "assign x = y;", "drives x"):
        assert part in shown, part


def test_picture_that_is_not_there_is_left_out(tmp_path):
    read = Read(rendered(entry(1, "HANG", answer={"picture": str(tmp_path / "none.svg")})))
    assert read.of("img") == []


def test_first_failure_is_open_and_failures_come_first():
    read = Read(rendered(entry(1), entry(2, "HANG"), entry(3), entry(4, "HANG")))
    assert runs(read) == ["HANG", "HANG", "PASS", "PASS"]
    assert [attrs["id"] for attrs in read.of("details") if "open" in attrs] == ["run-1"]


def test_failures_that_are_alike_are_one_row_that_leads_to_the_smallest():
    early = entry(11, "HANG", answer={"first": FIRST | {"cycle": 2, "port": "io_q_3_x"}})
    read = Read(rendered(entry(1, "HANG"), early, entry(3, "HANG")))
    assert read.of("a", "href") == ["#run-1"]
    assert "io_q_#_x" in read.texts
    assert "seed 11, cycle 2" in read.texts


def test_seeds_of_one_run_are_shown_as_alike_too():
    seeds = [
        {"seed": n, "verdict": "HANG", "cycle": 90 - n, "block": "collector", "port": "io_x"}
        for n in (3, 5)
    ]
    again = "warplock lockstep --seeds 3..3"
    text = rendered(entry(1, "HANG", answer={"failures": seeds}, repeat=again))
    assert "seed 5, cycle 85" in text
    assert "warplock lockstep --seeds 5..5" in text
    assert "2 seeds fail" in text
    assert "Failures that are alike" in Read(text).texts
    assert "Failures that are alike" not in Read(rendered(entry(1, "HANG"))).texts


@pytest.mark.parametrize("code", [None, 130])
def test_page_of_a_run_that_has_not_ended_says_so(code):
    text = rendered(code=code, message="interrupted" if code else "")
    assert ("interrupted" if code else "there are no results") in text
    assert "PASS" not in text


def test_ten_thousand_failures_make_a_page_that_opens():
    report = "x" * 20_000
    config = {f"parameter_{n}": n for n in range(30)}
    coverage = {f"point_{n}": {"hits": n, "floor": 2} for n in range(30)}
    more = {"answer": {"config": config, "coverage": coverage}, "text": report, "repeat": "y" * 200}
    verdicts = [VERDICTS[n % 7 % 4] for n in range(10_000)]
    entries = [entry(n, verdict, **more) for n, verdict in enumerate(verdicts)]
    text = rendered(*entries)
    assert len(text.encode()) < 10_000_000
    read = Read(text)
    assert Counter(runs(read)) == Counter(verdicts)
    shown = [a for a in read.of("details") if "data-verdict" in a and "hidden" not in a]
    assert len(shown) == page.PAGE_ROWS
    words = " ".join(text.strip() for text in read.texts)
    for verdict, count in Counter(verdicts).items():
        assert f"{verdict}  {count:,}" in words or f"{verdict} {count:,}" in words
    assert "runs are listed without their details" in words
    assert {f"run-{n}" for n in range(10_000)} == set(read.of("details", "id"))
    assert 100 < text.count(report) < 400


def test_more_runs_than_a_page_takes_are_counted():
    text = rendered(*(entry(n) for n in range(page.MOST_ROWS + 5)))
    assert "5 more runs are counted above and not listed" in text
    assert f"{page.MOST_ROWS + 5:,}" in text


def test_page_says_what_a_pass_does_not_cover():
    text = rendered(entry(1, answer={"not_compared": ["io_x"], "outputs": 4}))
    assert ">PASS (1 of 5 outputs not compared)</b>" in text
