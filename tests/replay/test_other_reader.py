# SPDX-License-Identifier: Apache-2.0
"""Our reader of waveforms against another one, pywellen: the same signals with the same values at
the same times, or both refuse. Where one of them is known to be stricter, that is listed here."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import programs
import pytest
from other_reader import settled, whole

pytestmark = pytest.mark.needs("wellen")
HERE = Path(__file__).parent
KEPT = HERE.parent / "endure" / "corpus"
SEED = 20
# What ours refuses and pywellen takes: it skips such changes, or reads what the grammar has not.
STRICTER = re.compile(
    r"time goes back|no \$var has the identifier code|declared twice|a second dump|byte 0x|"
    r"a value of (\d+|no) bits|a real or a string for|\$end without a command|has no \$end before|"
    r"expected (a binary value|an identifier code|a range or|\$end|the kind of|a whole number)|"
    r"of another size or type|no scope is open|is not 1, 10 or 100|write white space before|"
    r"ends (inside|before|after)|extended VCD|neither FST nor VCD"
)
# What pywellen refuses and ours takes: unknown commands, kinds of scopes and of variables, odd
# names, which change no value; and reals, which we do not read.
LENIENT = re.compile(
    r"unknown or invalid command|unknown file format|unknown (scope|variable) type|unknown var|"
    r"utf-8|real|attribute|number of tokens|parse variable name|ParseFloat|Duplicate timescales"
)
RANGE = re.compile(r" ?\[ ?-?\d+ ?(: ?-?\d+ ?)?\]$")


def ours(path: Path) -> dict:
    """As other_reader.py has it."""
    done = programs.run("dpi/wlk-check", "vcd", path)
    if done.returncode:
        assert done.returncode in (11, 12), done.stderr
        return {"error": done.stderr.strip()}
    head, _, body = done.stdout.partition("$enddefinitions $end\n")
    scopes: list[str] = []
    names: list[tuple[str, str]] = []  # path, code
    bits: dict[str, int] = {}
    for line in head.splitlines():
        words = line.split(" ")
        if words[0] == "$scope":
            scopes.append(" ".join(words[2:-1]))
        elif words[0] == "$upscope":
            scopes.pop()
        elif words[0] == "$var":
            names.append((".".join([*scopes, " ".join(words[4:-1])]), words[3]))
            bits[words[3]] = int(words[2])
    changes: dict[str, list[tuple[int, str]]] = {code: [] for code in bits}
    time = 0
    for line in body.splitlines():
        if line[0] == "#":
            time = int(line[1:])
            continue
        value, code = line[1:].split(" ") if line[0] == "b" else (line[0], line[1:])
        changes[code].append((time, whole(value, bits[code])))
    return {"signals": [[name, bits[code], settled(changes[code])] for name, code in names]}


def theirs(paths: list[Path]) -> list[dict]:
    done = subprocess.run(
        [sys.executable, HERE / "other_reader.py", *paths], capture_output=True, text=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(answers) == len(paths), done.stderr[-2000:]
    return answers


def plain(name: str) -> str:
    return name.replace("\\", "").replace(" ", "")


def compare(mine: dict, other: dict) -> str:
    """same, refused, stricter, lenient, or what differs."""
    if "error" in mine:
        known = "error" in other or STRICTER.search(mine["error"])
        return ("refused" if "error" in other else "stricter") if known else mine["error"]
    if "error" in other:
        return "lenient" if LENIENT.search(other["error"]) else other["error"]
    known: dict[str, list] = {}
    parts: dict[str, dict[int, list]] = {}  # pywellen joins the bits of a bus
    for name, bits, changes in mine["signals"]:
        for each in {plain(name), plain(RANGE.sub("", name))}:
            known.setdefault(each, []).append([bits, changes])
        if found := re.fullmatch(r"(.*?)\[(\d+)\]", plain(name)):
            parts.setdefault(found[1], {})[int(found[2])] = changes
    for name, bits, changes in other["signals"]:
        joined = parts.get(name, {})
        if [bits, changes] not in known.get(name, []) and joined_bits(joined) != changes:
            return f"{name}: {changes[:3]} or {known.get(name, [])[:2]}"
    return "same"


def joined_bits(parts: dict[int, list]) -> list[list]:
    """The changes of a bus of these bits."""
    times = sorted({time for changes in parts.values() for time, _ in changes})
    columns = [dict(map(tuple, parts[n])) for n in sorted(parts, reverse=True)]
    now, found = ["x"] * len(columns), []
    for time in times:
        now = [column.get(time, was) for column, was in zip(columns, now, strict=True)]
        found.append((time, "".join(now)))
    return settled(found)


def judged(paths: list[Path]) -> list[str]:
    return [compare(ours(path), other) for path, other in zip(paths, theirs(paths), strict=True)]


# ---- files that are there -----------------------------------------------------------------------


@pytest.mark.slow
def test_recordings_are_the_same():
    """FST is read the same, too."""
    files = programs.part(sorted(programs.TRACES.glob("*/*.fst")), 8)
    if not files:
        pytest.skip("no recordings")
    assert judged(files) == ["same"] * len(files)


def test_kept_files_are_the_same(tmp_path):
    files = [*sorted((KEPT / "vcd").iterdir()), KEPT / "dumps" / "plain.fst"]
    answers = dict(zip([each.name for each in files], judged(files), strict=True))
    # pywellen takes a code `$end` for the end of its variable, and $dumpall for time 0.
    other = (KEPT / "vcd" / "forms.vcd").read_text()
    for was, now in (("1 $end e", "1 e e"), ("1$end", "1e"), ("$dumpall", "$dumpvars")):
        other = other.replace(was, now)
    (tmp_path / "forms.vcd").write_text(other)
    answers["forms.vcd"] = judged([tmp_path / "forms.vcd"])[0]
    assert answers.pop("cut.vcd") in ("refused", "stricter")
    assert answers == dict.fromkeys(answers, "same")


# ---- files that are made ------------------------------------------------------------------------


def made(dice: random.Random) -> tuple[list[str], list[str]]:
    """The commands of a head, and the times and changes of a body; a vector is one of these."""
    spread = dice.choice((1, 1, 7, 100_000))
    codes = iter(range(dice.randrange(50), 10**9, spread))
    head, signals = ["$timescale 1ps $end"], []
    for scope in ("top", "inner", "top"):
        head.append(f"$scope module {scope} $end")
        for n in range(dice.randrange(1, 9)):
            bits, code = dice.choice((1, 1, 1, 2, 8, 33, 64, 70)), _code(next(codes))
            name = f"{scope[0]}{len(signals)}_{n}"
            name += dice.choice(("", f" [{bits - 1}:0]", f"[{bits - 1}:0]")) if bits > 1 else ""
            kind = dice.choice(("wire", "reg", "logic", "integer", "parameter"))
            head.append(f"$var {kind} {bits} {code} {name} $end")
            if dice.randrange(5) == 0:
                head.append(f"$var wire {bits} {code} alias_of_{name} $end")
            signals.append((code, bits))
        if dice.randrange(3) == 0:
            real = _code(next(codes))
            head.append(f"$var real 64 {real} real_{len(signals)} $end")
            signals.append((real, 0))
        head.append("$upscope $end")
    body, time = ["#0", "$dumpvars", *(_change(dice, *each) for each in signals), "$end"], 0
    for _ in range(dice.randrange(5, 60)):
        time += dice.choice((1, 5, 1000))
        body += [f"#{time}", *(_change(dice, *dice.choice(signals)) for _ in range(6))]
    return head, body


def _code(number: int) -> str:
    """As simulators count them."""
    code = chr(33 + number % 94)
    return code if number < 94 else code + _code(number // 94 - 1)


def _change(dice: random.Random, code: str, bits: int) -> str:
    if bits == 0:
        return f"r{dice.random() * 10:.3f} {code}"
    levels = dice.choice(("01", "01", "01xz"))
    value = "".join(dice.choice(levels) for _ in range(dice.choice((1, bits, bits))))
    return f"{value}{code}" if bits == 1 and dice.randrange(3) else f"b{value} {code}"


def harmless(dice: random.Random, head: list[str], body: list[str]) -> str:
    """The same with other white space, and comments. pywellen knows less of it in the head, takes
    it for a part of a name, and drops what follows $enddefinitions on its line."""
    blank = lambda signs: "".join(dice.choice(signs) for _ in range(dice.choice((1, 1, 3))))  # noqa: E731
    commands = [blank(" \t\n").join(re.split(r" (?!\[)", command)) for command in head]
    tokens = []
    for each in body:
        tokens.append(blank(" \t\r\n\f").join(each.split(" ")))
        if dice.randrange(4) == 0:
            text = " ".join(dice.choice(body) for _ in range(3)).replace("$end", "end")
            tokens.append(f"$comment {text} #99999999 $end")
    parts = [blank(" \n").join(commands), "\n$enddefinitions $end\n"]
    return "".join([*parts, *(blank(" \t\r\n") + token for token in tokens)]) + "\n"


def harmful(dice: random.Random, head: list[str], body: list[str]) -> str:
    """One thing is another."""
    text = "\n".join([*head, "$enddefinitions $end", *body]) + "\n"
    how, at = dice.randrange(5), dice.randrange(len(text))
    if how == 0:
        return text[:at]
    if how == 1:
        return text[:at] + chr(ord(text[at]) ^ 1 << dice.randrange(6)) + text[at + 1 :]
    lines = text.splitlines()
    n, other = dice.randrange(len(lines)), dice.choice(lines)
    if how == 2:
        del lines[n]
    elif how == 3:
        lines.insert(n, other)
    else:
        words = lines[n].split(" ")
        words[dice.randrange(len(words))] = dice.choice(other.split(" "))
        lines[n] = " ".join(words)
    return "\n".join(lines) + "\n"


def made_files(folder: Path, change, count: int) -> list[Path]:
    files = []
    for n in range(count):
        dice = random.Random(f"{SEED} {n}")
        path = folder / f"{n}.vcd"
        path.write_text(change(dice, *made(dice)), encoding="utf-8", newline="")
        files.append(path)
    return files


def test_white_space_and_comments_change_nothing(tmp_path):
    files = made_files(tmp_path, harmless, 150)
    assert judged(files) == ["same"] * len(files)


def test_mutations_are_read_the_same_or_refused(tmp_path):
    files = made_files(tmp_path, harmful, 600)
    answers = judged(files)
    odd = {p.name: a for p, a in zip(files, answers, strict=True) if a not in KNOWN}
    assert odd == {}
    counts = {kind: answers.count(kind) for kind in KNOWN}
    assert counts["same"] >= 150 and counts["refused"] >= 60, counts
    assert counts["stricter"] <= 300 and counts["lenient"] <= 40, counts


KNOWN = ("same", "refused", "stricter", "lenient")


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("\n1!\n", "\n0!\n"),
        ("#20\n", "#21\n"),
        ("b101 ", "b100 "),
        ("$var wire 8", "$var wire 7"),
        (" data ", " date "),
    ],
)
def test_a_difference_is_seen(tmp_path, was, now):
    text = '$var wire 1 ! clk $end $var wire 8 " data $end\n$enddefinitions $end\n#0\n0!\n'
    text += 'b101 "\n#20\n1!\n'
    assert was in text
    one, other = tmp_path / "one.vcd", tmp_path / "other.vcd"
    one.write_text(text)
    other.write_text(text.replace(was, now))
    assert judged([one, other]) == ["same", "same"]
    assert compare(ours(one), theirs([other])[0]) not in KNOWN
