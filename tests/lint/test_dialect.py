# SPDX-License-Identifier: Apache-2.0
"""One dialect of C: what clang-format and clang-tidy leave open."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("refmodel", "vectors", "dpi", "tests")
SOURCES = sorted(p for name in FOLDERS for p in (ROOT / name).rglob("*.[ch]"))
RULES = {
    "what an allocation returns needs no cast": r"\*\) ?(?:m|c|re)alloc\(",
    "a constant that is only compared needs no suffix": r"(?:[=!<>]=|(?<![<-])<|(?<![->])>) \d+u\b"
    r"(?! *(?:<<|>>|[-+*/%&|^](?!&|\|)))",
    "suffixes are lower-case": r"\b(?:0x[\dA-Fa-f]+|\d+)(?:U|UL|ULL)\b",
}


def found(rule: str, text: str) -> list[str]:
    return [line for line in text.splitlines() if re.search(RULES[rule], line)]


@pytest.mark.parametrize("rule", RULES)
def test_c_is_written_in_one_dialect(rule):
    assert len(SOURCES) > 100
    wrong = {str(p): found(rule, p.read_text(encoding="utf-8")) for p in SOURCES}
    assert {path: lines for path, lines in wrong.items() if lines} == {}


@pytest.mark.parametrize(
    ("rule", "line", "bad"),
    [
        (0, "p = (char *)malloc(3);", True),
        (0, "p = malloc(3);", False),
        (1, "if (n == 0u) {", True),
        (1, "if (n > 1u && x) {", True),
        (1, "if (n < 1u << 3) {", False),
        (1, "if (n >= 2u * m) {", False),
        (1, "m = 1u << n;", False),
        (2, "n = 3U;", True),
    ],
)
def test_rules_of_the_dialect_see(rule, line, bad):
    assert bool(found(list(RULES)[rule], line)) == bad
