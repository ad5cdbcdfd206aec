# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a page in a real browser: at two widths, in light and in dark. As a program
it takes a picture of a page: `browser.py PAGE.html PICTURE.png WIDTH HEIGHT [dark]`."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from coloraide import Color
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Playwright,
    Request,
    sync_playwright,
)

# Chromium's sandbox refuses root; the other flags keep it off the network.
FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync""".split()
WIDTHS, SCHEMES = (1280, 390), ("light", "dark")
CONTRAST = 4.5  # WCAG 2.1, level AA, also of large text
DISTINCT = 15  # CIEDE2000, of two colours of a legend, and of one and the page
LOOK = Path(__file__).with_name("look.js").read_text(encoding="utf-8")
Layers = Sequence[tuple[str, float]]


def launch(playwright: Playwright) -> Browser:
    """Debian's Chromium, with a new profile."""
    return playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)


@dataclass(frozen=True)
class Seen:
    """What is wrong with a page; its text with all that is folded; how many legends it has."""

    faults: list[str]
    text: str
    legends: int


def look(browser: Browser, path: Path) -> Seen:
    """Look at the page of `path` at both widths and in both schemes."""
    page = browser.new_page()
    found: list[str] = []
    _listen(page, path.as_uri(), found)
    try:
        page.goto(path.as_uri())
        page.evaluate(LOOK)
        found += page.evaluate("look.head()")
        page.evaluate("look.open()")
        text = page.inner_text("body")
        legends = len(page.evaluate("look.legends()"))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            found += [f"{width} px: {fault}" for fault in page.evaluate("look.layout()")]
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                found += [f"{width} px, {scheme}: {fault}" for fault in _colours(page)]
    finally:
        page.close()
    return Seen(list(dict.fromkeys(found)), " ".join(text.split()), legends)


def _listen(page: Page, address: str, found: list[str]) -> None:
    """Add what the page's scripts complain of, and what it asks for beside itself."""

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            found.append(f"console: {message.text}")

    def asked(request: Request) -> None:
        if not request.url.startswith((address, "data:")):
            found.append(f"asks for {request.url}")

    page.on("console", said)
    page.on("pageerror", lambda error: found.append(f"console: {error}"))
    page.on("request", asked)


def _colours(page: Page) -> Iterator[str]:
    """Text that is too pale, and legends whose colours look alike."""
    for text, colour, opacity, layers in page.evaluate("look.looks()"):
        ratio = _seen([(colour, opacity), *layers]).contrast(_seen(layers))
        if ratio < CONTRAST:
            yield f"contrast {ratio:.1f}: {text}"
    for entries, layers in page.evaluate("look.legends()"):
        shown = {name: _seen([(colour, 1), *layers]) for name, colour in entries}
        shown["the page"] = _seen(layers)
        for (one, a), (other, b) in combinations(shown.items(), 2):
            if (distance := a.delta_e(b, method="2000")) < DISTINCT:
                yield f"legend: {one} and {other} look alike ({distance:.0f})"


def _seen(layers: Layers) -> Color:
    """The colour of layers that may be transparent, the top one first."""
    colours = [Color(text).set("alpha", lambda a, o=opacity: a * o) for text, opacity in layers]
    return Color.layer([*colours, "white"], space="srgb")


def _picture(path: str, picture: str, width: str, height: str, scheme: str = "light") -> None:
    """The top of a page, as a file."""
    with sync_playwright() as playwright:
        page = launch(playwright).new_page(color_scheme=scheme)
        page.set_viewport_size({"width": int(width), "height": int(height)})
        page.goto(Path(path).absolute().as_uri())
        page.screenshot(path=picture)


if __name__ == "__main__":
    _picture(*sys.argv[1:])
