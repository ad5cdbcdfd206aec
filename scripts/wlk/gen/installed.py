# SPDX-License-Identifier: Apache-2.0
"""The files of a checkout that the command reads, which an installation has too, by the same names.

python3 -m wlk.gen.installed           their list, for Meson
python3 -m wlk.gen.installed FILE...   fails when that is not the list: files came or went since
                                       Meson listed them
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from ..base.errors import ROOT, Status, WlkError
from ..base.guard import guard
from ..tables.files import MODEL, is_by_structs, read_by_model

DPI = ("blocks", "checker", "dpi", "json", "program", "stimulus")  # public headers of dpi/
# Folder -> patterns.
PARTS = {
    "scripts": (
        *("warplock", "requirements.txt"),
        *(f"requirements-{name}.txt" for name in ("build", "completion", "newest", "page")),
        *(f"requirements-{name}.txt" for name in ("model", "prove", "ucis")),
        *(f"wlk/**/*.{suffix}" for suffix in ("py", "sh", "html", "css", "toml")),
    ),
    # Headers and sources: what a harness and a user's block are compiled with.
    "refmodel": (
        "*/*/block.toml",
        "*/*/faults.toml",
        "*/family.toml",
        *(f"include/warplock/{n}.h" for n in ("block", "error", "plugin")),
        "frame/*.h",
        *(f"frame/{n}.c" for n in ("block", "error", "map")),
    ),
    "dpi": (
        *(f"include/warplock/{n}.h" for n in DPI),
        *(f"stimulus/{n}" for n in ("common.h", "common.c", "legalise.h")),
        "harness/*.h",
        "harness/*.cpp",
    ),
    "rtl_stub": ("**/*.sv",),
    "vectors": ("kernels/*.prog", "golden/*.jsonl", "golden/*.wlv"),
}


def files() -> Iterator[str]:
    """Their names below the checkout."""
    for folder, patterns in PARTS.items():
        found = {path for pattern in patterns for path in (ROOT / folder).glob(pattern)}
        if folder == "refmodel":
            found |= set(_models(ROOT / folder))
        yield from sorted(str(path.relative_to(ROOT)) for path in found)


def _models(folder: Path) -> Iterator[Path]:
    """Those in model C, which are proved."""
    for path in folder.glob(f"*/*/{MODEL}"):
        if is_by_structs(path):
            yield from read_by_model(path.parent)


def check(listed: list[str]) -> None:
    """BUILD_FAIL when these are not the files."""
    if changed := sorted(set(listed) ^ set(files())):
        message = f"{changed[0]} came or went since Meson listed what it installs"
        raise WlkError(Status.BUILD_FAIL, f"{message}; run meson setup --reconfigure, then install")


def main() -> int:
    """List, or compare with a file that has the list."""
    if len(sys.argv) > 1:
        check(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"])
    else:
        print("\n".join(files()))
    return 0


if __name__ == "__main__":
    sys.exit(guard(main))
