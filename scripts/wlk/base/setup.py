# SPDX-License-Identifier: Apache-2.0
"""What the subcommands need, and its installation: distribution packages and build/venv (of an
installed copy, in the user's cache).

A command names the features it needs, so that nobody installs what he does not use. The set-up
kinds are sets of features: "run" is what a user may come to need, "test" is all.
"""

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from . import installed, outputs, progress
from .errors import ROOT, Status, WlkError
from .installed import INSTALLED

BUILD_VARIABLE = "WARPLOCK_BUILD_DIR"
REFUSED = "WARPLOCK_NO_SETUP"  # in the environment: install nothing
# An installation has no folder to write to: each user has one of a version's own in his cache.
BUILD = installed.cache() / INSTALLED.version if INSTALLED else ROOT / "build"
BUILD = Path(os.environ.get(BUILD_VARIABLE) or BUILD).absolute()
if BUILD_VARIABLE in os.environ:  # for processes that start in another folder
    os.environ[BUILD_VARIABLE] = str(BUILD)
VENV = BUILD / "venv"
PYTHON = VENV / "bin" / "python"


@dataclass(frozen=True)
class Feature:
    """Something that a command may need."""

    tools: Mapping[str, str] = field(default_factory=dict)  # program -> Debian package
    libraries: Mapping[str, str] = field(default_factory=dict)  # pkg-config module -> package
    loaded: Mapping[str, str] = field(default_factory=dict)  # shared library -> package
    runtimes: Mapping[str, str] = field(default_factory=dict)  # of clang -> package, of its version
    requirements: str = ""  # file with the Python packages, in scripts/
    without: str = ""  # of one that is offered: what comes of it where it cannot be had
    builders: str = ""  # one with what builds those that come as source alone


def _tools(names: str, **others: str) -> dict[str, str]:
    """Programs whose packages have their names, and others with their packages."""
    return {name: name for name in names.split()} | others


MODEL_READER = "requirements-model.txt"
FEATURES = {
    # libwarplock and its tools; Verilator brings the reader of FST files, and models are read
    "build": Feature(
        _tools("gcc g++ meson pkg-config verilator", ninja="ninja-build"),
        {"zlib": "zlib1g-dev", "libzstd": "libzstd-dev", "libdeflate": "libdeflate-dev"},
        requirements=MODEL_READER,
    ),
    # zlib: Verilator's writer of FST files
    "verilate": Feature(_tools("g++ make verilator ccache pkg-config"), {"zlib": "zlib1g-dev"}),
    "rtl": Feature(requirements="requirements.txt"),
    "model": Feature(requirements=MODEL_READER),
    "gtkwave": Feature({"vcd2fst": "gtkwave"}),
    "newest": Feature(libraries={"liblz4": "liblz4-dev"}, requirements="requirements-newest.txt"),
    "page": Feature(
        requirements="requirements-page.txt",
        builders="requirements-build.txt",
        without="pictures and HTML pages are left out",
    ),
    "completion": Feature(
        requirements="requirements-completion.txt", builders="requirements-build.txt"
    ),
    "ucis": Feature(requirements="requirements-ucis.txt"),
    "pytest": Feature({"xz": "xz-utils"}, requirements="requirements-test.txt"),
    "wellen": Feature(requirements="requirements-wellen.txt"),
    "lint": Feature(requirements="requirements-lint.txt"),
    "python": Feature(requirements="requirements-python.txt"),
    "cocotb": Feature(requirements="requirements-cocotb.txt"),
    "clang": Feature(_tools("clang clang-format clang-tidy")),
    "fuzz": Feature(
        _tools("clang"),
        runtimes={"fuzzer": "libclang-rt-{}-dev", "asan": "libclang-rt-{}-dev"},
        requirements="requirements-fuzz.txt",
    ),
    "prove": Feature(_tools("berkeley-abc"), requirements="requirements-prove.txt"),
    "image": Feature(_tools("buildah debootstrap")),
    "browser": Feature(
        _tools("chromium"),
        requirements="requirements-browser.txt",
        without="tests of HTML pages in a browser are skipped",
    ),
    "slurm": Feature(_tools("slurmctld slurmd", sbatch="slurm-client", munged="munge")),
    **{
        name: Feature(_tools(name))
        for name in ("git", "yosys", "valgrind", "iverilog", "cmake", "doxygen", "debootstrap")
    },
}
# What is built already needs but the libraries it was linked with.
BUILT = Feature(
    loaded={"libz.so.1": "zlib1g", "libzstd.so.1": "libzstd1", "libdeflate.so.0": "libdeflate0"}
)
if INSTALLED:
    FEATURES["build"] = BUILT
# Not every distribution has a package of it. Tests that need one which is lacking are skipped.
OPTIONAL = ("browser",)
KINDS = {"run": ("build", "verilate", "rtl", "model", "page", "completion")}
if not INSTALLED:
    KINDS["test"] = tuple(name for name in FEATURES if name not in OPTIONAL)
CLANG = "14"  # of the oldest Debian that is supported, whose clang is not there yet
OLDEST = {"meson": "1.0", "verilator": "5.006"}
# Debian 13 dropped these packages; the substitute brings the same program under its own name.
SUBSTITUTES = {"berkeley-abc": "yosys-abc"}
ENSUREPIP, HEADERS = "python3-venv", "python3-dev"  # for build/venv, and for `newest` in it
APT_LISTS = Path("/var/lib/apt/lists")
DAEMONS = "/usr/sbin:/sbin"  # which the PATH of most users lacks


@dataclass(frozen=True)
class Missing:
    """Something that is not there, and the Debian package that brings it."""

    name: str
    package: str


def ensure(features: Iterable[str], offered: Iterable[str] = (), *, allow: bool = True) -> None:
    """Make sure that all `features` are there; install what is missing if that is allowed.

    WARPLOCK_NO_SETUP=1 in the environment forbids it as well. The error names what is missing, and
    one command for all of it, what is missing of those that will be `offered` too. Takes a few
    milliseconds when a former call found everything and neither the requirements nor the tools
    have moved since.
    """
    if wanted := _unstamped(features):
        _provide(wanted, [*wanted, *_unstamped(offered)], allow)


def offer(features: Iterable[str]) -> dict[str, str]:
    """Install features that a command can do without. Returns why one cannot be had, which is also
    printed with what comes of it."""
    reasons = {}
    for name in _unstamped(features):
        try:
            _provide([name], [name], is_offered=True)
        except WlkError as error:
            if error.status != Status.NO_TOOL:
                raise
            reasons[name] = error.message
            _say(f"{FEATURES[name].without}: {error.message}")
    return reasons


def _unstamped(features: Iterable[str]) -> list[str]:
    return [name for name in FEATURES if name in set(features) and not _is_stamped(name)]


def _provide(
    wanted: Sequence[str], named: Sequence[str], allow: bool = True, *, is_offered: bool = False
) -> None:
    """Install `wanted`; an error names all that `named` lacks, and the command for it."""
    allow = allow and not os.environ.get(REFUSED)
    if not allow and (_lacking(wanted) or missing_packages(wanted)):
        raise _refusal(named)
    with locked("setup"):
        if missing := missing_packages(wanted):
            _install_packages(missing, named)
            _check_installed(wanted, named)
        for tool in OLDEST:
            if any(tool in FEATURES[name].tools for name in wanted):
                _check_version(tool)
        _ensure_venv(wanted, is_offered)
        for name in wanted:
            with outputs.atomic_write(_stamp(name)) as file:
                file.write(_digest(name))


@contextlib.contextmanager
def refused() -> Iterator[None]:
    """Nothing is installed inside, nor by commands that are started there."""
    before = os.environ.get(REFUSED)
    os.environ[REFUSED] = "1"
    try:
        yield
    finally:
        del os.environ[REFUSED]
        os.environ |= {} if before is None else {REFUSED: before}


def needs_venv(features: Iterable[str]) -> bool:
    """Does one of them bring Python packages?"""
    return any(FEATURES[name].requirements for name in features)


_threads: dict[str, threading.Lock] = {}  # so that only other processes are named


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold build/NAME.lock, so that runs side by side do not collide, nor do threads of one."""
    with _threads.setdefault(name, threading.Lock()):
        while True:
            with _lock_file(name) as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    _say(f"waiting for another run that works on build/{name}")
                    fcntl.flock(file, fcntl.LOCK_EX)
                if _is_there(file):
                    yield
                    return


@contextlib.contextmanager
def unlocked(name: str) -> Iterator[bool]:
    """Hold build/NAME.lock if nobody else does, and remove it then; whether it is held."""
    with _lock_file(name) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
        if _is_there(file):
            os.unlink(file.name)


def _is_there(file: IO[str]) -> bool:
    """Is it still the file of its name, and not one that was removed?"""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(file.name))
    except FileNotFoundError:
        return False


def _lock_file(name: str) -> IO[str]:
    try:
        BUILD.mkdir(parents=True, exist_ok=True)
        return (BUILD / f"{name}.lock").open("w")
    except OSError as error:
        hint = f"let {BUILD_VARIABLE} name a folder to build in"
        other = "set XDG_CACHE_HOME" if INSTALLED else "use a checkout of your own"
        status = Status.NO_SPACE if error.errno == errno.ENOSPC else Status.NO_FILE
        message = f"cannot build in {BUILD}: {error.strerror}; {other}, or {hint}"
        raise WlkError(status, message) from error


def _say(text: str) -> None:
    print(f"warplock: {text}", file=sys.stderr, flush=True)


# The stamp: what was found complete.


def _stamp(feature: str) -> Path:
    return BUILD / f"setup-{feature}.stamp"


def _digest(feature: str) -> str:
    """Changes when the requirements, a tool's place, the venv's place or its Python change."""
    parts = [str(which(tool)) for tool in FEATURES[feature].tools]
    if FEATURES[feature].requirements:
        parts += [str(VENV), str(PYTHON.resolve())]
        parts += [file.read_text(encoding="utf-8") for file in _requirements(feature)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _is_stamped(feature: str) -> bool:
    if _missing_tools([feature]) or (FEATURES[feature].requirements and not PYTHON.exists()):
        return False
    return _text(_stamp(feature)) == _digest(feature)


# Packages of the distribution.


def missing_packages(features: Sequence[str]) -> list[Missing]:
    """What of `features` is not there and a package of the distribution brings."""
    missing = _missing_tools(features) + _missing_libraries(features) + _missing_runtimes(features)
    if not needs_venv(features):
        return missing
    if importlib.util.find_spec("ensurepip") is None and not PYTHON.exists():
        missing.append(Missing("Python's ensurepip", ENSUREPIP))
    if "newest" in features and sys.base_prefix == "/usr" and not _has_python_headers():
        missing.append(Missing("Python.h", HEADERS))
    return missing


def _missing_tools(features: Iterable[str]) -> list[Missing]:
    tools = dict(item for name in features for item in FEATURES[name].tools.items())
    loaded = [item for name in features for item in FEATURES[name].loaded.items()]
    lacking = [Missing(library, package) for library, package in loaded if not _loads(library)]
    return lacking + [Missing(tool, package) for tool, package in tools.items() if not which(tool)]


def _loads(library: str) -> bool:
    """Does the system have this shared library?"""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def which(tool: str) -> str | None:
    """The place of a program, or of the one that stands in for it."""
    names = [name for name in (tool, SUBSTITUTES.get(tool)) if name]
    places = (shutil.which(name) or shutil.which(name, path=DAEMONS) for name in names)
    return next(filter(None, places), None)


def _packages(missing: Iterable[Missing]) -> list[str]:
    """The names of their packages in this distribution, each once, by the lists of apt."""
    names = dict.fromkeys(m.package for m in missing)
    return [SUBSTITUTES[name] if _is_substituted(name) else name for name in names]


def _is_substituted(package: str) -> bool:
    if package not in SUBSTITUTES or not shutil.which("apt-cache"):
        return False
    is_known = lambda name: progress.run(["apt-cache", "show", name]).code == 0  # noqa: E731
    return is_known(SUBSTITUTES[package]) and not is_known(package)


def _missing_libraries(features: Iterable[str]) -> list[Missing]:
    finder = shutil.which("pkg-config")
    return [
        Missing(module, package)
        for name in features
        for module, package in FEATURES[name].libraries.items()
        if not finder or subprocess.run([finder, "--exists", module], check=False).returncode
    ]


def _missing_runtimes(features: Sequence[str]) -> list[Missing]:
    wanted = {key: package for name in features for key, package in FEATURES[name].runtimes.items()}
    if not wanted:
        return []
    clang, folder = shutil.which("clang"), Path()
    if clang:
        folder = Path(progress.run([clang, "-print-resource-dir"]).output.strip())
    version = folder.name.partition(".")[0] if clang else CLANG
    return [
        Missing(f"clang's {name}", package.format(version))
        for name, package in wanted.items()
        if not clang or not any(folder.glob(f"lib/*/libclang_rt.{name}-*.a"))
    ]


def _has_python_headers() -> bool:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return Path(sys.base_prefix, "include", version, "Python.h").exists()


def _as_root() -> list[str] | None:
    """What makes a command run as root; None: nothing does."""
    if os.geteuid() == 0:
        return []
    if not shutil.which("sudo"):
        return None
    return ["sudo"] if sys.stdin is not None and sys.stdin.isatty() else ["sudo", "-n"]


def _by_hand(features: Sequence[str]) -> str:
    """The command that a person types for all that they lack."""
    packages = " ".join(_packages(missing_packages(features)))
    commands = []
    if packages and shutil.which("apt-get"):
        sudo = "" if os.geteuid() == 0 else "sudo "
        commands.append(f"{sudo}apt-get install -y --no-install-recommends {packages}")
    if _lacking(features):
        venv = [["python3", "-I", "-m", "venv", VENV]] if _installed() is None else []
        commands += [" ".join(map(str, words)) for words in [*venv, *_pip_commands(features)]]
    command = f"install with: {' && '.join(commands)}" if commands else ""
    if packages and not shutil.which("apt-get"):
        manager = f"with this system's package manager (on Debian they are: {packages})"
        return f"install them {manager}" + (f", then the rest; {command}" if command else "")
    return command


def _refusal(features: Sequence[str], why: str = "set-up is refused") -> WlkError:
    missing = [m.name for m in missing_packages(features)]
    missing += [f"{name} {version}" for name, version in sorted(_lacking(features).items())]
    names = ", ".join(dict.fromkeys(missing))
    return WlkError(Status.NO_TOOL, f"missing: {names}; {why}; {_by_hand(features)}")


def _install_packages(missing: Sequence[Missing], named: Sequence[str]) -> None:
    root = _as_root()
    if not shutil.which("apt-get"):
        raise _refusal(named, "no apt-get here")
    if root is None:
        raise _refusal(named, "this needs root or sudo")
    _say(f"installing {' '.join(_packages(missing))} with apt-get (log: {_log()})")
    install = lambda: ["install", "-y", "--no-install-recommends", *_packages(missing)]  # noqa: E731
    # The package lists may be absent or name versions that the server has dropped.
    fresh = not any(APT_LISTS.glob("*_Packages*"))
    again = fresh or _apt(root, install())
    if again and (failed := _apt(root, ["update"]) or _apt(root, install())):
        message = _refusal(named, f"apt-get {failed} failed").message
        raise progress.fail_with_log(Status.NO_TOOL, message, _log())


def _apt(root: Sequence[str], words: Sequence[str]) -> str:
    """Run apt-get; returns the word that failed, or nothing."""
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
    options = ["-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"]
    command, label = [*root, *quiet, *options, *words], f"apt-get {words[0]}"
    done = progress.run(command, label=label, log=_log(), foreground=bool(root))
    return words[0] if done.code else ""


def _check_installed(features: Sequence[str], named: Sequence[str]) -> None:
    importlib.invalidate_caches()
    if missing_packages(features):
        message = _refusal(named, "apt-get has run, and they are still not found").message
        raise progress.fail_with_log(Status.NO_TOOL, message, _log())


def _check_version(tool: str) -> None:
    match = re.search(r"\d+\.\d+", progress.run([tool, "--version"]).output)
    found = match[0] if match else "unknown"
    if match is None or _numbers(found) < _numbers(OLDEST[tool]):
        message = f"{shutil.which(tool)} is version {found}; {OLDEST[tool]} or newer is needed"
        raise WlkError(Status.NO_TOOL, f"{message}: put one first on PATH")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _log() -> Path:
    return BUILD / "setup.log"


# Python packages.


def _requirements(feature: str) -> list[Path]:
    """Its files, what builds first."""
    names = (FEATURES[feature].builders, FEATURES[feature].requirements)
    return [ROOT / "scripts" / name for name in names if name]


def normal(package: str) -> str:
    """The one spelling of a Python package's name."""
    return re.sub(r"[-_.]+", "-", package).lower()


def pinned(features: Iterable[str]) -> dict[str, str]:
    """Package -> version, of `features`."""
    files = [file for name in features for file in _requirements(name)]
    texts = [file.read_text(encoding="utf-8") for file in files]
    pins = re.findall(r"^([^#=\s]+)\s*==\s*(\S+)", "\n".join(texts), re.MULTILINE)
    return {normal(package): version for package, version in pins}


def _installed() -> dict[str, str] | None:
    """Package -> version in build/venv; None if it is no working environment there."""
    program = (
        "import importlib.metadata as m, json, sys\n"
        "print(json.dumps([sys.prefix, {d.name: d.version for d in m.distributions()}]))"
    )
    if not PYTHON.exists() or str(VENV) not in _text(VENV / "pyvenv.cfg"):
        return None  # never made, or the checkout has moved
    done = progress.run([PYTHON, "-I", "-c", program])
    if done.code:
        return None
    prefix, found = json.loads(done.output)
    packages = {normal(name): version for name, version in found.items()}
    return packages if "pip" in packages and Path(prefix) == VENV else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _lacking(features: Iterable[str]) -> dict[str, str]:
    """The pinned Python packages that build/venv lacks: name -> version."""
    if not needs_venv(features):
        return {}
    return dict(pinned(features).items() - (_installed() or {}).items())


def _ensure_venv(features: Sequence[str], is_offered: bool) -> None:
    lacking = _lacking(features)
    if not lacking:
        return
    commands = _pip_commands(features)
    is_there = _installed() is not None
    if is_offered and PYTHON.exists() and not is_there:  # it may hold what the command needs
        raise WlkError(Status.NO_TOOL, f"{VENV} has no pip; remove it, and set-up makes it anew")
    _say(f"installing {' '.join(sorted(lacking))} into {VENV} with pip (log: {_log()})")
    if not is_there:
        if VENV.is_symlink():  # somebody else's, which --clear would empty
            VENV.unlink()
        for stamp in BUILD.glob("setup-*.stamp"):  # of packages that go with the old one
            stamp.unlink()
        command = [sys.executable, "-I", "-m", "venv", "--clear", VENV]
        _step("python3 -m venv", command, show_log=not is_offered)
    hasty = ["--retries", "1"] if is_offered else []  # without a network each run comes here
    for command in commands:
        _step("pip install", [*command, *hasty], show_log=not is_offered)


def _pip_commands(features: Iterable[str]) -> list[list[str | Path]]:
    """What installs their packages: first what others are built with, then all in one.

    The files name all that is wanted, what packages need too, with their hashes. Nothing else is
    fetched, not even to build a package that comes as source.
    """
    wanted = [FEATURES[name] for name in features]
    # -I: no module of the current folder.
    pip = [PYTHON, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "--no-color"]
    pip += ["install", "--progress-bar=off", "--no-deps", "--require-hashes"]
    commands = []
    for names in ([f.builders for f in wanted], [f.requirements for f in wanted]):
        files = [ROOT / "scripts" / name for name in dict.fromkeys(names) if name]
        options = [word for file in files for word in ("-r", file)]
        commands += [[*pip, "--no-build-isolation", *options]] if files else []
    return commands


# What pip says, and what to do about it.
_REMEDIES = {
    r"DO NOT MATCH THE HASHES[^\n]*\n\s*(\S+) from (\S+)": "{} from {} is none of the files whose "
    "hashes are listed: give pip one as the package index has it (docs/supply.md)",
    "No module named|Cannot import|BackendUnavailable": "a package has no wheel for this machine: "
    "docs/supply.md says how to build it",
    "": "look at the log, and at the network (docs/supply.md says how to do without one)",
}


def _step(label: str, command: Sequence[str | Path], *, show_log: bool = True) -> None:
    log = _log()
    before = log.stat().st_size if log.exists() else 0
    if not progress.run(command, label=label, log=log).code:
        return
    message = f"{label} failed; see the log"
    if label.startswith("pip"):
        said = log.read_bytes()[before:].decode(errors="replace")
        matches = ((re.search(pattern, said), hint) for pattern, hint in _REMEDIES.items())
        found, hint = next(match for match in matches if match[0])
        message = f"{label} failed; {hint.format(*found.groups())}"
    raise progress.fail_with_log(Status.NO_TOOL, message, log, show=show_log)
