# SPDX-License-Identifier: Apache-2.0
"""TOML of anybody: whatever is wrong with a text is one kind of error."""

import tomllib
from pathlib import Path
from typing import Any

BadTomlError = tomllib.TOMLDecodeError


def loads(text: str) -> dict[str, Any]:
    """A decoded text; BadTomlError also for what Python refuses: numbers of thousands of digits,
    lists in lists without end, dates that are none."""
    try:
        return tomllib.loads(text)
    except BadTomlError:
        raise
    except RecursionError:
        raise BadTomlError("lists and tables stand too deep in one another") from None
    except ValueError as error:
        raise BadTomlError(str(error)) from error


def load(path: Path) -> dict[str, Any]:
    """A decoded file; BadTomlError also for what is no UTF-8."""
    try:
        return loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise BadTomlError(f"it is no text in UTF-8: {error}") from error
