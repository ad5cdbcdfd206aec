# SPDX-License-Identifier: Apache-2.0
"""Fresh roots of the distributions that are supported, as a newcomer has them.

A root is made by debootstrap from the distribution's mirror and holds what is essential, nothing
else. What was made is kept as an archive in build/roots, since a mirror takes a minute. Commands
run in it by chroot in namespaces of their own, as root, with the network, and see nothing of this
machine but its settings of pip and its certificates, which a mirror of packages may need.
"""

import hashlib
import os
import shutil
import ssl
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import programs
from wlk.base import setup

PATHS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
KEPT = setup.BUILD / "roots"
CERTIFICATES = "certificates.pem"
OWN = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
HOME = "root/a checkout"  # with a blank, as a newcomer's folders may have


@dataclass(frozen=True)
class Distribution:
    """Where its packages are, and the key that they are checked with."""

    suite: str
    mirror: str
    components: str = "main"
    script: str = ""  # of debootstrap, for suites that it does not know
    keyring: tuple[str, str] = ("", "")  # the package that has the key: file of the mirror, SHA-256
    key: str = ""  # file in it


UBUNTU_KEYS = (
    "pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb",
    "36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8",
)
DEBIAN = "http://deb.debian.org/debian"
DISTRIBUTIONS = {
    "debian-12": Distribution("bookworm", DEBIAN),
    "debian-13": Distribution("trixie", DEBIAN),
    "ubuntu-24.04": Distribution(
        "noble",
        "http://archive.ubuntu.com/ubuntu",
        "main,universe",
        "/usr/share/debootstrap/scripts/gutsy",
        UBUNTU_KEYS,
        "usr/share/keyrings/ubuntu-archive-keyring.gpg",
    ),
}


def lacking(name: str) -> str:
    """Why there can be no such root here; nothing: there can."""
    if os.geteuid() != 0:
        return "debootstrap and chroot need root"
    if subprocess.run([*OWN, "true"]).returncode != 0:
        return "no namespaces here"
    if (KEPT / f"{name}.tar").is_file():
        return ""
    each = DISTRIBUTIONS[name]
    try:
        urllib.request.urlopen(f"{each.mirror}/dists/{each.suite}/Release", timeout=20).close()
    except OSError as error:
        return f"{each.mirror} does not serve {each.suite}: {error}"
    return ""


def archive(name: str) -> Path:
    """The archive of the root, made if it is not there."""
    kept, folder = KEPT / f"{name}.tar", KEPT / f"{name}.new"
    with setup.locked("roots"):
        if kept.is_file():
            return kept
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        folder.mkdir(parents=True)
        try:
            _make(DISTRIBUTIONS[name], folder)
            (folder / "root.tar").rename(kept)
        finally:
            shutil.rmtree(folder)
    return kept


def _make(each: Distribution, folder: Path) -> None:
    """Make the root, and pack it as root.tar."""
    # In namespaces of its own, so that it leaves no mount and no process behind when it fails.
    command = [*OWN, "debootstrap", "--variant=minbase", f"--components={each.components}"]
    command += [f"--keyring={_key(each, folder)}"] if each.key else []
    words = [each.suite, folder / "root", each.mirror, *([each.script] if each.script else [])]
    done = subprocess.run([*command, *words], capture_output=True, text=True)
    said = done.stdout[-4000:] + done.stderr
    assert done.returncode == 0, f"debootstrap of {each.suite} from {each.mirror} failed:\n{said}"
    packing = ["tar", "-C", folder / "root", "--exclude=*.deb", "-cf", folder / "root.tar", "."]
    subprocess.run(packing, check=True)


def _key(each: Distribution, folder: Path) -> Path:
    """The file with the key, of the mirror's package, which must be the one that is known."""
    path, digest = each.keyring
    data = urllib.request.urlopen(f"{each.mirror}/{path}", timeout=60).read()
    assert hashlib.sha256(data).hexdigest() == digest, f"{each.mirror}/{path} is another file"
    (folder / "keys.deb").write_bytes(data)
    subprocess.run(["dpkg-deb", "-x", folder / "keys.deb", folder / "keys"], check=True)
    return folder / "keys" / each.key


@dataclass(frozen=True)
class Root:
    """A root, and a copy of the checkout in it, without what was built."""

    folder: Path

    @property
    def checkout(self) -> Path:
        return self.folder / HOME

    def type(self, command: str, *, where: str = f"/{HOME}", code: int = 0) -> str:
        """What a command of the shell prints, with what it says of errors."""
        enter = (
            'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && '
            'exec chroot "$0" /usr/bin/env -i "$@"'
        )
        variables = [f"PATH={PATHS}", "HOME=/root", *map("=".join, _passed())]
        words = [*OWN, "sh", "-ec", enter]
        shell = ["sh", "-ec", f'cd "{where}" && {command}']
        done = subprocess.run(
            [*words, self.folder, *variables, *shell],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout[-8000:]}"
        return done.stdout


def trust(folder: Path) -> str:
    """Give a root the certificates that this machine trusts, which its mirrors of packages may
    need; the path that they have there, if there are some. A package would replace the usual
    file."""
    source = os.environ.get("PIP_CERT") or ssl.get_default_verify_paths().cafile
    if not source or not Path(source).is_file():
        return ""
    shutil.copyfile(source, folder / CERTIFICATES)
    return f"/{CERTIFICATES}"


def _passed() -> Iterator[tuple[str, str]]:
    """The settings of pip and the certificates that this machine reaches its mirrors with."""
    for name, value in os.environ.items():
        if name.startswith("PIP_") or name in ("SSL_CERT_FILE", "http_proxy", "https_proxy"):
            yield name, f"/{CERTIFICATES}" if Path(value).is_file() else value


@contextmanager
def fresh(name: str, place: Path) -> Iterator[Root]:
    """A root of its own in a folder, for as long as it is used."""
    folder = place / name
    folder.mkdir()
    unpacking = ["tar", "-C", folder, "--numeric-owner", "-xpf", archive(name)]
    subprocess.run(unpacking, check=True)
    trust(folder)
    if Path("/etc/resolv.conf").is_file():
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
    try:
        programs.copy_checkout(folder / HOME)
        yield Root(folder)
    finally:
        shutil.rmtree(folder)
