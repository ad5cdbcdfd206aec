# SPDX-License-Identifier: Apache-2.0
"""The templates of all pages: Jinja2 is installed only when a page is asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .entries import legal

if TYPE_CHECKING:
    import jinja2

SHARED = Path(__file__).parent


def template(path: Path, **options: object) -> "jinja2.Template":
    """A template; it may include the shared ones."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([path.parent, SHARED]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: legal(value) if type(value) is str else value,
        **options,
    ).get_template(path.name)


def fill(path: Path, values: Mapping[str, str]) -> str:
    """A page of its template. The values are HTML; each that the template names is needed."""
    import jinja2
    from markupsafe import Markup

    marked = {name: Markup(legal(text)) for name, text in values.items()}
    return template(path, undefined=jinja2.StrictUndefined).render(marked)
