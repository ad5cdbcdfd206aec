# SPDX-License-Identifier: Apache-2.0
"""What all pages look alike in, and pages that are a text with gaps."""

import string
from collections.abc import Mapping
from pathlib import Path

STYLE = Path(__file__).with_name("page.css")


def fill(template: Path, values: Mapping[str, str]) -> str:
    """A page of its template: $style is what pages have in common. Values are HTML."""
    style = STYLE.read_text(encoding="utf-8")
    text = template.read_text(encoding="utf-8")
    return string.Template(text).substitute(values, style=style.strip())
