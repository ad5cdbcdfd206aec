# SPDX-License-Identifier: Apache-2.0
"""The documents: generated tables, commands, links, names of tests and files."""

import argparse
import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import programs
import pytest
from wlk import cli, tables
from wlk.base import options
from wlk.base.errors import Status, WlkError
from wlk.commands import COMMANDS
from wlk.gen import docs

ROOT = Path(__file__).resolve().parents[2]
WARPLOCK = "scripts/warplock"
PAGES = [str(page.relative_to(ROOT)) for page in docs.pages()]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"--[a-z][\w-]*")
LINK = re.compile(r"(?<!\!)\[[^\]]+\]\(([^)\s]+)\)")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def prose_of(page: str) -> str:
    """The page without its fenced parts."""
    return FENCE.sub("", text_of(page))


# ---- generated tables ---------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_docs_generated_tables_are_up_to_date(page):
    text = text_of(page)
    assert docs.render(text, page) == text, f"run `{docs.COMMAND}`"


@pytest.mark.parametrize("block", tables.names())
def test_docs_every_block_has_its_tables(block):
    text = text_of(f"docs/blocks/{block}.md")
    for kind in ("parts", "tables"):
        assert f"<!-- generated: {kind} {block} -->" in text


@pytest.mark.parametrize("block", tables.names())
def test_docs_port_table_names_every_port(block):
    """The rows, braces and units expanded, are the ports of the default configuration."""
    table = tables.load(block)
    config = table.defaults()
    rows = [found[1] for found in re.finditer(r"^\| `([^`]+)` \|", docs.ports(block), re.MULTILINE)]
    rows = rows[1:] if table.clock else rows
    patterns = [name for row in rows for name in _rows_of_unit(table, row)]
    names = [name for pattern in patterns for name in _expand(pattern, config)]
    assert sorted(names) == sorted(port.name for port in table.ports(config, absent=True))


def _rows_of_unit(table: tables.Table, row: str) -> list[str]:
    """The ports that a row `io_admit_bits_ibufEntry_…` or `io_dis_uops_q_…` stands for."""
    if "_q_" in row:
        entries = range(next(iter(table.lists.values())).most)
        named = [row.replace("_q_", f"_{entry}_") for entry in entries]
        return [name for each in named for name in _rows_of_unit(table, each)]
    if not row.endswith("_…"):
        return [row]
    if table.members:
        return [row.removesuffix("…") + member.name for member in table.members]
    unit = next((f.unit for f in table.fields if f.unit), "")
    home = next((name for name in tables.names() if unit in tables.load(name).units), "")
    shown = docs.unit(home, unit) if unit else ""
    members = re.findall(r"^\| `…(\S+)` \|", shown, re.MULTILINE)
    assert len(members) == len(tables.load(home).unit_members(unit)) > 0
    return [row.removesuffix("_…") + member for member in members]


@pytest.mark.parametrize("block", tables.names())
def test_docs_units_have_their_table(block):
    for unit in tables.load(block).units:
        assert f"unit-{unit}" in anchors(ROOT / f"docs/blocks/{block}.md")


def _expand(name: str, config: dict[str, int]) -> Iterator[str]:
    found = re.search(r"\{([01])\.\.(.+?)\}", name)
    if found is None:
        yield name
        return
    for index in range(int(found[1]), tables.Expr(found[2], name)(config) + 1):
        yield from _expand(name[: found.start()] + str(index) + name[found.end() :], config)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- generated: gates collector -->\n<!-- end -->\n", "'gates' is not generated"),
        ("<!-- generated: tables collector -->\n", "has no <!-- end -->"),
    ],
)
def test_docs_bad_marker_is_reported(text, message):
    with pytest.raises(WlkError, match=message):
        docs.render(text, "page.md")


# ---- commands -----------------------------------------------------------------------------------


def commands(page: str) -> list[str]:
    """Lines of fenced parts, and inline code, that call warplock."""
    fenced = [line for _, body in FENCE.findall(text_of(page)) for line in body.splitlines()]
    inline = CODE.findall(prose_of(page))
    return [line for line in [*fenced, *inline] if re.match(rf"([A-Z_]+=\S+ )*{WARPLOCK} ", line)]


def test_docs_have_commands():
    assert len(commands("README.md")) >= 8
    assert sum(len(commands(page)) for page in PAGES) >= 20


@pytest.mark.parametrize("page", PAGES)
def test_docs_commands_parse(page):
    for line in commands(page):
        typed = line.partition(f"{WARPLOCK} ")[2].partition(" > ")[0]
        words = shlex.split(typed, comments=True)
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                cli.parse(words)
            except SystemExit as stop:  # --help
                assert stop.code == 0, line
            except WlkError as error:
                if error.status == Status.NO_FILE:  # that of an earlier run
                    continue
                pytest.fail(f"{line}: {error.message}")


# Options of other programs that the prose names, and one that is no more.
FOREIGN = {
    *("--filter", "--branch", "--no-build-isolation", "--no-deps", "--timing", "--assert"),
    *("--x-initial", "--no-rebuild", "--libdir", "--datadir", "--converge-limit", "--param"),
    *("--svg", "--check", "--trace-structs", "--version", "--expand-limit"),
    "--build-arg",
}


def all_options() -> set[str]:
    """Those of every subcommand."""
    parser = options.Parser()
    subparsers = parser.add_subparsers()
    for command in COMMANDS:
        command.add(subparsers)
    found: set[str] = set()
    todo = [parser]
    while todo:
        each = todo.pop()
        found |= each._option_string_actions.keys()
        for action in each._actions:
            if isinstance(action, argparse._SubParsersAction):
                todo += action.choices.values()
    return found


@pytest.mark.parametrize("page", PAGES)
def test_docs_options_exist(page):
    """Inline code that begins with an option."""
    known = all_options() | FOREIGN
    named = {found[0] for code in CODE.findall(prose_of(page)) if (found := OPTION.match(code))}
    assert named <= known


def script(page: str, heading: str) -> list[str]:
    """The first fenced part under a heading."""
    part = text_of(page).partition(f"\n## {heading}\n")[2]
    return FENCE.search(part)[2].splitlines()


@pytest.mark.slow
def test_readme_commands_work_in_order(tmp_path, monkeypatch):
    """Those on the user's own RTL, in an empty folder; the two main ones are CI itself."""
    lines = script("README.md", "Use it on your RTL")
    assert len(lines) >= 6
    monkeypatch.delenv("WARPLOCK_BUILD", raising=False)  # a simulator loads no sanitizers
    for line in lines:
        assert line.startswith(WARPLOCK), line
        programs.typed(*shlex.split(line)[1:], cwd=tmp_path, WARPLOCK_NO_SETUP=1)


@pytest.mark.slow
@pytest.mark.needs("verilate", "rtl", "prove")
def test_attaching_map_commands_work_in_order(tmp_path, monkeypatch):
    """The worked example of a port map, beside the RTL that it names."""
    lines = script("docs/attaching.md", "Other names, other shapes")
    assert [line.split()[1] for line in lines] == ["map", "lockstep", "bind", "prove"]
    monkeypatch.delenv("WARPLOCK_BUILD", raising=False)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    for line in lines:
        programs.typed(*shlex.split(line)[1:], cwd=tmp_path, WARPLOCK_NO_SETUP=1)


def test_readme_shows_the_two_commands_first():
    assert script("README.md", "Run it") == [f"{WARPLOCK} lockstep", f"{WARPLOCK} test"]


# ---- the rules of the blocks --------------------------------------------------------------------

SECTION = re.compile(r"[§Q]\d+")


def sections(page: str) -> set[str]:
    """The sections that a page has or, in a table at its start, points to."""
    lines = [line for line in text_of(page).splitlines() if re.match(r"#|\*\*|\| \w+-\w+ ", line)]
    return {section for line in lines for section in SECTION.findall(line)}


@pytest.mark.parametrize("block", tables.names())
def test_docs_every_block_has_its_rules(block):
    table, folder = tables.load(block), tables.folder(block).relative_to(ROOT)
    own, family = f"{folder}/README.md", f"{folder.parent}/README.md"
    assert 40 <= text_of(own).count("\n") <= 150
    assert table.spec.split(" §")[0].partition(",")[0] in text_of(own)
    assert set(SECTION.findall(table.spec)) <= sections(own)
    assert f"({folder.name}/README.md)" in text_of(family)


@pytest.mark.parametrize("block", tables.names())
def test_docs_protocol_rules_cite_sections_that_exist(block):
    folder = tables.folder(block).relative_to(ROOT)
    known = sections(f"{folder}/README.md") | sections(f"{folder.parent}/README.md")
    for rule in tables.load(block).rules:
        assert set(SECTION.findall(rule["spec"])) <= known, rule["spec"]


# ---- what the documents point at ----------------------------------------------------------------


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", re.sub(r"\[|\]\([^)]*\)", "", h)).lower() for h in heads)
    return {w.replace(" ", "-") for w in words}


@pytest.mark.parametrize("page", PAGES)
def test_docs_links_resolve(page):
    for link in LINK.findall(prose_of(page)):
        if re.match(r"https?:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (ROOT / page).parent / place if place else ROOT / page
        assert target.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page}: {link}"


@pytest.mark.parametrize("page", PAGES)
def test_docs_named_files_exist(page):
    """Inline code that is a path of this checkout; NAME and FAMILY stand for something."""
    folders = "refmodel|dpi|rtl_stub|vectors|tests|scripts|docs"
    for code in CODE.findall(prose_of(page)):
        if re.fullmatch(rf"({folders})/[\w./*-]*", code) and not re.search("NAME|FAMILY", code):
            assert list(ROOT.glob(code.rstrip("/"))), f"{page}: {code}"


def test_quirks_name_tests_that_exist():
    text = text_of("docs/quirks.md")
    named = re.findall(r"`([\w/]+\.(?:c|py))::(\w+)`", text)
    rows = [line.rpartition(" | ")[2] for line in text.splitlines() if line.startswith("| ")]
    bare = re.findall(r"`(\w+)`", "\n".join(rows))
    assert len(named) >= 20 and len(bare) >= 40
    for file, name in named:
        python, c = rf"^def {name}\(", rf"^(CASE\({name}\)|static void {name}\(void\))"
        pattern = python if file.endswith(".py") else c
        source = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert re.search(pattern, source, re.MULTILINE), f"{file}::{name}"
    cases = "".join((tables.folder(name) / "cases.txt").read_text() for name in tables.names())
    cases += text_of("tests/prop/opndcoll_calls.txt")
    for name in bare:
        assert re.search(rf"^case {name}\b", cases, re.MULTILINE), name


def test_quirks_table_rows_name_a_test():
    """Whoever narrows care names the test that pins it."""
    rows = [line for line in text_of("docs/quirks.md").splitlines() if line.startswith("| ")]
    tests = [row for row in rows if not row.endswith("| test |")]
    assert [row for row in tests if not re.search(r"`\S+`", row.rpartition(" | ")[2])] == []
    assert len(tests) >= 60


# ---- prose --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_docs_name_no_place_of_one_machine(page):
    for word in ("/home/", "/tmp/", "/mnt/"):
        assert word not in text_of(page), word
