# SPDX-License-Identifier: Apache-2.0
"""The hashes in scripts/requirements*.txt: of each file of a pinned version that pip may choose.

`PYTHONPATH=scripts python3 -m wlk.gen.hashes` renews them after a version was changed, from the
package index that pip is set to; `PYTHONPATH=scripts python3 -m wlk.gen.hashes --check` changes
nothing and fails when a file would be another.
"""

import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..base import outputs, progress, setup
from ..base.errors import ROOT, Status, WlkError
from ..base.guard import guard

COMMAND = "PYTHONPATH=scripts python3 -m wlk.gen.hashes"
OLDEST = 11  # CPython 3.11
JSON = "application/vnd.pypi.simple.v1+json"
_PIN = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
_HASHES = re.compile(r"(?: \\\n +--hash=\S+)+")
_INDEX = re.compile(r"--index-url .*?\(default (\S+)\)", re.DOTALL)
_PLATFORM = re.compile(r"any|(many|musl)?linux\w*_(x86_64|aarch64)")
Listing = Sequence[dict]  # of files: filename, hashes


def may_be_chosen(name: str) -> bool:
    """Is it a source, or a wheel for CPython on Linux?"""
    if not name.endswith(".whl"):
        return name.endswith((".tar.gz", ".zip"))
    python, abi, platform = name.removesuffix(".whl").split("-")[-3:]
    minors = [int(minor) for minor in re.findall(r"cp3(\d+)", python)]
    fits = "py3" in python or (minors and (abi == "abi3" or max(minors) >= OLDEST))
    return bool(fits) and any(_PLATFORM.fullmatch(part) for part in platform.split("."))


def hashes(package: str, version: str, listing: Listing) -> list[str]:
    """Of the files of this version, sorted. NO_FILE when there is none."""
    wanted = (setup.normal(package).replace("-", "_"), version)
    found = {
        file["hashes"]["sha256"]
        for file in listing
        if _identity(file["filename"]) == wanted and may_be_chosen(file["filename"])
    }
    if not found:
        raise WlkError(Status.NO_FILE, f"{package} {version}: the index has no file of it")
    return sorted(found)


def _identity(filename: str) -> tuple[str, str]:
    """Package and version in the name of a file, the package as wheels write it."""
    if filename.endswith(".whl"):
        package, version = filename.split("-")[:2]
    else:
        package, _, version = re.sub(r"\.(tar\.gz|zip)$", "", filename).rpartition("-")
    return setup.normal(package).replace("-", "_"), version


def renewed(text: str, listing: Callable[[str], Listing]) -> str:
    """A requirements file with the hashes of its versions."""

    def hashed(found: re.Match[str]) -> str:
        lines = [f"    --hash=sha256:{each}" for each in hashes(*found.groups(), listing(found[1]))]
        return " \\\n".join([found[0], *lines])

    return _PIN.sub(hashed, _HASHES.sub("", text))


def _index() -> str:
    """The address of pip's index, of which its help tells."""
    environment = os.environ | {"COLUMNS": "1000"}
    done = progress.run([sys.executable, "-I", "-m", "pip", "help", "install"], env=environment)
    if (found := _INDEX.search(done.output)) is None:
        raise WlkError(Status.NO_TOOL, f"{sys.executable} -m pip: names no index; install pip")
    return found[1].rstrip("/")


def _listed(index: str, package: str) -> Listing:
    """The files of a package."""
    url = f"{index}/{urllib.parse.quote(setup.normal(package))}/"
    request = urllib.request.Request(url, headers={"Accept": JSON})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["files"]
    except (OSError, ValueError, KeyError) as error:
        raise WlkError(
            Status.NO_FILE, f"{package}: pip's index does not list it: {error}"
        ) from error


def files() -> list[Path]:
    """The requirements files."""
    return sorted((ROOT / "scripts").glob("requirements*.txt"))


def wanted() -> Iterator[tuple[Path, str]]:
    """Each file, and what it must be."""
    index = _index()
    for path in files():
        text = path.read_text(encoding="utf-8")
        yield path, renewed(text, lambda package: _listed(index, package))


def main() -> int:
    """Write the files, or print which are stale."""
    failure = WlkError(Status.MODEL_ERROR, f"hashes are stale; run `{COMMAND}`")
    return outputs.update(wanted(), sys.argv[1:] == ["--check"], failure)


if __name__ == "__main__":
    sys.exit(guard(main))
