# SPDX-License-Identifier: Apache-2.0
"""One Chromium for all tests of pages."""

import pytest


@pytest.fixture(scope="session")
def chromium():
    import browser  # it needs what set-up installs after the tests are collected
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = browser.launch(playwright)
        yield opened
        opened.close()


@pytest.fixture
def look(chromium):
    """What there is to see on the page of a path, and what is wrong with it."""
    import browser

    return lambda path: browser.look(chromium, path)
