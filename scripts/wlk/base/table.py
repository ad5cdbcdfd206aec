# SPDX-License-Identifier: Apache-2.0
"""Tables of HTML pages."""

from collections.abc import Iterable, Sequence


def cell(text: str, kind: str = "n") -> str:
    """A cell with a number."""
    return f'<td class="{kind}">{text}</td>'


def table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML; one that is no `td` yet becomes one."""

    def whole(text: str) -> str:
        return text if text.startswith("<td") else f"<td>{text}</td>"

    first = "".join(map(whole, heads)).replace("<td", "<th").replace("</td>", "</th>")
    lines = "".join(f"<tr>{''.join(map(whole, row))}</tr>\n" for row in rows)
    return f'<div class="wide"><table><tr>{first}</tr>\n{lines}</table></div>'
