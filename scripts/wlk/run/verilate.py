# SPDX-License-Identifier: Apache-2.0
"""Builds lockstep harnesses: RTL, bound checker and harness through Verilator, cached by content.

A build lies in build/rtl/KEY; KEY is a hash of everything that goes into it but libwarplock,
which is a shared library, so that a change of a model rebuilds no RTL. Flags are chosen so that
build plus run is shortest (docs/performance.md); what Debian's Verilator defaults to (-Os) is
slowest in both.
"""

import contextlib
import fcntl
import functools
import json
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base import folders, installed, keep, outputs, progress, setup
from ..base.errors import Status, WlkError
from ..gen import specialised, verdict_package
from ..gen.sv import Harness
from . import build, foreign

PREFIX = "Vwlk"
STEP = "_step.c"  # behind a checker's name
HARNESS = setup.ROOT / "dpi" / "harness"
MAIN = HARNESS / "main.cpp"
DATA = HARNESS / "data.h"
FOPEN = "-Wl,--wrap=fopen"  # goes to DATA
ODD = re.compile(r"[^\w/.,+@=~-]")  # what make may take for something else in the name of a folder
LINT_CODE = re.compile(rb"\bverilator\s+lint_o(?:n|ff)\s+(\w+)")
ERROR = re.compile("%error|error:", re.IGNORECASE)  # of Verilator, and of compilers
# What linkers say of a function of C.
UNDEFINED = re.compile(r"undefined (?:reference to [`']|symbol: )(\w+)(?:'|$)", re.MULTILINE)
EXPAND = 1024  # words of a concatenation that are written one by one; the default is 64
LARGE = 20_000  # lines of RTL above which the compiler's time outweighs the run's
RUNTIME_VERSION = ("verilated_config.h", "verilated.cpp", "verilated.h")  # differ by version
SHORT = 100_000  # cycles up to which it does too
# SMALL is the optimization of RTL below that size for longer runs, BIG that of other RTL. Partial
# redundancies take up to half of the compiler's time at -O2, and removing them makes no run faster.
# At -O1 a third of it is spent on asking what each of thousands of stores before a load may have
# changed; a tenth of the questions leave runs of a stage of 67,000 lines as they are.
FAST = ("-O0",)  # to compile
SMALL = ("-O2", "-fno-tree-pre", "-fno-code-hoisting")
BIG = ("-O1", "--param=sccvn-max-alias-queries-per-access=100")
RUNTIME = "-O1"  # of Verilator's own sources, which a cycle hardly calls
PARALLEL = "VM_PARALLEL_BUILDS = 1\n"  # in a makefile: RTL so large that it is in several files
HEADERS = "wlk_runtime{}.h"  # those that every Verilated file includes, for an optimization
DESIGN = "wlk_design.h"  # and those of this RTL
HEADER_TEXT = '#include <memory>\n#include "verilated.h"\n#include "verilated_dpi.h"\n'
DESIGN_TEXT = f'{HEADER_TEXT}#include "{PREFIX}__Syms.h"\n'
HYBRID = b"@([hybrid] "  # in Verilator's C++, before a signal that depends on itself
CALLED = '#include "warplock/dpi.h"\n'  # by checkers, from between the ports
UNOPTIMIZED = '#pragma GCC push_options\n#pragma GCC optimize ("O0")\n'
REST = "\n#pragma GCC pop_options\n"
RECENT = 3600  # seconds within which a build counts as used
MAX_BUILDS = 1000  # builds kept; a whole run of `mutate` must fit in
# What a harness is compiled against, beside what is generated.
INTERFACE = [MAIN, HARNESS / "harness.h", DATA]
INTERFACE += [setup.ROOT / "dpi/include/warplock" / name for name in ("dpi.h", "checker.h")]
INTERFACE += [setup.ROOT / "refmodel/include/warplock" / name for name in ("block.h", "error.h")]

NOT_TAKEN = {*":\n\r"}  # in names of files


WHICH = ("system", "newest")  # Verilators


@dataclass(frozen=True)
class Tool:
    """A Verilator: the program and the environment it needs."""

    program: str
    root: Path  # holds include/
    make_args: tuple[str, ...] = ()
    is_packaged: bool = False  # needs VERILATOR_ROOT; the system's knows its own

    def environment(self) -> dict[str, str]:
        return dict(os.environ) | ({"VERILATOR_ROOT": str(self.root)} if self.is_packaged else {})


@dataclass
class Rtl:
    """What to Verilate: files in order, and how to read them."""

    files: list[Path]
    top: str
    include_dirs: list[Path] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    included: list[Path] = field(default_factory=list)  # by the files
    foreign: list[Path] = field(default_factory=list)  # C that it imports by DPI, and headers
    data: list[Path] = field(default_factory=list)  # that it reads when it runs
    wrappers: list[str] = field(default_factory=list)  # modules beside the top that bind to it

    @property
    def compiled(self) -> list[Path]:
        """The files that a build rests on."""
        return [*self.files, *self.included, *self.foreign]

    @property
    def content(self) -> list[Path]:
        """The files that what it does rests on."""
        return [*self.compiled, *self.data]


def find_tool(which: str) -> Tool:
    """`system`: the one on PATH. `newest`: the one of PyPI's package in build/venv, which is
    installed when it is first asked for; NO_TOOL where it cannot be."""
    if which == "system":
        program = build.tool("verilator")
        done = progress.run([program, "--getenv", "VERILATOR_ROOT"])
        return Tool(program, Path(done.output.strip() or "/usr/share/verilator"))
    setup.ensure(["newest"])
    (root,) = setup.VENV.glob("lib/python3*/site-packages/verilator")
    # Its makefile was configured elsewhere: how to include the precompiled header, which Python.
    program = str(root / "bin" / "verilator")
    make_args = ("CFG_CXXFLAGS_PCH_I=-include", f"PYTHON3={sys.executable}")
    return Tool(program, root, make_args, is_packaged=True)


def needs(which: str) -> tuple[str, ...]:
    """What set-up must bring for a Verilator beside the system's."""
    return () if which == WHICH[0] else (which,)


def words(which: str) -> list[str]:
    """The words of a command line that choose it."""
    return [] if which == WHICH[0] else ["--verilator", which]


def other(which: str) -> str:
    """The Verilator that gives the second opinion on what this one says."""
    return next(each for each in WHICH if each != which)


@functools.cache
def version(tool: Tool) -> str:
    """Its name and version."""
    if tool.is_packaged:  # it does not know its own
        major, minor, _ = setup.pinned(["newest"])["verilator"].split(".")
        return f"Verilator {major}.{minor:0>3}"
    said = progress.run([tool.program, "--version"], env=tool.environment()).output
    return " ".join(said.split()[:2])


def both(which: str) -> list[str]:
    """What is said of a Verilator and of the other one."""
    return [version(find_tool(each)) for each in (which, other(which))]


def folder() -> Path:
    """Where harnesses are built: build/rtl. GNU make cannot build below a name with blanks and the
    like in it, so then it is a folder of the user's cache, one for each checkout."""
    place = setup.BUILD / "rtl"
    if not ODD.search(str(place)):
        return place
    cache = installed.cache()
    if ODD.search(str(cache)):
        message = f"make cannot build in {place} nor in {cache}: blanks or signs in the name"
        hint = f"let {setup.BUILD_VARIABLE} name a folder without"
        raise WlkError(Status.BUILD_FAIL, f"{message}; {hint}")
    return cache / keep.digest([str(setup.BUILD)])


def _for_make(words: Sequence[str]) -> str:
    """The value of a variable that stands in a recipe."""
    return shlex.join(words).replace("$", "$$")


def _sources(
    harness: Harness, bound: Sequence[Harness], is_direct: bool, has_own: bool
) -> dict[str, str]:
    """Generated files by name: those of the harness, and of the checkers that are bound."""
    files = {"wlk_harness.h": harness.glue_h(PREFIX, is_direct=is_direct and has_own)}
    if harness.top != harness.module:
        files[f"{harness.top}.sv"] = harness.top_sv()
    if bound:
        files[verdict_package.FILE] = verdict_package.TEXT
        files["wlk_pkg.sv"] = harness.package_sv()
    for each in bound:
        files[f"{each.checker}.sv"] = each.checker_sv(is_direct=is_direct)
        files[f"{each.checker}_bind.sv"] = each.bind_sv()
        if not is_direct:
            files[f"{each.checker}{STEP}"] = each.step_c(f"{PREFIX}__Dpi.h")
    for each in _specialised(harness, bound, has_own=has_own):
        files |= specialised.sources(each.table, each.cfg, each.checker)
    return files


def _specialised(harness: Harness, bound: Sequence[Harness], *, has_own: bool) -> list[Harness]:
    """Those whose models are compiled for their configurations."""
    known = {each.checker: each for each in (*([harness] if has_own else []), *bound)}
    return [each for each in known.values() if specialised.is_possible(each.table)]


def data_header(files: Sequence[Path], include_dirs: Sequence[Path]) -> str:
    """Where the RTL finds the files that it reads, for DATA."""
    names = [*map(str, folders.beside(files, include_dirs))]
    rows = "".join(f"    {json.dumps(name, ensure_ascii=False)},\n" for name in names)
    return f"static const char *const wlk_data_folders[] = {{\n{rows}    nullptr,\n}};\n"


def harness_program(
    harness: Harness,
    rtl: Rtl,
    *,
    trace: bool = False,
    bound: Sequence[Harness] | None = None,
    is_direct: bool = False,
    has_own: bool = True,
    tool: Tool | None = None,
    optimize: Sequence[str] = (),
    is_short: bool = False,
    stage: Callable[[str], None] = lambda _: None,
) -> Path:
    """The harness program for this RTL. BUILD_FAIL shows the first error and names the log.
    `bound`: whose checkers are bound; by default the harness's own. `is_direct`: no checker
    crosses DPI, and the harness reads the ports and calls the model itself, unless it `has_own`
    none. `optimize`: for the compiler, in place of what suits the size and a run that `is_short`,
    of SHORT cycles at most. `stage` is called with what is being done."""
    library = build.brought_up()
    tool = tool or find_tool("system")
    if trace and not can_trace(tool):
        message = "this Verilator's FST writer needs lz4.h; install liblz4-dev"
        raise WlkError(Status.BUILD_FAIL, message)
    bound = [harness] if bound is None else bound
    generate = functools.partial(_sources, bound=bound, is_direct=is_direct, has_own=has_own)
    data = {"wlk_data.h": data_header(rtl.files, rtl.include_dirs)}
    sources, held = generate(harness) | data, harness.held()
    size = sum(path.read_bytes().count(b"\n") for path in rtl.files)
    flags = _verilator_flags(rtl, trace)
    optimize = optimize or (BIG if is_short or size > LARGE else SMALL)
    content = [part for path in rtl.compiled for part in (str(path), path.read_bytes())]
    models = {
        file
        for each in _specialised(harness, bound, has_own=has_own)
        for file in specialised.read(each.table)
    }
    interface = [path.read_bytes() for path in (*INTERFACE, *sorted(models))]
    identity = [
        *flags,
        *optimize,
        UNOPTIMIZED,
        DESIGN_TEXT,
        CALLED,
        tool.program,
        str(library),
        harness.top,
        held.top_sv(),
        *interface,
    ]
    key = keep.digest([*identity, *content, *sources, *sources.values()])
    place = folder() / key
    program = place / "harness"
    with setup.locked(f"rtl-{key}"):
        if program.is_file():
            os.utime(place)
            return program
        for each in (harness, held):
            sources = generate(each) | data
            shutil.rmtree(place, ignore_errors=True)
            (place / "obj").mkdir(parents=True)
            keep.prune(place.parent, MAX_BUILDS, "rtl")
            _write(place, sources)
            stage("Verilating")
            verilate(place, rtl, sources, [*flags, "--top-module", each.top], tool, MAIN)
            if not _is_circular(place / "obj"):
                break
        _finish(place / "obj")
        stage("compiling")
        _compile(place, rtl, library, optimize, sources, tool)
    return program


def _write(place: Path, sources: Mapping[str, str]) -> None:
    try:
        for name, text in sources.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text(text, encoding="utf-8")
    except OSError as error:
        if full := outputs.no_room(Path(os.devnull), place):
            raise WlkError(Status.NO_SPACE, full) from error
        raise


def _is_circular(made: Path) -> bool:
    """Does Verilator see logic that depends on itself, as where bits of a vector drive other bits
    of it? Its C++ names what such logic waits for."""
    return any(HYBRID in path.read_bytes() for path in made.glob("*__Slow.cpp"))


@contextlib.contextmanager
def in_use(program: Path) -> Iterator[None]:
    """While a harness runs its build is not forgotten."""
    with program.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def shrink(most: int) -> tuple[int, int]:
    """Forget builds until all take so many bytes at most, but none that runs or was used within
    the hour: how many are left, and their bytes. Safe beside builds and runs."""
    place = folder()
    for part in place.glob(".*"):  # of one that was killed while it removed it
        shutil.rmtree(part, ignore_errors=True)
    known = [path for path in place.glob("*") if not path.name.startswith("runtime-")]
    return keep.shrink(known, most, _forget)


def _forget(entry: Path) -> bool:
    """Remove a build, unless it is in use."""
    with setup.unlocked(f"rtl-{entry.name}") as is_free, contextlib.suppress(OSError):
        if not is_free or time.time() - entry.stat().st_mtime < RECENT:
            return False
        program = entry / "harness"
        if program.is_file():  # else it did not compile
            with program.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        keep.remove(entry)
    return not entry.exists()


def _verilator_flags(rtl: Rtl, trace: bool) -> list[str]:
    flags = ["--x-assign", "fast", "--expand-limit", str(EXPAND), *reading(rtl)]
    return [*flags, *(["--trace-fst"] if trace else [])]


def reading(rtl: Rtl) -> list[str]:
    """Flags by which Verilator reads RTL, the same for all programs: one reading of it."""
    flags = ["--cc", "--exe", "--prefix", PREFIX, "-O3", "--x-initial", "unique"]
    flags.append("--no-timing")  # `#1` behind an assignment means nothing to cycles
    # The user's RTL is judged by lockstep, not by lint; a duplicate helper module is usual.
    flags += ["-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MODDUP", "-Wno-TIMESCALEMOD"]
    # Assertions count, but must not end the process: the harness judges them at its end.
    flags.append("--assert")
    flags += ["-CFLAGS", "-DVL_USER_STOP -DVL_USER_FATAL -DVL_USER_FINISH -DVL_USER_WARN"]
    # Lint codes that comments of the RTL name, which an older Verilator need not know.
    texts = (path.read_bytes() for path in (*rtl.files, *rtl.included))
    codes = sorted({code.decode() for text in texts for code in LINT_CODE.findall(text)})
    flags += [f"-Wfuture-{code}" for code in codes]
    flags += [f"+define+{text}" for text in rtl.defines]
    return flags + [f"+incdir+{path}" for path in rtl.include_dirs]


@functools.cache
def can_trace(tool: Tool) -> bool:
    """Waveforms can be built in: the packaged one's FST writer needs a header that it lacks."""
    command = [os.environ.get("CC", "cc"), "-E", "-include", "lz4.h", "-x", "c", "/dev/null"]
    return not tool.is_packaged or progress.run(command).code == 0


def verilate(
    place: Path, rtl: Rtl, sources: Iterable[str], flags: Sequence[str], tool: Tool, main: Path
) -> None:
    """Verilate RTL and the `sources` of a folder into obj/ in it, with a program's main file."""
    for path in (*rtl.files, *rtl.include_dirs, place):
        odd = sorted(NOT_TAKEN & {*str(path)})
        if odd or os.path.expandvars(path) != str(path):
            what = odd[0] if odd else "$VARIABLE"
            message = f"{path}: Verilator and make take no {what!r}"
            hint = "link the folder under another one"
            raise WlkError(Status.BUILD_FAIL, f"{message} in a name; {hint}")
    checker, made = [place / name for name in sources if name.endswith(".sv")], place / "obj"
    # A name without blanks, which make does not bear.
    main = shutil.copyfile(main, made / main.name)
    command = [tool.program, *flags, "-Mdir", made, *checker, *rtl.files, main]
    _run(command, place, "Verilator does not take the RTL", tool)
    if full := outputs.no_room(place / "build.log", place):  # it does not notice
        raise WlkError(Status.NO_SPACE, f"Verilator could not write all of its output: {full}")


def _finish(made: Path) -> None:
    """Change what Verilator has written, where that makes it compile or compile faster."""
    with (made / f"{PREFIX}__Syms.h").open("a", encoding="utf-8") as file:
        file.write(CALLED)
    # Here and not by OPT_SLOW, since a precompiled header is for one optimization only, and small
    # RTL is compiled as one file. What runs once, and what writes waveforms, would take longer to
    # optimize than it runs.
    for path in sorted({*made.glob("*__Slow.cpp"), *made.glob("*__Trace__*.cpp")}):
        path.write_text(f"{UNOPTIMIZED}{path.read_text(encoding='utf-8')}{REST}", encoding="utf-8")


def _compile(
    place: Path, rtl: Rtl, library: Path, optimize: Sequence[str], sources: dict[str, str],
    tool: Tool,
) -> None:  # fmt: skip
    folders = ("dpi/harness", "dpi/include", "refmodel/include")
    includes = [f"-I{setup.ROOT / name}" for name in folders]
    objects: list[Path] = []
    # A type that differs from Verilator's declaration is an error for every user.
    strict = ["-Werror" if build.is_strict() else "-Werror=incompatible-pointer-types"]
    for step in sorted(place / name for name in sources if name.endswith(STEP)):
        objects.append(place / "obj" / f"{step.stem}.o")
        command = [os.environ.get("CC", "cc"), "-std=gnu11", optimize[0], "-Wall", *strict]
        command += ["-fPIC", "-c", step, "-o", objects[-1], f"-I{place / 'obj'}"]
        command += [f"-I{tool.root / 'include'}", f"-I{tool.root / 'include/vltstd'}"]
        command += includes
        _run(command, place, "the step call does not compile", tool)
    # Without DPI there is no svdpi; nothing calls it.
    shared = [] if objects else ["-Wl,--allow-shlib-undefined"]
    for model in sorted(place / name for name in sources if name.endswith(specialised.SUFFIX)):
        objects.append(place / "obj" / f"{model.stem}.o")
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-std=gnu11", *specialised.flags(compiler), "-fPIC", "-c"]
        command += [model, "-o", objects[-1], f"-I{place}"]
        command += [f"-I{each}" for each in specialised.INCLUDES]
        _run(command, place, "the model does not compile", tool)
    libs = library / "dpi"
    own = foreign.built(rtl.foreign, place, tool.root / "include", rtl.include_dirs)
    link = _for_make(
        [
            *map(str, objects),
            *own.link,
            f"-L{libs}",
            "-lwarplock_dpi",
            f"-Wl,-rpath,{libs}",
            *shared,
        ]
    )
    if library.name == "asan":
        link += " -fsanitize=address,undefined"  # the library's runtime must come first
    make(place, tool, optimize, "harness", includes, link, own)


def make(
    place: Path, tool: Tool, optimize: Sequence[str], name: str, includes: Sequence[str] = (),
    link: str = "", own: foreign.Built | None = None,
) -> None:  # fmt: skip
    """Compile what was Verilated in a folder to the program `name` there."""
    cflags = _for_make([f"-I{place}", *includes])
    command = ["make", "-C", place / "obj", "-f", f"{PREFIX}.mk"]
    flags = " ".join(optimize)
    command += [f"OPT_FAST={flags}", f"OPT_GLOBAL={RUNTIME}", f"OPT_SLOW={flags}", *tool.make_args]
    cached = ["OBJCACHE=ccache"] if shutil.which("ccache") else []
    headers = HEADERS.format(optimize[0])
    folder, objects = _runtime([*command, *cached], place, tool, headers, optimize)
    link = " ".join([FOPEN, *(str(folder / name) for name in objects), link])
    many = PARALLEL in (place / "obj" / f"{PREFIX}_classes.mk").read_text(encoding="utf-8")
    # From 5.022 on it precompiles the headers of RTL that is in several files by itself.
    if tool.is_packaged or (many and (place / "obj" / f"{PREFIX}__pch.h").exists()):
        command += cached
    elif many:
        (place / "obj" / DESIGN).write_text(DESIGN_TEXT, encoding="utf-8")
        first = [*command, f"USER_CPPFLAGS={cflags}", _precompile(flags), f"{DESIGN}.gch"]
        _run(first, place, "headers of the Verilated RTL do not compile", tool)
        cflags = f"-include {DESIGN} {cflags}"
    else:
        cflags = f"-include {folder / headers} {cflags}"
    command += [f"USER_CPPFLAGS={cflags}", f"USER_LDLIBS={link}", "VK_GLOBAL_OBJS="]
    _run(command, place, "the Verilated RTL does not compile", tool, own)
    (place / "obj" / PREFIX).rename(place / name)
    for pattern in ("*.o", "*.gch"):
        for path in (place / "obj").glob(pattern):
            path.unlink()


def _precompile(flags: str) -> str:
    """A rule for make."""
    return f"--eval=%.gch: %; $(CXX) $(CXXFLAGS) $(CPPFLAGS) {flags} -x c++-header -c -o $@ $<"


def _runtime(
    make: Sequence[str | Path], place: Path, tool: Tool, headers: str, optimize: Sequence[str]
) -> tuple[Path, list[str]]:
    """Verilator's own sources, compiled once for all harnesses: they take longer than the RTL of a
    block. The folder, which also has their headers precompiled, and the names of the objects."""
    show = "wlk-show:;@echo wlk: $(VK_GLOBAL_OBJS) : $(CXX) $(VK_CPPFLAGS_ALWAYS) $(VM_USER_CFLAGS)"
    done = progress.run([*make, f"--eval={show}", "wlk-show"], env=tool.environment())
    line = next((x for x in done.output.splitlines() if x.startswith("wlk: ")), None)
    if done.code or line is None:
        raise WlkError(Status.BUILD_FAIL, f"make fails in {place / 'obj'}: {done.output.strip()}")
    names, _, flags = line.removeprefix("wlk: ").partition(" : ")
    objects = names.split()
    versions = [(tool.root / "include" / name).read_bytes() for name in RUNTIME_VERSION]
    key = keep.digest([str(tool.root), flags, HEADER_TEXT, *SMALL, *BIG, *versions])
    folder = place.parent / f"runtime-{key}"
    with setup.locked("rtl-runtime"):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # in use: not to be pruned
        lacking = [n for n in (*objects, headers + ".gch") if not (folder / n).is_file()]
        if lacking:
            (folder / headers).write_text(HEADER_TEXT, encoding="utf-8")
            shutil.copyfile(folder / headers, place / "obj" / headers)
            command = [*make, _precompile(" ".join(optimize)), *lacking]
            _run(command, place, "Verilator's runtime does not compile", tool)
        for name in lacking:
            (place / "obj" / name).rename(folder / name)
    return folder, objects


def _run(
    command: Sequence[str | Path], place: Path, failure: str, tool: Tool,
    own: foreign.Built | None = None,
) -> None:  # fmt: skip
    """BUILD_FAIL where it fails. `own`: C that is linked, or could not be."""
    log = place / "build.log"
    if progress.run(command, log=log, **progress.make_options(tool.environment())).code:
        if full := outputs.no_room(log, place):
            raise WlkError(Status.NO_SPACE, f"{failure}: {full}")
        if lack := outputs.starved(log):
            raise WlkError(Status.NO_MEMORY, f"{failure}: {lack}; see {log}")
        text = log.read_text(encoding="utf-8", errors="replace")
        if lacking := sorted({*UNDEFINED.findall(text)}):
            what = f"the RTL imports {', '.join(lacking)} by DPI, and nothing defines it"
            hint = own.why(lacking) if own is not None else ""
            hint = hint or "name its C by --rtl, or leave the import out by a macro (--define)"
            raise WlkError(Status.BUILD_FAIL, f"{what}; {hint}; see {log}")
        why = build.first_error(log, ERROR) or "".join(progress.tail(log, 1)) or "no output"
        raise WlkError(Status.BUILD_FAIL, f"{failure}: {why}; see {log}")
