# SPDX-License-Identifier: Apache-2.0
"""Parts of documents that follow from something else: port tables, files of a block, rooms.

`PYTHONPATH=scripts python3 -m wlk.gen.docs` brings every page up to date; with `--check` it
changes nothing and fails when a page is stale. A page names what it wants between two markers:

    <!-- generated: tables collector -->
    ...
    <!-- end -->
"""

import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..base import outputs
from ..base.errors import MEANINGS, Status, WlkError
from ..base.guard import guard
from ..base.report import verdict_name
from ..tables import (
    ROOT,
    Condition,
    Expr,
    Field,
    Table,
    element_name,
    folder,
    load,
    names,
    opaque_stem,
)
from . import rooms

COMMAND = "PYTHONPATH=scripts python3 -m wlk.gen.docs"
_REGION = re.compile(r"(<!-- generated: ([^>]*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_NUMBER = re.compile(r"(?<=_)0(?=[_.])|(?<=queue )0\b|(?<=queue_)0\b|(?<=entry )0\b")
_ENTRY = re.compile(r"(?<=_)\d+(?=\.)")


def pages() -> list[Path]:
    """Every document of the project."""
    folders = (
        path for part in ("docs", "refmodel") for path in sorted((ROOT / part).rglob("*.md"))
    )
    return [*sorted(ROOT.glob("*.md")), *folders]


def render(text: str, where: str) -> str:
    """The text of a page with its generated regions up to date."""

    def replace(found: re.Match[str]) -> str:
        opening, wanted, _, closing = found.groups()
        kind, *words = wanted.split()
        if kind not in KINDS:
            message = f"{where}: '{kind}' is not generated; there are {', '.join(KINDS)}"
            raise WlkError(Status.MODEL_ERROR, message)
        return f"{opening}{KINDS[kind](*words)}{closing}"

    if text.count("<!-- generated:") != len(_REGION.findall(text)):
        raise WlkError(Status.MODEL_ERROR, f"{where}: a generated region has no <!-- end -->")
    return _REGION.sub(replace, text)


def wanted() -> Iterator[tuple[Path, str]]:
    """Each page, and what it must be."""
    for path in pages():
        yield path, render(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))


# ---- tables -------------------------------------------------------------------------------------


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; cells are plain text or Markdown without a bar of their own."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [heads, ["---"] * len(heads), *cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _count(expr: Expr, first: int = 0) -> str:
    """The indices of an array: `{0..2}`, or `0` when there is one."""
    if expr.names and first == 1:
        return f"{{1..{expr.text}}}"
    if expr.names:
        return f"{{0..{expr.text}-1}}"
    count = expr({})
    return "0" if count == 1 else f"{{0..{count - 1}}}"


def emitted(item: Field) -> str:
    """The emitted names of a field: `io_readReq_bits_regs_{0..2}_pReg`."""
    counts = [count for _, count in item.path if count is not None]
    firsts = [0] * (len(counts) - 1) + [item.first]
    index = tuple(map(_count, counts, firsts))
    if item.opaque:
        return f"{opaque_stem(item, index)}…"
    return element_name(item, index, None if item.lanes is None else _count(item.lanes))


def _notes(item: Field) -> Iterator[str]:
    if item.direction == "out":
        yield "registered" if item.timing == "registered" else "combinational"
    if item.when is not None:
        yield f"only with `{item.when.text}`"
    if item.valid_when:
        always = ", compared always" if item.direction == "out" and item.exact else ""
        yield f"meaningful with `{item.valid_when}`{always}"
    if item.x_hides:
        hidden = dict.fromkeys(_ENTRY.sub("q", name) for name in item.x_hides)
        yield f"an X on it hides {' and '.join(f'`{name}`' for name in hidden)}"
    if not item.read and item.direction == "in":
        yield "no rule reads it"
    if item.loose_width:
        yield f"any width up to {item.max_width}"


def ports(block: str) -> str:
    """Every port of a block, in the order of the module; a unit is one row."""
    table = load(block)
    rows = [[f"`{table.clock}`", "in", "1", "clock", ""]] if table.clock else []
    shown = [f for f in table.fields if f.entry in (None, 0)]  # of a list's entries one
    for head, group in itertools.groupby(shown, lambda item: item.unit_head):
        fields = list(group)
        rows += [_unit_row(table, fields)] if head else [_port_row(f) for f in fields]
    return _markdown(("port", "dir", "width [bits]", "what", "notes"), rows)


def _port_row(item: Field) -> list[str]:
    name, width = f"`{emitted(item)}`", "" if item.opaque else f"`{item.width.text}`"
    row = [name, item.direction, width, item.doc, "; ".join(_notes(item))]
    return row if item.entry is None else [*map(_numberless, row)]


def _numberless(text: str) -> str:
    """What stands for entry 0 of a list, for any entry q."""
    return _NUMBER.sub("q", text)


def _unit_row(table: Table, fields: list[Field]) -> list[str]:
    """One row for all ports of a unit."""
    first = fields[0]
    ahead = emitted(replace(first, path=first.path[: first.unit_at]))
    home = next(name for name in names() if first.unit in load(name).units)
    what = f"the ports of [`{first.unit}`]({home}.md#unit-{first.unit})"
    notes = [*_notes(replace(first, x_hides=()))]
    # Outputs that show fields of the unit; a unit for all outputs that are parts of it.
    heads = {item.flat: item.unit_head for item in table.fields}
    if hidden := dict.fromkeys(heads[n] or n for item in fields for n in item.x_hides):
        notes.append(f"an X in it hides what shows it of {', '.join(f'`{n}`' for n in hidden)}")
    return [f"`{ahead}_…`", first.direction, "", what, "; ".join(notes)]


def unit(block: str, name: str) -> str:
    """The ports of a unit that the block's table defines."""
    rows = [
        [f"`…_{item.member.replace('.', '_')}`", f"`{item.width.text}`", item.doc]
        for item in load(block).unit_members(name)
    ]
    return _markdown(("port", "width [bits]", "what"), rows)


def _words(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _legal(table: Table, name: str) -> str:
    """Powers of two in short; empty for another list of values."""
    if name in table.lists:
        return ""
    param = table.params[name]
    if len(param.legal) > 4 and all(v & (v - 1) == 0 for v in param.legal):
        return f"2^n, {param.legal[0]}..{param.legal[-1]}"
    return param.describe()


def parameters(block: str) -> str:
    """Every parameter of a block."""
    table = load(block)
    rows = []
    for key in table.settings():
        default, legal, doc = table.describe(key)
        rows.append([f"`{key}`", default, _legal(table, key) or legal, doc])
        for item in table.lists[key].items if key in table.lists else ():
            span = [f"{item.legal[0]}..{item.legal[-1]}"]
            span += [f"with `{w.when.text}` {_words(w.values)}" for w in item.words]
            rows.append([f"`{key}`, `{item.name}`", "", "; ".join(span), item.doc])
    return _markdown(("parameter", "default", "legal", "what"), rows)


def conditions(block: str) -> str:
    """Configurations of a block that are refused, or warned of, and the message for each."""
    table = load(block)
    rows = [["refused", *_condition(c)] for c in table.constraints if c.entry in (None, 0)]
    rows += [["a warning", *_condition(c)] for c in table.cautions if c.entry in (None, 0)]
    return _markdown(("answer", "when", "text; a value stands for `{name}`"), rows)


def _condition(condition: Condition) -> tuple[str, str]:
    """When and text; of a list's entries one stands for all."""
    texts = f"`{condition.when.text}`", condition.text
    return texts if condition.entry is None else tuple(map(_numberless, texts))


def configs(block: str) -> str:
    """The named configurations of a block."""
    rows = [
        [f"`{name}`", " ".join(f"{k}={v}" for k, v in given.items()) or "the defaults"]
        for name, given in load(block).configs.items()
    ]
    return _markdown(("configuration", "parameters that are not the default"), rows)


def channels(block: str) -> str:
    """The handshakes of a block."""
    rows = []
    for channel in load(block).channels:
        if channel.get("entry", 0):  # of a list's entries one
            continue
        fires = " and ".join(f"`{channel[k]}`" for k in ("valid", "ready") if k in channel)
        bits = ", ".join(f"`{b}`" for b in channel.get("bits", []))
        row = [f"`{channel['name']}`", fires, bits or "the transfer alone"]
        rows.append([*map(_numberless, row)] if "entry" in channel else row)
    return _markdown(("channel", "a transfer is", "its value"), rows)


def rules(block: str) -> str:
    """The protocol rules of a block."""
    rows = [[str(n), f"`{r['name']}`", r["doc"]] for n, r in enumerate(load(block).rules)]
    if not rows:
        return "None: every input is legal.\n"
    return _markdown(("bit", "rule", "what"), rows)


def covers(block: str) -> str:
    """The coverage points of a block with their floors."""
    rows = []
    for n, point in enumerate(load(block).covers):
        when = f"`{point['when']}`" if "when" in point else "always"
        rows.append([str(n), f"`{point['name']}`", point["doc"], f"{point['floor']:,}", when])
    heads = ("bit", "point", "what", "floor [hits a million cycles]", "reachable")
    return _markdown(heads, rows)


_ABOUT = {
    "ports": """\
One scalar port for each element and each lane, in this order; `{0..2}` stands for the indices.
An element's ports stand together.""",
    "unit": """\
On every port that carries one. What no rule reads is opaque: it is passed on and compared bit for
bit where it comes out.""",
    "channels": """\
What counts as a transfer, in reports and when a timing divergence is distinguished from a
functional mismatch.""",
    "rules": """\
Bits of the bitmap that `tick` returns. They hold from the first reset edge on, outside reset. The
stimulus obeys them; RTL inputs that break one end a run with PROTOCOL_VIOLATION.""",
    "covers": """\
`lockstep` with the mix of all profiles is VACUOUS when a reachable point stays under its floor.""",
    "configs": "What `lockstep` runs without `--config`.",
    "lets": "Below, these stand for expressions:",
}


def tables(block: str) -> str:
    """What the page of a block ends with: all its tables, a heading each."""
    table = load(block)
    sections = [["## Parameters", parameters(block)]]
    if table.constraints or table.cautions:
        sections.append(["", conditions(block)])
    if table.lets:
        rows = [[f"`{name}`", f"`{text}`"] for name, text in table.lets.items()]
        sections.append(["", _ABOUT["lets"], "", _markdown(("name", "is"), rows)])
    sections.append(["## Ports", _ABOUT["ports"], "", ports(block)])
    for name in table.units:
        sections.append([f"### Unit `{name}`", _ABOUT["unit"], "", unit(block, name)])
    sections.append(["## Handshakes", _ABOUT["channels"], "", channels(block)])
    about = [_ABOUT["rules"], ""] if table.rules else []
    sections.append(["## Protocol rules", *about, rules(block)])
    sections.append(["## Coverage", _ABOUT["covers"], "", covers(block)])
    sections.append(["## Configurations", _ABOUT["configs"], "", configs(block)])
    text = "\n".join("\n".join(section).removeprefix("\n") for section in sections)
    for name, spelled in sorted(table.lets.items(), key=lambda item: -len(item[1])):
        text = text.replace(f"({spelled})", name)
    return text


SECOND = "second model, for the tests"
SHARED = ("stimulus", SECOND)
# What a block consists of, and where it is looked for.
_PARTS = {
    "rules": ("refmodel/{family}/{name}/README.md", "refmodel/{family}/README.md"),
    "port table": ("refmodel/{family}/{name}/block.toml", "refmodel/{family}/family.toml"),
    "model": (
        "refmodel/{family}/{name}/model.c",
        "refmodel/{family}/{name}/*.h",
        "refmodel/include/warplock/{name}[._]*",
    ),
    "code of the family": ("refmodel/{family}/*.[ch]",),
    "stub RTL": ("rtl_stub/{name}", "rtl_stub/common/{core}.sv"),
    "proof of the stub": ("tests/prop/{name}_proof.sv",),
    "stimulus": (
        "refmodel/{family}/{name}/stimulus.c",
        "dpi/stimulus/{name}[._]*",
        "dpi/stimulus/{family}_*.c",
    ),
    SECOND: ("tests/prop/naive_{name}.*", "tests/prop/naive_{family}.*"),
    "directed cases": ("refmodel/{family}/{name}/cases.txt",),
    "injected faults": ("refmodel/{family}/{name}/faults.toml",),
}


def _included(files: Sequence[Path], place: Path) -> list[Path]:
    """The C files among these, and the headers that they, C of a folder, or these include."""
    found = [path for path in files if path.suffix == ".c"]
    text = "".join(path.read_text(encoding="utf-8") for path in [*place.glob("*.[ch]"), *found])
    while more := [
        path for path in files if path not in found and re.search(f'["/]{path.name}"', text)
    ]:
        found += more
        text += "".join(path.read_text(encoding="utf-8") for path in more)
    return sorted(found)


def parts(block: str) -> str:
    """How a block is run, and the files that it consists of."""
    table = load(block)
    family = folder(block).parent.name
    words = {"name": block, "family": family, "core": table.core}
    # A block's name may begin with another one's.
    longer = [name for name in names() if name.startswith(f"{block}_")]
    others = tuple(f"{name}{end}" for name in longer for end in "._")
    rows = []
    for what, patterns in _PARTS.items():
        found = [path for each in patterns for path in sorted(ROOT.glob(each.format(**words)))]
        found = [path for path in found if not path.name.startswith(others)]
        if what == "code of the family":
            found = _included(found, folder(block))
        if what in SHARED:  # one file may be that of several blocks
            found = [p for p in dict.fromkeys(found) if block in p.read_text(encoding="utf-8")]
        links = [f"[`{path.name}`](../../{path.relative_to(ROOT)})" for path in found]
        if what == "stimulus" and not links:
            links = ["the [generic driver](../port-tables.md#stimulus)"]
        rows += [[what, ", ".join(links)]] if links else []
    commands = f"scripts/warplock lockstep {block}\nscripts/warplock check run.fst --block {block}"
    return f"```\n{commands}\n```\n\n{_markdown(('part', 'file'), rows)}"


def exit_codes() -> str:
    """The statuses with their comments in error.h."""
    rows = [
        [str(int(status)), f"`{verdict_name(status)}`", text.removeprefix("verdict: ")]
        for status, text in MEANINGS.items()
    ]
    return _markdown(("code", "name", "meaning"), rows)


def lockstep_times() -> str:
    """What tests/bench/bench.py has written, a row a block and profile."""
    measured = json.loads((ROOT / "docs" / "performance.json").read_text(encoding="utf-8"))
    heads = ("block", "profile", "RTL alone [ns/cycle]", "lockstep / RTL alone", "limit", "by DPI")
    heads += ("blocks inside", "with blocks inside", "model [ns/step]", "comparing alone [ns]")
    rows = []
    for block, found in measured.items():
        for profile, times in found["profiles"].items():
            alone, compare = (times[name]["ns"] for name in ("RTL alone", "compare"))
            ratios = {name: f"{each['ratio']:.2f}" for name, each in times.items()}
            limit = f"{1 + compare / alone:.2f}"
            row = [block, profile, f"{alone:,.0f}", ratios["lockstep"], limit]
            row.append(ratios["lockstep by DPI"])
            row += [ratios.get(f"lockstep, {name}", "") for name in ("inside", "all")]
            rows.append([*row, f"{times['model, best']['ns']:.1f}", f"{compare:.1f}"])
    return _markdown(heads, rows)


KINDS: dict[str, Callable[..., str]] = {
    "parts": parts,
    "tables": tables,
    "exit_codes": exit_codes,
    "rooms": rooms.picture,
    "lockstep_times": lockstep_times,
}


def main() -> int:
    """Write the pages, or print which are stale."""
    failure = WlkError(Status.MODEL_ERROR, f"documents are stale; run `{COMMAND}`")
    return outputs.update(wanted(), sys.argv[1:] == ["--check"], failure)


if __name__ == "__main__":
    sys.exit(guard(main))
