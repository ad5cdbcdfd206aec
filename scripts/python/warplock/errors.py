# SPDX-License-Identifier: Apache-2.0
"""The exception of this package."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from .wlk.base.errors import Status, WlkError


class Error(Exception):
    """What warplock refuses. `status` is a name of docs/exit-codes.md, such as "BAD_CONFIG", and
    the text says what is wrong and what is legal."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    def __str__(self) -> str:
        return f"{self.status}: {self.message}"

    @property
    def code(self) -> int:
        """The exit code that a command would have."""
        return int(Status[self.status])


@contextlib.contextmanager
def translated(words: Callable[[str], str] = str) -> Iterator[None]:
    """Errors of the command's parts become ours. `words`: what makes their messages."""
    try:
        yield
    except WlkError as error:
        raise Error(error.status.name, words(error.message)) from error
