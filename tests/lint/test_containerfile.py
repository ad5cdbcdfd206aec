# SPDX-License-Identifier: Apache-2.0
"""hadolint finds nothing wrong in docs/Containerfile; tests/install/test_image.py builds it."""

import json
import subprocess

import pytest
from wlk.base import setup

TEXT = (setup.ROOT / "docs/Containerfile").read_text(encoding="utf-8")
pytestmark = pytest.mark.needs("lint")


def lint(text):
    """What hadolint reports: the codes of its rules."""
    command = [setup.VENV / "bin/hadolint", "--no-fail", "--format", "json", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return [each["code"] for each in json.loads(done.stdout)]


def test_containerfile_is_clean():
    assert lint(TEXT) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("FROM ${BASE}\n", "FROM debian\n", "DL3006"),
        ("RUN warplock setup", "RUN apt-get install git", "DL3014"),
        ("WORKDIR /work\n", "RUN cd /work\n", "DL3003"),
        ('["warplock"]', "warplock", "DL3025"),
        ("ENTRYPOINT", "ENTRY", "DL1000"),
    ],
)
def test_mistake_in_containerfile_is_found(old, new, rule):
    assert TEXT.count(old) == 1
    assert rule in lint(TEXT.replace(old, new))
