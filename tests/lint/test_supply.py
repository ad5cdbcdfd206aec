# SPDX-License-Identifier: Apache-2.0
"""docs/supply.md has each package that set-up can install, for what, and under which licence."""

import importlib.metadata
import re

from wlk.base import setup

PAGE = (setup.ROOT / "docs/supply.md").read_text(encoding="utf-8")
FEATURES = setup.FEATURES.items()
# How licences are called where a package has no SPDX expression.
SPDX = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "GPL-3.0": "GPL-3.0-only",
    "Apache Software License": "Apache-2.0",
}


def rows(heading: str) -> dict[str, list[str]]:
    """Package -> the other cells, of the first table under a heading."""
    part = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line[2:-2].split(" | ") for line in part.splitlines() if line.startswith("| ")]
    names = [package for package, *_ in lines[1:]]
    assert sorted(names) == sorted(set(names))
    return {package: cells for package, *cells in lines[1:]}


DEBIAN, PYTHON = rows("Debian packages"), rows("Python packages")


def features_of(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", cell))


def test_page_has_each_debian_package_and_its_features():
    wanted = {setup.ENSUREPIP: set(), setup.HEADERS: {"newest"}}
    for name, feature in [*FEATURES, ("build", setup.BUILT)]:
        for packages in (feature.tools, feature.libraries, feature.loaded):
            for package in packages.values():
                wanted.setdefault(package, set()).add(name)
    assert {package: features_of(cells[0]) for package, cells in DEBIAN.items()} == wanted


def test_page_has_each_python_package_and_its_features():
    wanted = {}
    for name, _ in FEATURES:
        for package in setup.pinned([name]):
            wanted.setdefault(package, set()).add(name)
    found = {setup.normal(package): features_of(cells[0]) for package, cells in PYTHON.items()}
    assert found == wanted


def test_page_says_why_and_under_which_licence():
    for package, (_, why, licence) in [*DEBIAN.items(), *PYTHON.items()]:
        assert why and licence, package


def test_page_says_what_setup_installs():
    opening = PAGE.partition("; `scripts/warplock setup test`")[0]
    assert features_of(opening) == set(setup.KINDS["run"])


def stated(package: str) -> set[str] | None:
    """The licences that an installed package names; None when it is not installed."""
    try:
        about = importlib.metadata.metadata(package)
    except importlib.metadata.PackageNotFoundError:
        return None
    if expression := about.get("License-Expression"):
        return {expression}
    named = [each.rpartition(" :: ")[2] for each in about.get_all("Classifier") or []]
    texts = {text for text in [about.get("License") or "", *named] if "\n" not in text}
    return {SPDX.get(text, text) for text in texts if text}  # atheris names none


def test_page_has_the_licences_that_packages_name():
    pinned = setup.pinned(setup.FEATURES)
    found = {package: stated(package) for package in PYTHON}
    versions = {p: importlib.metadata.version(p) for p, named in found.items() if named}
    seen = {p for p, version in versions.items() if version == pinned[setup.normal(p)]}
    assert {"pyslang", "pytest"} <= seen
    wrong = {p: found[p] for p in seen if PYTHON[p][2].partition(";")[0] not in found[p]}
    assert wrong == {}
