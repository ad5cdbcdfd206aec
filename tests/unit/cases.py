# SPDX-License-Identifier: Apache-2.0
"""Runs the directed cases of a block, which are rows of text:  cases.py PLAYER FILE [CASE]

PLAYER is the program of play_cases.c, which has the model. A file:

  block scoreboard                       the block; what follows is of its table
  config num_pregs=64                    parameters of every case that are not the defaults
  alias rs = hazard.updateRS             the first part of a port's name
  start reset                            the row that every case begins with
  macro admit(rd a b) rs.enable rs.write.pReg=$rd rs.reads[0].pReg=$a rs.reads[1].pReg=$b
  case NAME max_pending_reads=$max       parameters; `power=zero`, `start=ROW` (`start=none`)
    with max n = 7 0; 7 1; 3 1           the case once for each; several lines: all combinations
    always issue.ready                   set in each row from here on
    3* admit(5,6) reset | rs.success     a row: inputs, `|`, expected outputs; here three cycles
    ? rd.pReg=5 | rd.pendingWrites=1     outputs only: no clock edge
    for r = 0..3 admit($r) |             the row once for each; also `2,0,1`
    refuse max_pending_reads=0 : a; b    `check` refuses that, and its message has the texts
    accept max_pending_reads=9           it does not

A port is named as in the RTL, without `io_`, `.x` and `[1]` for `_x` and `_1`. `[*]` is each
index: a list `1,2,?` gives one value each, a number is a set where ports have one bit, else the
value of all, in which @ is the index. `NAME.*` is every port below. NAME alone is 1, `!NAME` 0.
Values are numbers, variables and + - * & | ^ << >> == ( ), which bind as in Python. An input that
is not named is 0; `=x` leaves it unknown, `=x:MASK` some of its bits. An output that is not named
is not looked at, `=?` must have care 0, `=?:MASK` in some bits, a value must be cared for whole.
What stands later wins.
Also on the right: `violates=RULE,..` (none is the default), `drained=0`, `outcomes=N`,
`state.ELEMENT[i]=V` before the edge; on the left `assume=K`, the K th of the outcomes.

A macro may have `|` and `?`; a word with an argument that is not given, or `_`, is left out, and
`$a:WORD` stands where a is given. A macro without a body has the rows below, up to `end`, and
stands alone in its row. A line that ends with `;`, `=` or `\\` goes on. `walk v b 173 =
ibuf[3].bits` is a `with` of every bit b of the ports v below a name, which must be 173.

Each row runs through eval, record, step and tick, which must agree: step takes what is right,
refuses each expected output with a bit flipped, and changes nothing then.
"""

import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wlk import tables

Env = dict[str, str]
VARIABLE = re.compile(r"\$(\w+)")
CALL = re.compile(r"(\w+)(?:\((.*)\))?")
ABOUT = re.compile(r"(violates|drained|outcomes)=|state\.")
NO_RULE = "violates=none"
NUMBER = re.compile(r"[\da-fA-Fx+\-*&|^<>=()]+")
DEPTH = 9
WORD = (1 << 64) - 1


class BadCaseError(Exception):
    """What the file asks for does not exist."""


@dataclass(frozen=True)
class Line:
    number: int
    text: str


@dataclass
class Macro:
    params: list[str]
    body: str  # of one row, or
    rows: list[Line] = field(default_factory=list)  # many


@dataclass
class Case:
    name: str
    head: Line
    lines: list[Line] = field(default_factory=list)


@dataclass
class Row:
    look: bool = False
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Port:
    number: int
    name: str
    width: int
    is_out: bool


@dataclass(frozen=True)
class Value:
    """What an input gets or an output must have; of one that is unknown, the bits."""

    is_known: bool
    number: int

    def differences(self, port: Port, got: int, care: int) -> Iterator[str]:
        if self.is_known and care != (1 << port.width) - 1:
            yield f"{port.name} has care {care:#x}"
        elif not self.is_known and care & self.number:
            yield f"{port.name} has care {care:#x}, not 0 in {self.number:#x}"
        elif self.is_known and got != self.number:
            yield f"{port.name} is {got} ({got:#x}), not {self.number}"


# ---- text ---------------------------------------------------------------------------------------


def split(text: str, separators: str = " \t") -> list[str]:
    """Words; those in parentheses hold together."""
    words, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter in separators:
            words.append("")
        else:
            words[-1] += letter
    if depth != 0:
        raise BadCaseError(f"parentheses in '{text}'")
    return [word for word in words if word]


def rest_of(text: str) -> str:
    """All but the first word."""
    return text[len(split(text)[0]) :].strip()


def substitute(word: str, env: Env, is_call: bool = False) -> str | None:
    """With the values of variables. None: one of them is not given, so the word is left out, unless
    it is a macro's call."""
    while match := VARIABLE.search(word):
        value, rest = env.get(match[1]), word[match.end() :]
        if value is None:
            raise BadCaseError(f"unknown variable in '{word}'")
        if value == "_" and not is_call:
            return None
        if match.start() == 0 and rest.startswith(":"):
            word = rest[1:]
        else:
            word = word[: match.start()] + value + rest
    return word


def value_of(text: str) -> int:
    try:
        if NUMBER.fullmatch(text):
            return int(eval(text, {"__builtins__": {}})) & WORD
    except (SyntaxError, NameError, TypeError):
        pass
    raise BadCaseError(f"no value: {text}")


def series(text: str) -> list[str]:
    """ "0..3" or "2,0,1"."""
    first, dots, last = text.partition("..")
    if dots:
        return [str(v) for v in range(value_of(first), value_of(last) + 1)]
    return split(text, ",")


def lines_of(path: Path) -> list[Line]:
    """Lines without comments; one that ends with ; = or a backslash with the next."""
    lines, goes_on = [], False
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = "" if text.startswith("#") else text.partition(" #")[0].strip()
        if goes_on:
            lines[-1] = Line(lines[-1].number, lines[-1].text.removesuffix("\\") + " " + text)
        elif text:
            lines.append(Line(number, text))
        goes_on = text.endswith((";", "=", "\\"))
    return lines


# ---- a file -------------------------------------------------------------------------------------


class Player:
    """The model, in a process of its own: its orders are in play_cases.c."""

    def __init__(self, program: str, block: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program, block], stdin=pipe, stdout=pipe, text=True)
        self.known: dict[str, list[Port]] = {}

    def ask(self, order: str) -> list[str]:
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        lines = list(itertools.takewhile(lambda line: line != ".\n", self.process.stdout))
        if self.process.poll() is not None:
            raise BadCaseError(f"{lines}: the player stops at '{order}'")
        return [line.rstrip("\n") for line in lines]

    def ports(self, settings: str) -> list[Port]:
        why = self.ask(f"check {settings}")
        if why:
            raise BadCaseError(f"'{settings}' {why[0]}")
        if settings not in self.known:
            words = [line.split() for line in self.ask(f"ports {settings}")]
            self.known[settings] = [
                Port(i, name, int(width), out == "1") for i, (name, width, out) in enumerate(words)
            ]
        return self.known[settings]


class File:
    """A file of cases, and how the run of it goes."""

    def __init__(self, path: Path, program: str) -> None:
        self.path, self.program = path, program
        self.player: Player | None = None
        self.table: tables.Table | None = None
        self.config: list[str] = []
        self.aliases: Env = {}
        self.start = "none"
        self.macros: dict[str, Macro] = {}
        self.cases: dict[str, Case] = {}
        self.at = 0  # the line that is being read
        self.failed = self.runs = self.taken = 0

    def close(self) -> None:
        if self.player:
            self.player.process.communicate()

    def read(self) -> None:
        lines = iter(lines_of(self.path))
        for line in lines:
            self.at = line.number
            self._line(line, lines)
        if self.table is None:
            raise BadCaseError("no block")

    def _line(self, line: Line, lines: Iterator[Line]) -> None:
        word, rest = split(line.text)[0], rest_of(line.text)
        match word:
            case "block":
                if rest not in tables.names():
                    raise BadCaseError(f"no block '{rest}'")
                self.table, self.player = tables.load(rest), Player(self.program, rest)
            case "config":
                self.config = split(rest)
            case "alias":
                name, path = split(rest, " =")
                self.aliases[name] = path
            case "start":
                self.start = rest
            case "macro":
                self._macro(rest, lines)
            case "case":
                name = split(rest)[0]
                if name in self.cases:
                    raise BadCaseError(f"case '{name}' twice")
                self.cases[name] = Case(name, line)
            case _ if self.cases:
                self.cases[next(reversed(self.cases))].lines.append(line)
            case _:
                raise BadCaseError(f"'{word}' outside a case")

    def _macro(self, text: str, lines: Iterator[Line]) -> None:
        """ "name(a b) body", or "name body"."""
        name, params = CALL.fullmatch(split(text)[0]).groups()
        macro = Macro(split(params or ""), rest_of(text))
        if not macro.body:
            macro.rows = list(itertools.takewhile(lambda line: line.text != "end", lines))
        if name in self.macros:
            raise BadCaseError(f"macro '{name}' twice")
        self.macros[name] = macro

    def call(self, word: str, env: Env, has_rows: bool) -> tuple[Macro, Env] | None:
        """The macro that a word calls, and its variables; None: it is no call."""
        match = CALL.fullmatch(word)
        macro = self.macros.get(match[1]) if match else None
        if macro is None:
            return None
        args = split(match[2] or "", ", ")
        if len(args) > len(macro.params) or bool(macro.rows) != has_rows:
            raise BadCaseError(f"arguments or place of '{match[1]}'")
        given = itertools.zip_longest(macro.params, args, fillvalue="_")
        return macro, env | dict(given)

    def expand(self, text: str, env: Env, row: Row, out: bool = False, depth: int = 0) -> None:
        """The words of a row, macros and variables replaced, into the row."""
        if depth > DEPTH:
            raise BadCaseError("macros call each other")
        for word in split(text):
            is_call = word.partition("(")[0] in self.macros
            word = substitute(word, env, is_call)
            called = self.call(word, env, has_rows=False) if is_call else None
            if called:
                self.expand(called[0].body, called[1], row, out, depth + 1)
            elif word == "|":
                out = True
            elif word == "?":
                row.look = True
            elif word is not None:
                (row.outputs if out else row.inputs).append(word)

    def settings(self, words: list[str]) -> str:
        return " ".join(self.config + words)

    # -- cases ---------------------------------------------------------------------------------
    def run(self, only: str | None) -> None:
        for case in self.cases.values():
            if only in (None, case.name):
                self._case(case)
        if only is None and self.taken == 0:
            raise BadCaseError("step takes no row")

    def _case(self, case: Case) -> None:
        asserted = 0
        self.at = case.head.number
        for env in self._environments(case):
            run = Run(self, case, env)
            for line in case.lines:
                self.at = line.number
                run.line(line, line.text, env)
            asserted += run.asserted
            self.runs += 1
        self.at = case.head.number
        if asserted == 0:
            raise BadCaseError(f"case '{case.name}' expects nothing")

    def _environments(self, case: Case) -> list[Env]:
        """The variables of each time that a case runs."""
        found: list[Env] = [{}]
        for line in case.lines:
            word = split(line.text)[0]
            if word not in ("with", "walk"):
                continue
            self.at = line.number
            head, _, rest = rest_of(line.text).partition("=")
            names = split(head)
            if word == "walk":
                rows = self._bits(case, names.pop(), rest.strip())
            elif ".." in rest:
                rows = [[value] for value in series(rest.strip())]
            else:
                rows = [split(row) for row in split(rest, ";")]
            for row in rows:
                if len(row) != len(names):
                    raise BadCaseError(f"'with' has {len(names)} names, a row of it {len(row)}")
            found = [e | dict(zip(names, row, strict=True)) for e in found for row in rows]
        return found

    def _bits(self, case: Case, wanted: str, prefix: str) -> list[list[str]]:
        """Name below @prefix and value of every bit of the inputs there."""
        words = [w for w in split(case.head.text) if "=" in w and "$" not in w]
        names = Names(self, self.settings([w for w in words if not w.startswith("start=")]))
        cut = len(names.plain(prefix)) + len("io__")
        found = [
            [names.ports[i].name[cut:], str(1 << bit)]
            for i in sorted(names.find(prefix + ".*", out=False))
            for bit in range(names.ports[i].width)
        ]
        if len(found) != value_of(wanted):
            raise BadCaseError(f"walk of {len(found)} bits")
        return found


# ---- a case -------------------------------------------------------------------------------------


class Names:
    """The ports of a configuration by the names that rows give them."""

    def __init__(self, file: File, settings: str) -> None:
        self.file = file
        self.ports = file.player.ports(settings)
        self.index = {}
        for i, port in enumerate(self.ports):
            self.index[port.name] = self.index[port.name.removeprefix("io_")] = i

    def plain(self, name: str) -> str:
        first = re.match(r"[^.[]*", name)[0]
        name = self.file.aliases.get(first, first) + name[len(first) :]
        return name.replace(".", "_").replace("[", "_").replace("]", "")

    def find(self, name: str, out: bool) -> set[int]:
        plain = self.plain(name)
        if plain in self.index:
            return {self.index[plain]}
        if not plain.endswith("_*"):
            return set()
        return {
            i
            for known, i in self.index.items()
            if known.startswith(plain[:-1]) and self.ports[i].is_out == out
        }

    def put(self, name: str, value: str, out: bool, to: dict[int, Value]) -> None:
        """A value, `?`, `x` or one of them with `:MASK`, of the ports of that name, `[*]` apart."""
        found = self.find(name, out)
        if not found:
            raise BadCaseError(f"no port '{name}' in this configuration")
        for port in map(self.ports.__getitem__, found):
            is_known = value[0] not in "x?"
            mask = (1 << port.width) - 1
            bits = value.removeprefix("x:").removeprefix("?:")
            number = mask if bits in ("x", "?") else value_of(bits)
            if number > mask:
                raise BadCaseError(f"{value} is too wide for {name}")
            if port.is_out != out:
                raise BadCaseError(f"{name} is an {'input' if out else 'output'}")
            to[port.number] = Value(is_known, number)

    def assign(self, word: str, out: bool, to: dict[int, Value]) -> None:
        """ "port", "!port", "port=value", "port[*]=1,2", "port[*]=5"."""
        name, equals, value = word.removeprefix("!").partition("=")
        if not equals:
            value = "0" if word.startswith("!") else "1"
        if not value:
            raise BadCaseError(f"no value: '{word}'")
        if "[*]" not in name:
            self.put(name, value, out, to)
            return
        values = split(value, ",")
        for n in itertools.count():
            one = name.replace("[*]", f"[{n}]", 1)
            found = self.find(one, out)
            if not found:
                break
            if 1 < len(values) <= n:
                continue
            each = values[n if len(values) > 1 else 0].replace("@", str(n))
            is_set = len(values) == 1 and "?" not in value and "@" not in value
            if is_set and self.ports[min(found)].width == 1:
                each = str(value_of(each) >> n & 1)
            self.put(one, each, out, to)
        if n == 0 or len(values) not in (1, n):
            raise BadCaseError(f"'{word}': there are {n}")


class Run:
    """A case with values for its variables."""

    def __init__(self, file: File, case: Case, env: Env) -> None:
        self.file = file
        self.name = " ".join([case.name, *(f"{k}={v}" for k, v in sorted(env.items()))])
        self.asserted = 0
        self.always = ""
        head = [substitute(word, env) for word in split(case.head.text)[2:]]
        words = [word for word in head if word is not None]
        starts = [word.removeprefix("start=") for word in words if word.startswith("start=")]
        power = "zero" if "power=zero" in words else "unknown"
        others = [w for w in words if w != "power=zero" and not w.startswith("start=")]
        settings = file.settings(others)
        self.names = Names(file, settings)
        file.player.ask(f"open {power} {settings}")
        start = [file.start, *starts][-1]
        if start != "none":
            self.line(case.head, start, env)

    def line(self, at: Line, text: str, env: Env, outer: int = 0) -> None:
        """A line of a case: an order, a macro of rows, or a row. `outer`: the line of a call."""
        words = split(text)
        first, rest = words[0], rest_of(text)
        if first in ("with", "walk"):
            return
        if first == "always":
            self.always = rest
        elif first in ("refuse", "accept"):
            self.answer(at, first, rest)
        elif first == "for" and words[2] == "=":
            body = rest[rest.index(words[3], rest.index("=")) + len(words[3]) :]
            for value in series(substitute(words[3], env)):
                self.line(at, body, env | {words[1]: value}, outer)
        elif first.endswith("*"):
            for _ in range(value_of(substitute(first[:-1], env))):
                self.line(at, rest, env, outer)
        elif first.partition("(")[0] in self.file.macros and self.rows(at, words, env, outer):
            return
        else:
            where = f"{at.number} (from line {outer})" if outer else f"{at.number}"
            self.row(where, text, env)

    def rows(self, at: Line, words: list[str], env: Env, outer: int) -> bool:
        """The rows of a macro; false: it is a part of a row."""
        name = words[0].partition("(")[0]
        if not self.file.macros[name].rows:
            return False
        macro, inner = self.file.call(substitute(words[0], env, True), env, has_rows=True)
        if len(words) > 1 or outer:
            raise BadCaseError(f"arguments or place of '{name}'")
        for row in macro.rows:
            self.line(row, row.text, inner, at.number)
        return True

    def answer(self, at: Line, verb: str, text: str) -> None:
        words, _, parts = text.partition(" : ")
        why = "".join(self.file.player.ask(f"check {self.file.settings(split(words))}"))
        wrong = [part for part in parts.split(";") if part.strip() not in why]
        self.asserted += 1
        if (why == "") != (verb == "accept") or wrong:
            self.file.failed += 1
            print(f"{self.file.path}:{at.number}: {self.name}: not so: {why}")

    def row(self, where: str, text: str, env: Env) -> None:
        row, given, expected = Row(), {}, {}
        self.file.expand(self.always, env, row)
        self.file.expand(text, env, row)
        orders = ["look"] if row.look else []
        for word in row.inputs:
            if word.startswith("assume="):
                orders.append(f"assume={value_of(word.removeprefix('assume='))}")
            else:
                self.names.assign(word, False, given)
        about = [word for word in row.outputs if ABOUT.match(word)]
        for word in row.outputs:
            if word not in about:
                self.names.assign(word, True, expected)
        orders += [f"{'i' if v.is_known else 'x'}{i}={v.number}" for i, v in given.items()]
        orders += [f"o{i}=0" for i in expected]
        orders += ["state"] if any(word.startswith("state.") for word in about) else []
        self.asserted += len(expected) + len(about)
        for what in self.play("row " + " ".join(orders), row.look, expected, about):
            self.file.failed += 1
            print(f"{self.file.path}:{where}: {self.name}: {what}")

    def play(
        self, order: str, look: bool, expected: dict[int, Value], about: list[str]
    ) -> Iterator[str]:
        """What is wrong in a cycle."""
        facts: dict[str, int | None] = {}  # None: unknown
        for line in self.file.player.ask(order):
            kind, *words = line.split(" ", 3)
            if kind == "!":
                yield line[2:]
            elif kind == "port":
                port = self.names.ports[int(words[0])]
                yield from expected[port.number].differences(port, *map(int, words[1:]))
            elif kind == "element":
                facts[f"state.{words[2]}"] = int(words[0]) if words[1] != "0" else None
            else:
                facts[kind] = int(words[0])
        self.file.taken += facts["taken"]
        if look and facts["violates"]:  # there is no edge that could be judged
            facts["violates"] = 0
        about = about if any(word.startswith("violates=") for word in about) else [*about, NO_RULE]
        for key, value in (word.split("=", 1) for word in about):
            if not self.holds(key, value, facts.get(key, 0)):
                yield f"{key} is not {value}"

    def holds(self, key: str, value: str, got: int | None) -> bool:
        """An expectation that is not of a port. Blocks leave out elements that are 0."""
        if key == "violates":
            return got == self.rules(value)
        return got is None if value == "?" else got == value_of(value)

    def rules(self, names: str) -> int:
        """Protocol rules as a set."""
        known = self.file.table.rules
        places = {"none": 0} | {rule["name"]: 1 << i for i, rule in enumerate(known)}
        for name in split(names, ","):
            if name not in places:
                raise BadCaseError(f"no rule '{name}'")
        return sum(places[name] for name in split(names, ","))


def main(program: str, path: str, only: str | None = None) -> int:
    file = File(Path(path), program)
    try:
        file.read()
        file.run(only)
    except BadCaseError as error:
        print(f"{path}:{file.at}: {error}")
        return 2
    finally:
        file.close()
    print(f"{file.runs} cases, {file.failed} failed checks")
    return file.failed != 0 or file.runs == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
