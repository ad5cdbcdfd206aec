# SPDX-License-Identifier: Apache-2.0
"""The libraries from outside: headers that stand alone, and nothing exported but wlk_."""

import re
import subprocess
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.tables import files

ROOT = programs.ROOT
FOLDERS = [ROOT / part / "include" for part in ("refmodel", "vectors", "dpi")]
WRITTEN = sorted(h for folder in FOLDERS for h in folder.glob("warplock/*.h"))
WARNINGS = "-Wall -Wextra -Wconversion -Wshadow -Werror".split()
COMPILERS = {"c": ["cc", "-std=c11", "-Wstrict-prototypes"], "c++": ["c++", "-std=c++11"]}
LIBRARIES = [
    "refmodel/libwarplock.a",
    "dpi/libwarplock_check.a",
    "dpi/package/libwarplock.a",
    "vectors/libwlk_container.a",
    "vectors/libwlk_wave.a",
]


def generated():
    return sorted((programs.folder() / "refmodel/include/warplock").glob("*.h"))


@pytest.mark.parametrize("language", COMPILERS)
def test_headers_compile_alone(language):
    built = programs.folder() / "refmodel/include"
    includes = [
        f"-I{folder}" for folder in (*FOLDERS, built, "/usr/share/verilator/include/vltstd")
    ]
    assert len(generated()) >= 1
    assert len(WRITTEN) >= 8
    for header in [*WRITTEN, *generated()]:
        # Twice: the guard must hold.
        text = f'#include "warplock/{header.name}"\n' * 2 + "extern int here;\n"
        command = [*COMPILERS[language], *WARNINGS, *includes, "-fsyntax-only", "-x", language, "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        assert done.returncode == 0, f"{header.name} as {language}:\n{done.stderr}"


def symbols(library: Path, *options: str) -> set[str]:
    command = ["nm", "--format=posix", *options, library]
    lines = subprocess.check_output(command, text=True).splitlines()
    return {line.split()[0] for line in lines if len(line.split()) > 1}


def exported(library: Path) -> set[str]:
    return symbols(library, "--extern-only", "--defined-only")


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_exports_only_our_prefix(library):
    names = {n for n in exported(programs.folder() / library) if not n.startswith("__odr_asan")}
    assert len(names) > 3
    assert [name for name in names if not name.startswith("wlk_")] == []


# What a model may take from outside: memory, text into a buffer, the processor's kind, and what
# the compiler has no instruction for.
PURE = re.compile(
    r"^(_GLOBAL_OFFSET_TABLE_|__(asan|ubsan|stack_chk|cpu|odr).*|_?_?(mem|strn?)(cpy|set|move|cmp|len).*"
    r"|__popcount[sd]i2|__isoc23_strtoul|strtoul|__?v?snprintf(_chk)?|v?snprintf)$"
)


def test_models_allocate_and_print_nothing():
    library = programs.folder() / "refmodel/libwarplock.a"
    taken = symbols(library, "--undefined-only") - exported(library)
    assert taken
    assert [name for name in taken if not PURE.match(name)] == []


def test_stimuli_are_built_with_the_checkers():
    """Those of a block's folder too: the models know no stimulus."""
    ending = re.compile(r"_stimulus$")
    models, checkers = (
        {name for name in exported(programs.folder() / path) if ending.search(name)}
        for path in ("refmodel/libwarplock.a", "dpi/libwarplock_check.a")
    )
    assert models == set()
    assert "wlk_driver_stimulus" in checkers
    folders = {name: tables.folder(name) / files.STIMULUS for name in tables.names()}
    assert {f"wlk_{name}_stimulus" for name, path in folders.items() if path.is_file()} < checkers
