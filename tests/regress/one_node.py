# SPDX-License-Identifier: Apache-2.0
"""A real Slurm of one node: munged, slurmctld and slurmd of Debian on the loopback, in a folder of
its own."""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

STARTS_WITHIN = 30.0  # seconds
CONF = """\
ClusterName=one_node
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={place}/munge.sock
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class CannotStartError(Exception):
    """Why there is no Slurm."""


def _port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def _write(place: Path) -> None:
    for name in ("state", "spool"):
        (place / name).mkdir()
    key = place / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    place.chmod(0o700)
    (place / "slurm.conf").write_text(
        CONF.format(
            host=socket.gethostname().partition(".")[0],
            controller_port=_port(),
            node_port=_port(),
            place=place,
            user=pwd.getpwuid(os.getuid()).pw_name,
            processors=os.cpu_count(),
        )
    )


def _daemons(place: Path) -> list[list[object]]:
    files = {"key-file": "munge.key", "socket": "munge.sock", "pid-file": "munged.pid"}
    files |= {"log-file": "munged.txt", "seed-file": "munge.seed"}
    munged = ["munged", "--foreground", "--force"]
    munged += [f"--{name}={place}/{file}" for name, file in files.items()]
    conf = place / "slurm.conf"
    return [munged, ["slurmctld", "-D", "-f", conf], ["slurmd", "-D", "-f", conf]]


def _wait(place: Path, daemons: list["subprocess.Popen[bytes]"]) -> None:
    limit = time.monotonic() + STARTS_WITHIN
    while True:
        words = ["sinfo", "--noheader", "--format=%t"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.stdout.strip() == "idle":
            return
        ended = [each.args[0] for each in daemons if each.poll() is not None]
        if ended or time.monotonic() > limit:
            logs = [*place.glob("*.log")]
            last = [line for log in logs for line in log.read_text().splitlines()[-2:]]
            why = f"{ended[0]} ended" if ended else f"state {done.stdout.strip() or 'unknown'}"
            raise CannotStartError(f"{why}: {' / '.join(last)}")
        time.sleep(0.2)


@contextlib.contextmanager
def started(place: Path) -> Iterator[None]:
    """Run it; its commands find it by SLURM_CONF. `place`: an empty folder with a short name.
    CannotStartError says why it does not."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    for name in ("munged", "slurmctld", "slurmd", "sbatch"):
        if shutil.which(name, path=path) is None:
            raise CannotStartError(f"{name} is missing")
    _write(place)
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(place / "slurm.conf")
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        for words in _daemons(place):
            command = [*map(str, words)]
            with (place / f"{command[0]}.log").open("wb") as log:
                more = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
                environment = os.environ | {"PATH": path}
                daemons.append(subprocess.Popen(command, env=environment, **more))
            if command[0] == "munged":
                _wait_for(place / "munge.sock")
        _wait(place, daemons)
        yield
    finally:
        for each in reversed(daemons):
            each.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                each.wait(10)
            each.kill()
            each.wait()
        if before is None:
            del os.environ["SLURM_CONF"]
        else:
            os.environ["SLURM_CONF"] = before


def _wait_for(path: Path) -> None:
    limit = time.monotonic() + STARTS_WITHIN
    while not path.exists():
        if time.monotonic() > limit:
            raise CannotStartError(f"{path} does not come")
        time.sleep(0.05)
