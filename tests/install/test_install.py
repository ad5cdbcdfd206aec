# SPDX-License-Identifier: Apache-2.0
"""An installed copy: it works for another user, who does not see the checkout, and says what is
wrong with it. Programs in C and pages of the headers are made from it."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import programs
import pytest
from wlk.base import installed, setup
from wlk.base.errors import Status
from wlk.gen.installed import files
from wlk.run import verilate

ROOT = programs.ROOT
NOBODY = 65534
PATHS = "/usr/local/bin:/usr/bin:/bin"
C_API = (ROOT / "docs/c-api.md").read_text(encoding="utf-8")
STEP, READ = re.findall(r"^```c\n(.*?)^```$", C_API, re.MULTILINE | re.DOTALL)
PRINTED = re.search(r"^```text\n(.*?)^```$", C_API, re.MULTILINE | re.DOTALL)[1]
VERSION = installed.version()


@pytest.fixture(scope="module")
def place():
    """A folder that every user may look into."""
    with tempfile.TemporaryDirectory(prefix="warplock-install-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def install(folder: Path, *options: str) -> Path:
    """Where `meson install` has put a copy: not where it was told that the prefix is."""
    if programs.build.folder().name == "asan":
        pytest.skip("a copy has no sanitizers")
    command = ["meson", "install", "--no-rebuild", "--quiet", "--destdir", folder, *options]
    done = subprocess.run(
        [*command, "-C", programs.folder()], capture_output=True, text=True, umask=0o022
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "usr/local"


@pytest.fixture(scope="module")
def copy(place):
    return install(place / "whole")


@pytest.fixture
def spoilt(copy, place):
    """A copy to spoil: of links to the files of the whole one."""
    yield shutil.copytree(copy, place / "spoilt", copy_function=os.link, symlinks=True)
    shutil.rmtree(place / "spoilt")


def elsewhere() -> list[str]:
    """What runs a command as another user who does not see the checkout, where root can do that."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"]).returncode != 0:
        return []
    hide = (
        'mount -t tmpfs none "$0" && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"'
    )
    return ["unshare", "--mount", "sh", "-c", hide, str(ROOT)]


def run(prefix: Path, *words: object, code: int = 0, cwd: Path | None = None, **env: object):
    """The command of a copy; nothing is installed for it."""
    variables = {"PATH": PATHS, "HOME": "/nonexistent", "WARPLOCK_NO_SETUP": "1"}
    command = [str(prefix / "bin/warplock"), *map(str, words)]
    done = subprocess.run(
        [*elsewhere(), *command],
        capture_output=True,
        text=True,
        cwd=cwd or prefix,
        env=variables | {name: str(value) for name, value in env.items()},
    )
    answer = programs.Done(done.returncode, done.stdout, done.stderr).expect(code)
    assert str(ROOT) not in answer.out + answer.err
    return answer


@pytest.fixture(scope="module")
def work(place):
    """A folder of the other user's: for files, and below it his cache."""
    folder = place / "work"
    folder.mkdir()
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    return folder


# ---- the command --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.needs("verilate")
def test_copy_runs_without_the_checkout(copy, work):
    def command(*words):
        return run(copy, *words, cwd=work, XDG_CACHE_HOME=work / "cache")

    lockstep = ("lockstep", "scoreboard", "--seeds", "1..1", "--cycles", "2000", "--waves")
    assert command(*lockstep, "--json").json["verdict"] == "PASS"
    results = json.loads((work / "reports/latest/results.json").read_text())
    assert results["command"].startswith("warplock lockstep scoreboard")
    (wave,) = (work / "reports/latest").glob("*/wave.fst")
    assert command("check", wave, "--json").json["verdict"] == "PASS"
    command("vectors", "gen", "collector", "c.wlv", "--config", "num_lanes=4", "--cycles", "500")
    assert command("vectors", "play", "c.wlv", "--json").json["cycles"] == 500
    assert "PASS" in command("vectors", "golden").out
    listed = command("lockstep", "--list", "--json").out
    assert all(f'"{name}"' in listed for name in programs.tables.names())
    assert command("--version").out == f"warplock {VERSION}\n"
    assert (work / "cache/warplock" / VERSION / "rtl").is_dir()


def test_copy_stays_as_it_was_installed(copy, work):
    """Run by its owner, who could write to it, too."""
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*")}
    environment = os.environ | {"XDG_CACHE_HOME": str(work / "own")}
    environment["PYTHONDONTWRITEBYTECODE"] = ""
    command = [copy / "bin/warplock", "vectors", "gen", "hazard", work / "own.wlv", "--cycles=10"]
    subprocess.run(command, check=True, env=environment)
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*")} == before
    assert list((work / "own/warplock/python").rglob("cli.*.pyc"))


def test_copy_holds_no_path_of_the_checkout(copy):
    found = [path for path in copy.rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(found) > 300
    assert [path for path in found if str(ROOT).encode() in path.read_bytes()] == []
    links = {path: path.readlink() for path in copy.rglob("*") if path.is_symlink()}
    assert len(links) >= 5
    assert all(path.exists() and not link.is_absolute() for path, link in links.items())


def contents(prefix: Path) -> dict[str, tuple[int, bytes]]:
    """Name -> mode and bytes, or where a link leads."""
    return {
        str(path.relative_to(prefix)): (path.lstat().st_mode, data)
        for path in prefix.rglob("*")
        if not path.is_dir()
        for data in [bytes(path.readlink()) if path.is_symlink() else path.read_bytes()]
    }


@pytest.mark.slow
def test_build_elsewhere_has_the_same_bytes(copy, place):
    """Of the same sources, copied to another folder, which takes another time. ccache would hide
    what a compiler draws at random: some files are compiled without it."""
    folder, other = programs.folder(), place / "in another place/warplock"
    build = Path(os.path.normpath(other / os.path.relpath(folder, ROOT)))
    programs.copy_checkout(other)
    kind = programs.build.KINDS[folder.name]
    environment = os.environ | dict(kind.compilers) | {"TZ": "Asia/Tokyo"}

    def step(*words: object, **variables: str) -> None:
        command = list(map(str, words))
        done = subprocess.run(command, capture_output=True, text=True, env=environment | variables)
        assert done.returncode == 0, done.stdout + done.stderr

    build.parent.mkdir(parents=True)
    (build.parent / "venv").symlink_to(setup.VENV)  # which makes completion and the manual page
    step("meson", "setup", *kind.options, build, other)
    step("ninja", "-C", build, "package")
    fresh = [*build.glob("refmodel/libopndcoll*/*.o"), *build.glob("dpi/wlk-vec.p/*.o")]
    assert len(fresh) > 10
    for path in fresh:
        path.unlink()
    step("ninja", "-C", build, "package", CCACHE_DISABLE="1")
    step("meson", "install", "--no-rebuild", "--quiet", "-C", build, "--destdir", place / "second")
    here, there = contents(copy), contents(place / "second/usr/local")
    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []


def test_copy_has_every_public_header(copy):
    written = {p.name for part in ("refmodel", "dpi") for p in (ROOT / part).glob("include/*/*.h*")}
    made = {p.name for p in (programs.folder() / "refmodel/include/warplock").glob("*_ports.h")}
    have = {path.name for path in (copy / "include/warplock").iterdir()}
    assert have == written | made | {"vectors.h"}
    assert len(made) == len(programs.tables.names())


@pytest.mark.needs("completion")
def test_copy_has_completion_and_the_manual_page(copy):
    texts = {
        "bash": copy / "share/bash-completion/completions/warplock.bash",
        "zsh": copy / "share/zsh/site-functions/_warplock",
        "man": copy / "share/man/man1/warplock.1",
    }
    for kind, path in texts.items():
        assert path.read_text() == programs.typed("completion", kind).out


def test_install_tag_program_is_enough_for_the_command(place, work):
    prefix = install(place / "program", "--tags", "program")
    words = ("vectors", "gen", "hazard", "h.wlv", "--cycles", "100")
    run(prefix, *words, cwd=work, XDG_CACHE_HOME=work / "cache")
    assert {path.name for path in prefix.iterdir()} == {"bin", "lib", "libexec", "share"}
    assert not list(prefix.rglob("*.a"))


def test_kernels_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kernel = Path("vectors/kernels/dot.prog")
    assert installed.shipped(kernel) == ROOT / kernel
    assert installed.shipped(Path("vectors/none.prog")) == Path("vectors/none.prog")
    kernel.parent.mkdir(parents=True)
    kernel.touch()
    assert installed.shipped(kernel) == kernel


def test_program_that_is_not_there_is_refused_at_once(tmp_path):
    done = programs.warplock("lockstep", "issue", "--program", tmp_path / "n.prog", code=None)
    programs.refused(done, Status.NO_FILE, f"--program {tmp_path / 'n.prog'}: no such file")


def test_copy_has_no_tests(copy, work):
    done = run(copy, "test", code=Status.USAGE, cwd=work)
    programs.refused(done, Status.USAGE, "an installed copy has no tests", "scripts/warplock test")


# ---- what can be wrong --------------------------------------------------------------------------

GEN = ("vectors", "gen", "hazard", "none.wlv", "--cycles", "10")


@pytest.mark.parametrize(
    "name",
    ["share/warplock/refmodel/muon/hazard/block.toml", "share/warplock/rtl_stub/hazard/*.sv"],
)
def test_half_a_copy_is_refused(spoilt, name):
    (path,) = spoilt.glob(name)
    path.unlink()
    done = run(spoilt, *GEN, code=Status.NO_FILE, XDG_CACHE_HOME=spoilt)
    missing = path.relative_to(spoilt / "share/warplock")
    programs.refused(done, Status.NO_FILE, f"not whole: no {missing}; install warplock again")


@pytest.mark.parametrize(
    "name",
    ["scripts/wlk/base/guard.py", "refmodel/include/warplock/error.h", "installed.json"],
)
def test_a_copy_without_a_part_of_the_command_is_refused(spoilt, name):
    (spoilt / "share/warplock" / name).unlink()
    done = run(spoilt, *GEN, "--json", code=Status.NO_FILE, XDG_CACHE_HOME=spoilt)
    assert "this installation is not whole" in done.line
    assert done.json["error"]["status"] == "NO_FILE"


@pytest.mark.parametrize("name", ["wlk-vec", "libwarplock_dpi.so"])
def test_a_compiled_part_that_is_missing_is_refused(spoilt, name, work):
    (spoilt / "libexec/warplock/dpi" / name).unlink()
    done = run(spoilt, *GEN, code=Status.NO_FILE, XDG_CACHE_HOME=work / "cache")
    programs.refused(done, Status.NO_FILE, f"dpi/{name}: No such file", "install warplock again")


@pytest.mark.parametrize("name", installed.COMPILED)
def test_a_compiled_part_of_another_version_is_refused(spoilt, name, work):
    path = spoilt / "libexec/warplock/dpi" / name
    mark = f"warplock library {VERSION}\0".encode()
    data = path.read_bytes()
    assert data.count(mark) == 1
    path.unlink()
    path.write_bytes(data.replace(mark, mark.replace(VERSION[:3].encode(), b"9.9")))
    done = run(spoilt, *GEN, code=Status.BAD_VERSION, XDG_CACHE_HOME=work / "cache")
    other = f"9.9{VERSION[3:]}"
    parts = (f"dpi/{name}: is of version {other}, and the command of {VERSION}", "install")
    programs.refused(done, Status.BAD_VERSION, *parts)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user; root can be one")
def test_a_cache_that_cannot_be_written_is_refused(copy, work):
    for env, named in (({}, "/nonexistent/.cache"), ({"XDG_CACHE_HOME": copy}, copy)):
        done = run(copy, *GEN, code=Status.NO_FILE, cwd=work, **env)
        parts = (f"cannot build in {named}/warplock/{VERSION}", "set XDG_CACHE_HOME")
        programs.refused(done, Status.NO_FILE, *parts, "WARPLOCK_BUILD_DIR")


def test_files_that_came_since_the_list_was_made_are_named(tmp_path):
    listed = [*files()]
    assert len(listed) > 250
    (tmp_path / "installed.json").write_text(json.dumps({"files": listed[1:]}))
    command = ("-m", "wlk.gen.installed", tmp_path / "installed.json")
    process = programs.python(*command, env={"PYTHONPATH": ROOT / "scripts"})
    _, err = process.communicate(timeout=60)
    assert process.returncode == Status.BUILD_FAIL
    assert f"{listed[0]} came or went" in err and "--reconfigure" in err


# ---- programs in C ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sources(place):
    (place / "step.c").write_text(STEP)
    (place / "read.c").write_text(READ)
    return place


def flags(prefix: Path, *options: str, package: str = "warplock") -> list[str]:
    """What pkg-config says of a copy."""
    (found,) = prefix.glob("lib/**/pkgconfig")
    command = ["pkg-config", f"--define-variable=prefix={prefix}", *options, package]
    environment = os.environ | {"PKG_CONFIG_PATH": str(found)}
    return subprocess.check_output(command, env=environment, text=True).split()


def compiled(source: Path, prefix: Path, *options: str) -> Path:
    """A program made as docs/c-api.md says, strictly."""
    program = source.with_suffix(".static" if "--static" in options else ".shared")
    words = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", source, "-o", program]
    static = ["-static"] if "--static" in options else []
    command = [*words, *flags(prefix, "--cflags", "--libs", *options), *static]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def output(program: Path, prefix: Path, *words: object) -> str:
    (library,) = {path.parent for path in prefix.glob("lib/**/libwarplock.so")}
    environment = os.environ | {"LD_LIBRARY_PATH": str(library)}
    command = [str(program), *map(str, words)]
    return subprocess.check_output(command, env=environment, text=True)


def test_shared_library_asks_for_no_other_package(copy):
    for package in ("warplock", "warplock-dpi"):
        assert flags(copy, "--print-requires-private", package=package) == []
        assert f"-I{copy}/include" in flags(copy, "--cflags", package=package)


@pytest.mark.parametrize("options", [(), ("--static",)])
def test_program_in_c_steps_a_model(copy, sources, options):
    assert output(compiled(sources / "step.c", copy, *options), copy) == PRINTED


def test_program_in_c_reads_a_vector_file(copy, sources, work, tmp_path):
    program = compiled(sources / "read.c", copy)
    words = ("collector", work / "read.wlv", "--seed", "7", "--cycles", "1000")
    run(copy, "vectors", "gen", *words, "--config", "num_lanes=4", XDG_CACHE_HOME=work / "cache")
    found = re.fullmatch(
        r"1000 cycles, (\d+) with a request, (\d+) of them stalled\n",
        output(program, copy, work / "read.wlv"),
    )
    assert 100 < int(found[2]) < int(found[1]) < 1000
    other = ROOT / "vectors/golden/hazard_default.wlv"
    assert subprocess.run([program, other], capture_output=True).returncode != 0


@pytest.mark.needs("cmake")
def test_cmake_finds_a_copy(copy, sources, tmp_path):
    text = f"""cmake_minimum_required(VERSION 3.20)
project(use C)
find_package(warplock {VERSION.rpartition(".")[0]} REQUIRED)
if(NOT TARGET warplock::dpi)
  message(FATAL_ERROR "no warplock::dpi")
endif()
find_package(warplock 0.1 QUIET)
if(warplock_FOUND)
  message(FATAL_ERROR "another minor version fits")
endif()
add_executable(step {sources / "step.c"})
target_link_libraries(step warplock::warplock)
"""
    (tmp_path / "CMakeLists.txt").write_text(text)
    made = tmp_path / "made"
    for words in (("-S", tmp_path, "-B", made, f"-DCMAKE_PREFIX_PATH={copy}"), ("--build", made)):
        done = subprocess.run(["cmake", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert output(made / "step", copy) == PRINTED


def test_shared_libraries_export_our_names_alone(copy):
    version = re.search(
        r"WLK_ABI_VERSION (\d+)u", (ROOT / "refmodel/include/warplock/block.h").read_text()
    )
    for name in ("warplock", "warplock_dpi"):
        (path,) = copy.glob(f"lib/**/lib{name}.so.{version[1]}")
        lines = subprocess.check_output(["nm", "-DP", "--defined-only", path], text=True)
        names = [line.split()[0] for line in lines.splitlines()]
        assert len(names) > 100
        assert [each for each in names if not each.startswith("wlk_")] == []
        dynamic = subprocess.check_output(["objdump", "-p", path], text=True)
        assert re.search(rf"SONAME +lib{name}\.so\.{version[1]}$", dynamic, re.MULTILINE)


@pytest.mark.needs("doxygen")
def test_headers_make_pages_without_a_warning(tmp_path):
    conf = (ROOT / "docs/doxygen.conf").read_text(encoding="utf-8")
    made = programs.folder() / "refmodel/include/warplock"
    done = subprocess.run(
        ["doxygen", "-"],
        input=f"{conf}\nOUTPUT_DIRECTORY = {tmp_path}\n",
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"GENERATED": str(made)},
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "html/structwlk__collector__cfg.html").is_file()


# ---- pip ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def venv(place):
    """An empty environment, and then what pip has made of the checkout in it. A build more."""
    folder = place / "venv"
    subprocess.run(["python3", "-m", "venv", folder], check=True)
    pip = [folder / "bin/pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", place / "wheels", ROOT], check=True)
    (wheel,) = (place / "wheels").glob("warplock-*.whl")
    # Without their hashes, since the wheel can have none.
    pinned = setup.pinned(("python", "cocotb", "pytest")).items()
    (place / "pinned.txt").write_text("".join(f"{name}=={version}\n" for name, version in pinned))
    command = [*pip, "install", f"-c{place / 'pinned.txt'}", f"{wheel}[cocotb]"]
    subprocess.run(command, check=True)
    return folder


def in_venv(venv: Path, work: Path, *words: object, **env: object) -> programs.Done:
    """A program of the environment."""
    variables = {"PATH": f"{venv / 'bin'}:{PATHS}", "XDG_CACHE_HOME": work / "cache"} | env
    done = subprocess.run(
        [venv / "bin" / str(words[0]), *map(str, words[1:])],
        capture_output=True,
        text=True,
        cwd=work,
        env={name: str(value) for name, value in variables.items()},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return programs.Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
def test_pip_makes_a_wheel_with_the_command(venv, place, work):
    (wheel,) = (place / "wheels").glob("warplock-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    parts = ("bash-completion/completions/warplock.bash", "zsh/site-functions/_warplock")
    for part in (*parts, "man/man1/warplock.1"):
        assert any(name.endswith(f".data/data/share/{part}") for name in names)
    for name in names:  # headers beside the sources of models, which are compiled for a harness
        assert not name.endswith((".a", ".pc")), name
        assert not (".data/" in name and name.endswith(".h")), name
    assert "PASS" in in_venv(venv, work, "warplock", "vectors", "golden", "--no-setup").out


@pytest.mark.slow
def test_python_of_a_wheel_does_what_its_page_says(venv, work):
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    codes = re.findall(r"^```python\n(.*?)^```\nprints\n```text\n(.*?)^```$", page, re.M | re.S)
    assert len(codes) == 2
    folder = work / "page"
    folder.mkdir()
    for code, printed in codes:
        assert in_venv(venv, folder, "python", "-c", code).out == printed


@pytest.mark.slow
@pytest.mark.needs("iverilog", "newest")
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
def test_cocotb_of_a_wheel_runs_the_example(venv, work, simulator):
    env = {"OBJCACHE": "ccache"}
    if simulator == "verilator":
        tool = verilate.find_tool("newest")
        env |= {"PATH": f"{tool.root / 'bin'}:{venv / 'bin'}:{PATHS}", "VERILATOR_ROOT": tool.root}
        env["MAKEFLAGS"] = " ".join([*tool.make_args, "OPT_FAST=-O0", "OPT_SLOW=-O0"])
    stub = ("stub", "collector", "--no-setup", "--config", "num_lanes=4", "--out")
    in_venv(venv, work, "warplock", *stub, work / f"rtl_{simulator}")
    # A copy: cocotb takes the settings of pytest around a test, which name the checkout's package.
    example = shutil.copytree(ROOT / "docs/examples/cocotb", work / f"example_{simulator}")
    words = (example / "run.py", simulator, work / f"rtl_{simulator}")
    done = in_venv(venv, work, "python", *words, **env)
    assert str(ROOT / "scripts") not in done.out + done.err
    assert "collector tb.u_collector: PASS, 300 cycles, " in done.out + done.err
