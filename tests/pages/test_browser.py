# SPDX-License-Identifier: Apache-2.0
"""The check of pages itself: a page without a fault, and one of each kind of fault."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.needs("browser")]

GOOD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --a: #0072b2; --b: #d55e00; }
@media (prefers-color-scheme: dark) { :root { --a: #56b4e9; --b: #ff9248; } }
body { margin: 1rem; } svg text { fill: currentColor; } .soft { background: #8881; }
.wide { overflow-x: auto; } table { width: 60rem; } .a { fill: var(--a); } .b { fill: var(--b); }
.key svg { width: 9px; height: 9px; }
</style></head>
<body><h1>A heading</h1><p>A text with <small style="opacity: .75">a quiet part</small>.</p>
<div class="wide"><table><tr><td>a wide table</td></tr></table></div>
<details><summary>more</summary><p class="soft">folded</p></details>
<div class="key"><span><svg><rect class="a" width="9" height="9"/></svg> reads</span>
<span><svg><rect class="b" width="9" height="9"/></svg> writes</span></div>
<svg viewBox="0 0 100 40" width="100"><text x="2" y="20" font-size="11">IPC</text></svg>
<script>console.log("not a fault");</script></body></html>"""


@pytest.fixture
def faults(look, tmp_path):
    """The faults of the good page in which `old` has become `new`."""

    def found(old="", new=""):
        assert old in GOOD
        path = tmp_path / "page.html"
        path.write_text(GOOD.replace(old, new) if old else GOOD)
        return look(path).faults

    return found


def test_good_page_has_no_fault(faults):
    assert faults() == []


PALE = '<p style="color: #8a8a8a">pale</p>'
MARK = "h1::before { content: '! '; color: #eee; }</style>"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("<!DOCTYPE", "{# SPDX #}\n<!DOCTYPE", "quirks mode"),
        ("<!DOCTYPE html>", "", "quirks mode"),
        ("<body>", "<body>SPDX", "the first line is no heading: SPDX"),
        ("<h1>A heading</h1>", "<h1></h1>", "the first line is no heading: A text"),
        ("<h1>A heading</h1>", "<b>A heading</b>", "the first line is no heading: A heading"),
        ('<div class="wide">', "<div>", "390 px: is 976 px wide"),
        ("A text", "a" * 99, "390 px: is "),
        ("</h1>", "</h1><div style='width: 1300px'>x</div>", "1280 px: is 1316 px wide"),
        ("<p class", "<p style='width: 500px' class", "390 px: is 516 px wide"),
        ('"not a fault"', "'', console.error('it broke')", "console: it broke"),
        ("console.log", "absent.call", "console: absent is not defined"),
        ("<script>", '<img alt="" src="absent.png"><script>', "absent.png"),
        ("<script>", '<script src="https://example.org/x.js"></script><script>', "asks for https:"),
        ("</h1>", f"</h1>{PALE}", "1280 px, light: contrast 3.5: pale"),
        ("opacity: .75", "opacity: .4", "390 px, light: contrast 2.8: a quiet part"),
        ('"soft"', '"soft" style="color: #777"', "light: contrast 4.2: folded"),
        ("light dark;", "light dark; color: #222;", "390 px, dark: contrast 1.2: IPC"),
        ("fill: currentColor", "fill: #999", "light: contrast 2.8: IPC"),
        ("<details>", '<input placeholder="search"><details>', "dark: contrast 2.4: search"),
        ("</style>", MARK, 'light: contrast 1.2: "! "'),
        ('<rect class="b"', '<rect class="a"', "reads and writes look alike (0)"),
        ("--b: #d55e00", "--b: #0080b0", "390 px, light: legend: reads and writes look alike"),
        ("--b: #ff9248", "--b: #60b4f0", "1280 px, dark: legend: reads and writes look alike"),
        ("--a: #56b4e9", "--a: #1a1a1a", "dark: legend: reads and the page look alike"),
        ('x="2"', 'x="90"', "a picture's text is cut: IPC"),
    ],
)  # fmt: skip
def test_fault_is_found(faults, old, new, fault):
    found = faults(old, new)
    assert any(fault in each for each in found), found


def test_text_is_that_of_folded_parts_too(look, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(GOOD)
    seen = look(path)
    assert "A text with a quiet part. a wide table more folded reads writes" in seen.text
    assert seen.legends == 1
