# SPDX-License-Identifier: Apache-2.0
"""What the package declares of the library, against the library's headers."""

import subprocess

import cffi
import programs
import pytest
from warplock import declarations

FOLDERS = [programs.ROOT / part / "include" for part in ("refmodel", "dpi", "vectors")]
HEADERS = ("blocks", "candidates", "checker", "json", "stimulus", "vectors")


def source(types: str, calls: str, constants: dict[str, int]) -> str:
    """C that compiles where types, calls and constants are those of the headers."""
    ffi = cffi.FFI()
    ffi.cdef(types)
    checks = [f"{name} == {value}" for name, value in constants.items()]
    for name in ffi.list_types()[0]:
        place = ffi.typeof(f"{name} *")
        if place.kind != "pointer":  # to a function
            continue
        kind = place.item
        if kind.kind in ("struct", "primitive") and (kind.kind == "primitive" or kind.fields):
            checks.append(f"sizeof({name}) == {ffi.sizeof(kind)}")
        for member, place in (kind.fields or []) if kind.kind == "struct" else []:
            checks.append(f"offsetof({name}, {member}) == {place.offset}")
            checks.append(f"sizeof((({name} *)0)->{member}) == {ffi.sizeof(place.type)}")
    assert len(checks) > 100
    lines = [f"#include <warplock/{header}.h>" for header in HEADERS]
    lines += [f'_Static_assert({check}, "{check}");' for check in checks]
    return "\n".join(["#include <stdio.h>", *lines, calls])


def compiled(text: str) -> subprocess.CompletedProcess:
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-xc", "-"]
    command += [f"-I{folder}" for folder in FOLDERS]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def test_declarations_are_those_of_the_headers():
    done = compiled(source(declarations.TYPES, declarations.CALLS, declarations.CONSTANTS))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("part", "right", "wrong"),
    [
        ("TYPES", "uint32_t n, room;", "uint32_t room, n;"),
        ("TYPES", "char name[57]", "char name[59]"),
        ("TYPES", "uint64_t events; uint32_t violated;", "uint32_t violated; uint64_t events;"),
        ("TYPES", "uint64_t memory[8192]", "uint64_t memory[4096]"),
        ("CALLS", "wlk_vec_seek(wlk_vec_reader *, uint64_t", "wlk_vec_seek(wlk_vec_reader *, int"),
        ("CALLS", "bool wlk_checker_done", "int wlk_checker_done"),
    ],
)
def test_wrong_declarations_do_not_compile(part, right, wrong):
    texts = {name: getattr(declarations, name) for name in ("TYPES", "CALLS")}
    assert right in texts[part]
    texts[part] = texts[part].replace(right, wrong)
    done = compiled(source(texts["TYPES"], texts["CALLS"], declarations.CONSTANTS))
    assert done.returncode != 0


def test_wrong_constants_do_not_compile():
    for name, value in declarations.CONSTANTS.items():
        assert compiled(source(declarations.TYPES, "", {name: value + 1})).returncode != 0, name


def test_every_call_is_in_the_library():
    from warplock.library import ffi, library

    names = [line.split("(")[0].split()[-1].strip("*") for line in declarations.CALLS.split(";")
             if "(" in line]  # fmt: skip
    assert len(names) > 35
    for name in names:
        assert ffi.typeof(getattr(library(), name)).kind == "function"
