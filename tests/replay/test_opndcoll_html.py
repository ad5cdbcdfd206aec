# SPDX-License-Identifier: Apache-2.0
"""`warplock opndcoll --html`: counts in windows, the sentences, and a page that needs nothing."""

import json
import lzma
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import programs
import pytest
from wlk.base.errors import Status
from wlk.run import opndcoll_limits, opndcoll_plots

TOOL = "dpi/wlk-opndcoll"


def config(name: str) -> Path:
    return programs.recording(f"gpgpusim/{name}.cfg")


def counted(commands: str, options: object = None) -> dict:
    words = ["--config", options or config("qv100"), "--summary", "--windows", "-"]
    done = programs.run(TOOL, *words, stdin=commands)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def recorded(name: str) -> str:
    return lzma.decompress(programs.recording(f"gpgpusim/{name}.stim.xz").read_bytes()).decode()


@pytest.mark.parametrize("name", ["v40-qv100-conflict", "v40-titanv-writes", "v40-kepler-core"])
def test_windows_add_up(name):
    counts = counted(recorded(name), config(name.split("-")[1]))
    windows = counts["windows"]
    assert (windows["width"], len(windows["cycles"])) == (4, 200)  # 800 steps, 256 windows at most
    assert sum(windows["cycles"]) == counts["cycles"]
    for count in ("reads", "writes"):
        assert sum(windows[count]) == counts["totals"][count]
    for each in ("kinds", "banks"):
        for whole, parts in zip(counts[each], windows[each], strict=True):
            sums = {k: sum(v) if isinstance(v, list) else v for k, v in parts.items()}
            assert sums == whole


@pytest.mark.parametrize(
    ("steps", "width", "lengths"),
    [
        (1, 1, [1]),
        (255, 1, [1] * 255),
        (256, 2, [2] * 128),
        (257, 2, [2] * 128 + [1]),
        (1_000_001, 4096, [4096] * 244 + [577]),
    ],
)
def test_windows_double_when_they_are_full(steps, width, lengths):
    windows = counted(f"C\nX {steps}\n")["windows"]
    assert windows["width"] == width
    time = opndcoll_plots.Time(width, windows["last"], len(windows["cycles"]))
    assert time.lengths() == lengths
    assert time.steps == steps
    coarse = time.coarse(64)
    assert coarse.steps == steps
    assert sum(coarse.lengths()) == steps
    assert coarse.windows <= 64


def test_windows_have_what_happens_at_a_time():
    quiet, busy = "C\nX 2\n", "I SP 0 0 0,4,8 -\nC\nX 2\nE SP\n"
    counts = counted(quiet * 60 + busy * 4 + quiet * 60)
    conflicts = counts["windows"]["banks"][0]["conflicts"]
    assert sum(conflicts) == sum(conflicts[118:140]) > 4
    assert counts["windows"]["width"] == 1


# Sentences.


def causes(commands: str, *options: str, folder: Path) -> str:
    path = folder / "a.cfg"
    text = config("qv100").read_text("ascii")
    path.write_text(text + "\n".join(options) + "\n", "ascii")
    return opndcoll_limits.sentences(counted(commands, path))[0]


CYCLE = "C\nE SP\nE SP\nE INT\nX 2\n"


def test_limit_is_named(tmp_path):
    def limit(commands, *options):
        return causes(commands, *options, folder=tmp_path)

    assert limit("C\nX 2\n") == "No instruction went through the collector."
    free = "".join(f"{CYCLE}I SP {n % 4} {n % 4} 1 -\n" for n in range(40))
    assert limit(free).startswith("Nothing limits this kernel here")
    conflicts = "".join(f"{CYCLE}I SP {n % 4} {n % 4} 0,4,8,12 -\n" for n in range(40))
    assert limit(conflicts).startswith("Bank conflicts cost most: reads of one bank wait")
    full = "".join(f"C\nX 2\nI SP {n % 4} {n % 4} 1 -\n" for n in range(40))
    assert limit(full).startswith("Full OC_EX cost most: the pipes behind it take too few")
    units = "-gpgpu_operand_collector_num_units_gen 1"
    pairs = "".join(f"{CYCLE}I SP 0 {n} 1 -\nI SP 1 {n} 1 -\n" for n in range(40))
    assert limit(pairs, units).startswith("No idle unit cost most: all collector units are busy")
    few = "-gpgpu_operand_collector_num_out_ports_gen 1"
    burst = "".join(f"{CYCLE}" + "".join(f"I SP {s} {s} 1 -\n" for s in range(4)) for _ in range(9))
    assert "ispatch units cost most" in limit(burst, few)


def test_limit_names_what_holds_the_units(tmp_path):
    units = "-gpgpu_operand_collector_num_units_gen 2"
    text = "".join(CYCLE + "".join(f"I SP {s} {s} 0,4 -\n" for s in range(4)) for _ in range(40))
    limit = causes(text, units, folder=tmp_path)
    assert "Units are held by bank conflicts" in limit or limit.startswith("Bank conflicts")


# The page.


class Tags(HTMLParser):
    """The open elements; what has no end tag is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.places: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.places += [value for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["v40-qv100-conflict", "v32-gtx480-core", "v42-qv100-core"])
def test_page_needs_nothing_else(name, tmp_path):
    revision, options, _ = name.split("-")
    page = tmp_path / "page.html"
    stimulus = programs.recording(f"gpgpusim/{name}.stim.xz")
    words = (stimulus, "--revision", revision, "--config", config(options), "--html", page)
    said = programs.warplock("opndcoll", *words).out
    text = page.read_text("utf-8")
    tags = Tags()
    tags.feed(text)
    assert (tags.open, tags.places) == ([], [])
    assert "://" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert said.splitlines()[0].replace("'", "&#x27;") in text
    assert f"<h3>{options}.cfg</h3>" in text
    assert "-gpgpu_num_reg_banks 16" in text
    assert text.count('role="img"') >= 4
    assert len(text) < 400_000


def test_page_with_other_configurations(tmp_path):
    page = tmp_path / "page.html"
    stimulus = programs.recording("gpgpusim/v40-qv100-conflict.stim.xz")
    words = (stimulus, "--config", config("qv100"), "--compare", config("titanv"), "--html", page)
    answer = programs.warplock("opndcoll", *words, "--json").json
    saved = answer["configurations"][1]["saved_steps"]
    assert f'<td class="n bad">{saved:+,}</td>' in page.read_text("utf-8")


def test_page_of_next_to_nothing(tmp_path):
    stimulus, page = tmp_path / "a.stim", tmp_path / "page.html"
    for commands in ("C\n", "C\nX\n", "C\nI SP 0 0 - -\nX\n"):
        stimulus.write_text(commands)
        programs.warplock("opndcoll", stimulus, "--html", page)
        tags = Tags()
        tags.feed(page.read_text("utf-8"))
        assert tags.open == []


def test_page_shows_the_collectors_options_of_a_whole_file(tmp_path):
    stimulus, page, options = (tmp_path / name for name in ("a.stim", "p.html", "gpgpusim.config"))
    stimulus.write_text("C\nX\n")
    options.write_text("-gpgpu_n_clusters 80 # SMs\n-gpgpu_num_reg_banks 32 # <b>\n")
    programs.warplock("opndcoll", stimulus, "--config", options, "--allow-unknown", "--html", page)
    text = page.read_text("utf-8")
    assert "\n-gpgpu_num_reg_banks 32\n" in text
    assert "n_clusters" not in text


def test_page_refuses(tmp_path):
    stimulus = tmp_path / "a.stim"
    stimulus.write_text("C\nX\n")
    absent = tmp_path / "absent" / "page.html"
    done = programs.warplock("opndcoll", stimulus, "--html", absent, code=None)
    assert done.code != 0
    assert "absent" in done.line
    for words in (["--html", tmp_path / "p.html", "--state"], ["--junit", tmp_path / "p.xml"]):
        done = programs.warplock("opndcoll", stimulus, *words, code=Status.USAGE)
        assert words[0] in done.line


def test_page_of_before_is_not_left_to_look_current(tmp_path):
    stimulus, page = tmp_path / "a.stim", tmp_path / "page.html"
    stimulus.write_text("C\nX\n")
    programs.warplock("opndcoll", stimulus, "--html", page)
    stimulus.write_text("no command\n")
    done = programs.warplock("opndcoll", stimulus, "--html", page, code=None)
    assert done.code != 0
    assert '<span class="badge bad">' in page.read_text("utf-8")


@pytest.mark.parametrize("differs", [False, True])
def test_reports_of_a_comparison(tmp_path, differs):
    stimulus = programs.recording("gpgpusim/v40-qv100-conflict.stim.xz")
    events, page, junit = (tmp_path / name for name in ("a.events", "page.html", "junit.xml"))
    recorded = programs.recording("gpgpusim/v40-qv100-conflict.events.xz")
    lines = lzma.decompress(recorded.read_bytes()).splitlines(keepends=True)
    number = len(lines) // 2
    lines[number] = b"another line\n" if differs else lines[number]
    events.write_bytes(b"".join(lines))
    words = ("--config", config("qv100"), "--diff", events, "--html", page, "--junit", junit)
    done = programs.warplock("opndcoll", stimulus, *words, code=int(differs))
    verdict = "FUNCTIONAL_MISMATCH" if differs else "PASS"
    assert f'badge {"bad" if differs else "good"}">{verdict}<' in page.read_text("utf-8")
    failures = [*ElementTree.parse(junit).getroot().iter("failure")]
    assert len(failures) == int(differs)
    if differs:
        assert f"{events}:{number + 1}: the first line that differs" in failures[0].get("message")
        assert done.out.splitlines()[1] in failures[0].text
