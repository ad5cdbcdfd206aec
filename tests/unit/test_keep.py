# SPDX-License-Identifier: Apache-2.0
"""What is kept by content: the oldest is forgotten, and never what is in use."""

import os
import threading

from wlk.base import keep, setup


def entries(place, *names):
    """Folders, the first one the oldest."""
    for age, name in enumerate(reversed(names)):
        (place / name).mkdir(parents=True)
        os.utime(place / name, (1000 - age, 1000 - age))
    return place


def test_oldest_are_forgotten_but_what_is_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr(setup, "BUILD", tmp_path)
    monkeypatch.setattr(keep, "MOST", 2)
    place = entries(tmp_path / "kept", "used", "old", "older_than_this", "new")
    with setup.locked("thing-used"):
        keep.touch(place / "new", "thing")
        assert sorted(path.name for path in place.iterdir()) == ["new", "older_than_this", "used"]
        assert (tmp_path / "thing-used.lock").exists()
    keep.touch(place / "new", "thing")
    assert sorted(path.name for path in place.iterdir()) == ["new", "older_than_this"]
    assert [path.name for path in tmp_path.glob("*.lock")] == []


def test_lock_that_was_removed_is_taken_anew(tmp_path, monkeypatch):
    """Who waited for it would hold another file than who comes next."""
    monkeypatch.setattr(setup, "BUILD", tmp_path)
    waits, held = threading.Event(), []
    monkeypatch.setattr(setup, "_say", lambda _: waits.set())
    monkeypatch.setattr(setup, "_threads", {})

    def wait():
        with setup.locked("thing"):
            held.append((tmp_path / "thing.lock").exists())

    with setup.unlocked("thing") as is_free:
        assert is_free
        thread = threading.Thread(target=wait)
        thread.start()
        assert waits.wait(10)
    thread.join(10)
    assert held == [True]


def test_folders_shrink_to_a_size(tmp_path):
    place = entries(tmp_path, "first", "second", "third")
    for name in ("first", "second", "third"):
        (place / name / "file").write_bytes(b"x" * 10_000)
        os.utime(place / name, (("first", "second", "third").index(name),) * 2)
    each = keep.size(place / "first")
    stays = place / "first"

    def forget(entry):
        if entry == stays:
            return False
        keep.remove(entry)
        return True

    assert keep.shrink(place.iterdir(), 2 * each, forget) == (2, 2 * each)
    assert sorted(path.name for path in place.iterdir()) == ["first", "third"]
