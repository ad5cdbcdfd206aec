# SPDX-License-Identifier: Apache-2.0
"""Bit- and cycle-exact models of GPU issue stages, as NumPy sees them: docs/python.md.

The command of a wheel lies in this package too. It starts with main() and needs neither NumPy nor
cffi, so what needs these is imported when it is first asked for.
"""

import importlib
import runpy
import sys
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
# In a wheel below this folder, in a checkout beside it; `warplock.wlk` is what the command runs.
SCRIPTS = _HERE / "scripts" if (_HERE / "scripts").is_dir() else _HERE.parents[1]
__path__.append(str(SCRIPTS))

_PLACES = {
    "Error": "errors",
    "blocks": "library",
    "Port": "records",
    "Ports": "records",
    "Record": "records",
    "Model": "model",
    "Snapshot": "model",
    "Element": "model",
    "Checker": "checker",
    "Result": "checker",
    "Vectors": "vectors",
    "read_vectors": "vectors",
    "write_vectors": "vectors",
}
__all__ = ["main", *_PLACES]  # noqa: PLE0604, the names of a table


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module(".wlk.base.installed", __name__).version()
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})


def main() -> None:
    """Run the command."""
    program = str(SCRIPTS / "warplock")
    sys.argv[0] = program
    runpy.run_path(program, run_name="__main__")
