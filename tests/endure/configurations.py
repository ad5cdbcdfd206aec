# SPDX-License-Identifier: Apache-2.0
"""Random configurations, profiles, power-ups and seeds: the C model against the stub RTL in
lockstep, against the naive model, and a proof that the stub's second version does the same.

  scripts/warplock test --campaign configurations --minutes N
"""

import itertools
import random
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("scripts", "tests", "tests/prop", "tests/lockstep")
sys.path[:0] = [str(ROOT / part) for part in PARTS]

import ledger
import naive
import programs
import rtl_under_test as rut
import second
import test_models as prop
from wlk import tables
from wlk.base.errors import Status
from wlk.tables.table import DRIVER_PROFILES

FIRST = 20_000  # cycles, after which the speed is known
SECONDS = 20  # of a lockstep
MOST = 20_000_000  # cycles
PROOF_SECONDS = 60
REPORTS = ("--reports", ledger.PLACE / "reports")
WEIGHTS = {"lockstep": 14, "naive": 4, "proof": 2}
# The stub's memory shows what is being written: no other is to be compared with it.
OF_STUB = {"read_during_write": ("new", "undefined")}
# Where a proof ends in seconds.
PROVABLE = {name: values[:2] for name, values in prop.SMALL.items()} | {
    "read_during_write": ("new",),
    "num_warps": (1, 2),
    "num_lanes": (1, 2),
    "num_pregs": (4, 8),
    "lane_bits": (32,),
    "num_threads": (1, 2),
    "n": range(1, 6),
    "k": range(1, 4),
    "core_width": range(1, 4),
    "xlen": (32,),
}


def lockstep(dice: random.Random, _: int) -> dict[str, Any]:
    """The model against the stub, for some seconds."""
    table = tables.load(dice.choice(tables.names()))
    values = dice.choice((prop.SMALL, prop.LARGE)) | OF_STUB
    config = programs.random_config(table, dice, values)
    while table.warnings(config):  # that it can hang, for one
        config = programs.random_config(table, dice, values)
    words = programs.config_options(table.show(config))
    words += ["--profile", dice.choice(("mix", "mix", *table.profiles))]
    if table.clock is not None:
        words += ["--power-up", dice.choice(("unknown", "unknown", "zero"))]
    seed = dice.randrange(1, 1 << 30)

    def run(seeds: str, cycles: int) -> dict[str, Any]:
        run_of = ("--seeds", seeds, "--cycles", cycles, "--jobs", 1, "--json", *REPORTS)
        done = programs.warplock("lockstep", table.name, *words, *run_of, code=None)
        passes = done.code in (Status.OK, Status.VACUOUS)
        assert passes, f"{table.name} {' '.join(words)} seeds {seeds}: {done.err}{done.out}"
        return done.json

    speed = run(f"{seed}", FIRST).get("cycles_per_second") or 1
    cycles = min(MOST, int(speed * SECONDS))
    done = run(f"{seed + 1}..{seed + 2}", cycles // 2)["cycles"] if cycles > FIRST else 0
    return {"what": f"lockstep {table.name}", "cycles": FIRST + done}


def naively(dice: random.Random, _: int) -> dict[str, Any]:
    """The C model against the one in Python."""
    block = dice.choice(sorted(naive.BLOCKS))
    one = prop.case(block, dice, dice.choice((prop.SMALL, prop.LARGE)))
    own = one.table.profiles if one.table.profiles != DRIVER_PROFILES else ()
    profiles = [*own, *(f"driver/{name}" for name in DRIVER_PROFILES)]
    unsure = one.power_up == "unknown" and hasattr(one.naive(), "readings")
    runs = 12
    for profile in itertools.islice(itertools.cycle(dice.sample(profiles, len(profiles))), runs):
        shows = unsure and dice.random() < 0.5
        prop.compare(one, profile, shows, dice.randrange(1 << 30), Counter())
    return {"what": f"naive {block}", "cycles": runs * prop.CYCLES}


def proof(dice: random.Random, number: int) -> dict[str, Any]:
    """A second version of the stub, PROVED; and what the engines leave open."""
    table = tables.load(dice.choice([name for name in tables.names() if name != "opndcoll"]))
    config = programs.random_config(table, dice, PROVABLE)
    style = dice.choice(second.STYLES)
    rut.PLACE = ledger.PLACE / "second" / str(number)  # other draws write theirs
    place = second.write(table, config, style)
    words = [*programs.config_options(table.show(config)), "--rtl", place, "--json", "--fresh"]
    words += ["--module", table.module, "--timeout", PROOF_SECONDS, *REPORTS]
    done = programs.warplock("prove", table.name, *words, code=None)
    what = {"what": f"proof {table.name}"}
    if done.code == Status.OK:
        shutil.rmtree(rut.PLACE)
        return what
    refuted = done.code == Status.REFUTED
    assert not refuted, f"{style} {table.text(config)}: {done.err}{done.out}"
    return what | {"verdict": "UNDECIDED", "why": (done.err or done.out)[-300:]}


def draw(number: int, dice: random.Random) -> dict[str, Any]:
    kinds = {"lockstep": lockstep, "naive": naively, "proof": proof}
    (kind,) = dice.choices([*WEIGHTS], [*WEIGHTS.values()])
    return kinds[kind](dice, number)


if __name__ == "__main__":
    sys.exit(ledger.campaign(__file__, __doc__, draw))
