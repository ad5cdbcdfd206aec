# SPDX-License-Identifier: Apache-2.0
"""Is what was decoded from JSON what was once written there?

A shape is a type, a tuple of shapes of which one is wanted, a set of words, a list with the shape
of its items, or a dictionary: of each key its shape, with `?` behind a key that may be missing, and
under `*` the shape of all other keys, which are free without.
"""

import json
from typing import Any


def decoded(text: Any, shape: Any, name: str) -> Any:
    """A JSON text; ValueError says what in it is of another shape, as `row.seed is 'x'`."""
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise ValueError(_is(name, text)) from None
    if why := odd(found, shape, name):
        raise ValueError(why)
    return found


def odd(value: Any, shape: Any, name: str) -> str:
    """The first part of a value that is of another shape; '' when there is none."""
    if isinstance(shape, tuple):
        return "" if any(not odd(value, each, name) for each in shape) else _is(name, value)
    if isinstance(shape, (set, frozenset)):
        return "" if isinstance(value, str) and value in shape else _is(name, value)
    if isinstance(shape, (list, dict)) and not isinstance(value, type(shape)):
        return _is(name, value)
    if isinstance(shape, list):
        parts = (odd(each, shape[0], f"{name}[{n}]") for n, each in enumerate(value))
        return next(filter(None, parts), "")
    if isinstance(shape, dict):
        return next(filter(None, _parts(value, shape, name)), "")
    return "" if isinstance(value, shape) else _is(name, value)


def _parts(value: dict[str, Any], shape: dict[str, Any], name: str) -> Any:
    for key in shape:
        if not key.endswith("?") and key != "*" and key not in value:
            yield f"{name} has no {key}"
    for key, part in value.items():
        wanted = shape.get(key, shape.get(f"{key}?", shape.get("*", object)))
        yield odd(part, wanted, f"{name}.{key:.40}")


def _is(name: str, value: Any) -> str:
    return f"{name} is {value!r:.40}"
