# SPDX-License-Identifier: Apache-2.0
"""Seeded random configurations and stimulus, as text, for GPGPU-Sim's operand collector.

Every configuration is legal by section 10 of its spec, and no stimulus reaches an assertion or
what the spec leaves open: see `Stimulus.legal`. A stimulus is a function of its seed alone and
knows nothing of what the collector does with it.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from naive_opndcoll import (
    DEFAULT_SIZES,
    DEFAULTS,
    KINDS,
    MAX_DRAINED,
    V32_KINDS,
    V32_ORDER,
    Config,
    Sizes,
    set_names,
)

MAX_SPEC_UNITS = 8
MAX_OWED = MAX_DRAINED - 96  # drained instructions of a kind

# Configurations ----------------------------------------------------------------------------------

Decks = Mapping[str, Sequence]

# Every value comes up about equally often: each list is dealt out like a deck of cards.
DECKS = {
    "revision": ("v40", "v40", "v42", "v42", "v32"),
    "sub_core": (False, True),
    "schedulers": (1, 2, 3, 4, 4, 8),
    "banks": (1, 2, 3, 4, 5, 8, 8, 12, 16, 16, 24, 32, 64),
    "throughput": (1, 2, 2, 3),
    "lanes": (1, 2, 8, 31, 32, 32),
    "sets": ("generic", "generic", "special", "both", "both", "defaults"),
    "units": (1, 2, 4, 8, 8, 16, 64),
    "ports": (1, 2, 4, 8),
    "TENSOR": (False, True),
    "DP": (False, True),
    "INT": (False, True),
    "spec_units": (0, 0, 0, 1, 2, MAX_SPEC_UNITS),
    "widths": ("one", "few", "few", "many", "holes"),
}
# Those in which a policy shows, by its name; the others come up too.
ANY_POLICIES = dict.fromkeys(
    ("pass_full_sub_core", "rotate_kinds", "read_duplicates_once"), (False, True)
)
POLICIES = {
    "pass_full_sub_core": {"revision": ("v42",), "sub_core": (True,), "schedulers": (2, 3, 4, 8)},
    "rotate_kinds": {"sets": ("generic", "both", "both"), "DP": (True,), "INT": (True,)},
    "read_duplicates_once": {"revision": ("v40", "v40", "v32")},
}
POLICY_DECKS = {
    name: DECKS | ANY_POLICIES | decks | {name: (True,)} for name, decks in POLICIES.items()
}
WIDTHS = {"one": (1,), "few": (1, 2, 3, 4), "many": (4, 6, 8), "holes": (0, 1, 2, 8)}


def configurations(seed: int | str, count: int, decks: Decks = DECKS) -> list[Config]:
    """`count` legal configurations."""
    rng = random.Random(f"{seed}/opndcoll configurations")
    dealt = {}
    for name, values in decks.items():
        cards: list = []
        while len(cards) < count:
            cards += rng.sample(values, len(values))
        dealt[name] = cards
    return [
        _configuration(rng, {name: cards[k] for name, cards in dealt.items()}) for k in range(count)
    ]


def option_file(config: Config, rng: random.Random) -> str:
    """The options in any order. Those that have their default are there or not."""
    lines = [
        f"{name} {value}"
        for name, value in config.options.items()
        if value != str(DEFAULTS.get(name)) or rng.random() < 0.5
    ]
    rng.shuffle(lines)
    return "".join(f"{line}\n" for line in ["# a random configuration", *lines])


def _configuration(rng: random.Random, card: dict) -> Config:
    if card["revision"] == "v32":
        card |= dict.fromkeys(("sub_core", "TENSOR", "DP", "INT"), False) | {"spec_units": 0}
    if card["sub_core"]:  # a multiple of schedulers
        card["banks"] = max(card["banks"] // card["schedulers"], 1) * card["schedulers"]
    card["specialized"] = card["revision"] == "v32" or card["sets"] != "generic"
    options: dict[str, object] = {
        "-gpgpu_num_reg_banks": card["banks"],
        "-gpgpu_num_sched_per_core": card["schedulers"],
        "-gpgpu_sub_core_model": int(card["sub_core"]),
        "-gpgpu_reg_file_port_throughput": card["throughput"],
        "-gpgpu_enable_specialized_operand_collector": int(card["specialized"]),
        "-gpgpu_tensor_core_avail": int(card["TENSOR"]),
        "-gpgpu_num_dp_units": 4 * card["DP"],
        "-gpgpu_num_int_units": 2 * card["INT"],
        "-gpgpu_shader_core_pipeline": f"{64 * card['lanes']}:{card['lanes']}",
    }
    for name, sizes in _legal_sizes(card, _sizes(rng, card)).items():
        options |= sizes.options(name)
    options |= _widths(rng, card)
    for name in ("-gpgpu_reg_bank_use_warp_id", "-gpgpu_mem_unit_ports"):  # change nothing
        if rng.random() < 0.5 and card["revision"] != "v32":
            options[name] = rng.randrange(2)
    options |= {f"-warplock_{name}": 1 for name in _policies(card)}
    return Config(card["revision"], {name: str(value) for name, value in options.items()})


def _policies(card: dict) -> list[str]:
    """Those that are on: what only a sub-core model has is off elsewhere."""
    shared_out = card["revision"] == "v42" and card["sub_core"]
    return [name for name in POLICIES
            if card.get(name) and (shared_out or name != "pass_full_sub_core")]  # fmt: skip


def _sizes(rng: random.Random, card: dict) -> dict[str, Sizes]:
    """The sizes that the card asks for."""

    def size(most_units: int, least_units: int = 1) -> Sizes:
        ports = rng.randint(1, card["ports"]), rng.randint(1, card["ports"])
        return Sizes(rng.randint(least_units, most_units), *ports)

    order = V32_ORDER if card["revision"] == "v32" else tuple(DEFAULT_SIZES)
    special = [name for name in order if name != "gen"]
    none = Sizes(0, 0, 0)
    if card["sets"] == "defaults":
        return {name: DEFAULT_SIZES[name] for name in order}
    if card["sets"] == "generic":
        # Where the other sets are not there, it does not matter what the options say of them.
        old = card["revision"] == "v32"
        return {name: none if old else size(8, 0) for name in special} | {
            "gen": size(card["units"], card["units"])
        }
    sizes = {name: none if rng.random() < 0.2 else size(8) for name in special}
    shared = size(min(card["units"], 16))
    sizes["gen"] = shared if card["sets"] == "both" else none
    if rng.random() < 0.3:  # units without ports of their own serve those of the other sets
        sizes["gen"] = shared._replace(in_ports=0)
    return sizes


def _legal_sizes(card: dict, sizes: dict[str, Sizes]) -> dict[str, Sizes]:
    """The sizes, bent to the rules of spec section 10."""
    units = sum(sizes[name].units for name in set_names(card["revision"], card["specialized"]))
    if units == 0:
        sizes["gen"] = Sizes(4, 2, 2)
        units = 4
    if card["revision"] == "v32" and units < card["banks"]:
        gen = sizes["gen"]
        more = gen.units + card["banks"] - units
        sizes["gen"] = Sizes(more, gen.in_ports, max(gen.out_ports, 1))
    if card["revision"] == "v42" and card["sub_core"]:
        for name, size in sizes.items():
            # Every set can be asked by a port or a dispatch unit, the generic one by all ports.
            if any(size) or name == "gen":
                each = max(size.units // card["schedulers"], 1)
                sizes[name] = size._replace(units=each * card["schedulers"])
    return sizes


def _widths(rng: random.Random, card: dict) -> dict[str, str]:
    """The options that give register sets their widths."""
    choice = WIDTHS[card["widths"]]
    schedulers = card["schedulers"]

    def pair(least_id: int = 0) -> tuple[int, int]:
        id_width, ex_width = rng.choice(choice), rng.choice(choice)
        if card["sub_core"] and card["revision"] == "v42":
            ex_width = max(ex_width, schedulers)
        return max(id_width, least_id), ex_width

    old = card["revision"] == "v32"
    pairs = {kind: pair() for kind in (V32_KINDS if old else KINDS)}
    if card["sub_core"]:  # what is there has a slot of ID_OC for each scheduler
        pairs |= {kind: (schedulers, pairs[kind][1]) for kind in KINDS if card.get(kind, True)}
    tensor = pairs.pop("TENSOR", ())
    ids, exs = zip(*pairs.values(), strict=True)
    widths = [*ids, *exs, 8, *(tensor if card["TENSOR"] else ())]  # 8: EX_WB
    options = {"-gpgpu_pipeline_widths": ",".join(map(str, widths))}
    for n in range(1, card["spec_units"] + 1):
        id_width, ex_width = pair(schedulers if card["sub_core"] else 0)
        options[f"-specialized_unit_{n}"] = f"1,4,4,{id_width},{ex_width},UNIT{n}"
    return options


# Stimulus ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Profile:
    """Probabilities and sizes of what a core cycle does."""

    issue: float = 0.35  # of each slot of each ID_OC set
    drain: float = 0.8  # of each slot of each OC_EX set
    load_store: float = 0.9  # that the load/store unit has its turn
    results: float = 0.3  # of a new result, three times
    retry: float = 0.5  # of a retry of each new result
    no_sources: float = 0.1
    sources: tuple[int, int] = (1, 4)
    gap: float = 0.0  # of each operand slot
    repeat: float = 0.1  # that a source is the one before it
    destinations: tuple[int, int] = (0, 2)
    registers: int = 64
    warps: int = 64
    stray: float = 0.0  # that the warp is not one of the scheduler
    few_kinds: float = 0.2  # that a run uses two kinds only
    pause: float = 0.05  # of a core cycle with many steps and nothing else
    ordered: bool = True  # as a core cycle orders them; otherwise any order


PROFILES = {
    "core": Profile(),
    "saturated": Profile(issue=0.9, drain=1, load_store=1, sources=(3, 3), no_sources=0, pause=0),
    "conflict": Profile(issue=0.5, registers=6, warps=4, repeat=0.2),
    "writes": Profile(issue=0.3, results=0.95, retry=0.9, destinations=(1, 4), registers=16),
    "sparse": Profile(issue=0.03, drain=0.5, pause=0.3),
    "blocked": Profile(issue=0.6, drain=0.15, load_store=0.3, few_kinds=0),
    "no_sources": Profile(issue=0.5, no_sources=0.85),
    "gaps": Profile(issue=0.25, sources=(2, 32), gap=0.5, repeat=0.3, registers=200),
    "repeats": Profile(issue=0.3, repeat=0.7, sources=(2, 8)),
    "destinations": Profile(issue=0.2, results=0.7, retry=0.9, destinations=(3, 32), gap=0.2),
    "any_order": Profile(stray=0.3, gap=0.1, results=0.5, ordered=False, pause=0),
}

LISTS = 200  # operand lists that a run takes its instructions from


class Stimulus:
    """The commands of one run: a function of (config, profile, seed)."""

    def __init__(self, config: Config, profile: str, seed: int | str) -> None:
        self.rng = random.Random(f"{seed}/opndcoll/{profile}")
        self.config = config
        self.profile = PROFILES[profile]
        rng = self.rng
        kinds = list(V32_KINDS) if config.revision == "v32" else config.kinds
        self.kinds = [k for k in kinds if self.legal(k)] or kinds
        if rng.random() < self.profile.few_kinds:
            self.kinds = rng.sample(self.kinds, min(2, len(self.kinds)))
        self.warps = [rng.randrange(64) for _ in range(self.profile.warps)]
        self.sources = [self._sources() for _ in range(LISTS)]
        least, most = self.profile.destinations
        most = min(most, config.operands)
        self.destinations = [self._registers(least, most) for _ in range(LISTS)]
        self.owed = dict.fromkeys(kinds, 0)
        self.results = 0
        self.steps = 0

    def legal(self, kind: str) -> bool:
        """Whether `I` may name this kind: a sub-core's set must have every scheduler's slot."""
        return not self.config.sub_core or self.config.id_width[kind] >= self.config.schedulers

    def text(self, steps: int) -> str:
        """Commands with at least this many steps."""
        lines = ["# a random stimulus"]
        cycle = self._core_cycle if self.profile.ordered else self._any_order
        while self.steps < steps:
            lines.append("C")
            if self._chance(self.profile.pause):
                lines.append(self._steps(self.rng.randint(2, 12)))
            else:
                lines += cycle()
        return "".join(f"{line}\n" for line in lines)

    # A core cycle

    def _core_cycle(self) -> Iterator[str]:
        """The order of the format's description."""
        new = self.config.revision == "v42"
        for kind in self.kinds:
            if kind != "MEM":
                yield from self._write_backs(kind)
        yield from self._results()
        for kind in self.kinds:
            if kind != "MEM":
                yield from self._drains(kind)
        if self._chance(self.profile.load_store):
            yield "L"
        if new:
            yield from self._drains("MEM")
        yield self._steps(self.config.throughput)
        if not new:
            yield from self._drains("MEM")
        for kind in self.kinds:
            yield from self._issues(kind)

    def _any_order(self) -> list[str]:
        """The same commands and more, in any order."""
        lines = ["L"] * self.rng.randint(0, 2)
        lines += [self._steps(1), "X"]
        self.steps += 1
        lines += self._results()
        for kind in self.kinds:
            lines += [*self._write_backs(kind), *self._drains(kind), *self._issues(kind)]
        lines.append(f"R {self.rng.randint(0, self.results + 1)}")
        if self.results and self._chance(0.1):
            key = self.rng.randint(1, self.results)  # the key gets another result
            lines.append(f"W {key} {self._result()}")
        self.rng.shuffle(lines)
        return lines

    def _steps(self, count: int) -> str:
        self.steps += count
        return f"X {count}"

    def _write_backs(self, kind: str) -> Iterator[str]:
        """Of all that may have been drained. MEM's are the load/store unit's."""
        if kind != "MEM":
            for _ in range(self.owed[kind]):
                yield f"V {kind}"
            self.owed[kind] = 0

    def _drains(self, kind: str) -> Iterator[str]:
        if kind not in self.kinds:
            return
        width = self.config.ex_width[kind]
        by_slot = kind != "MEM" and self.config.revision == "v42" and self._chance(0.8)
        by_slot |= self._chance(0.05)  # elsewhere the slot is ignored
        for slot in range(max(width, 1)):
            if self._chance(self.profile.drain) and self.owed[kind] < MAX_OWED:
                self.owed[kind] += 1
                yield f"E {kind} {slot}" if by_slot and width else f"E {kind}"

    def _results(self) -> Iterator[str]:
        for _ in range(3):
            if self._chance(self.profile.results):
                self.results += 1
                yield f"W {self.results} {self._result()}"
                if self._chance(self.profile.retry):
                    yield f"R {self.rng.randint(max(self.results - 3, 1), self.results)}"

    def _result(self) -> str:
        sched = self.rng.randrange(self.config.schedulers)
        return f"{sched} {self._warp(sched)} {self.rng.choice(self.destinations)}"

    def _issues(self, kind: str) -> Iterator[str]:
        if not self.legal(kind):
            return
        schedulers = self.config.schedulers
        width = schedulers if self.config.sub_core else max(self.config.id_width[kind], 1)
        for n in range(width):
            if not self._chance(self.profile.issue):
                continue
            sched = n if self.config.sub_core else self.rng.randrange(schedulers)
            wid = self._warp(sched)
            destinations = self.rng.choice(self.destinations)
            if kind == "MEM" and self.config.revision == "v32":
                destinations = self._writable(destinations, wid)
            yield f"I {kind} {sched} {wid} {self.rng.choice(self.sources)} {destinations}"

    def _writable(self, destinations: str, wid: int) -> str:
        """V32's load/store unit would hold an instruction with two destinations in one bank for
        ever: seldom, for such a run has no other load any more."""
        if destinations == "-" or self._chance(0.002):
            return destinations
        regs = [int(reg) for reg in destinations.split(",")]
        banks = [self.config.bank(reg, wid, 0) for reg in regs if reg >= 0]
        return destinations if len(set(banks)) == len(banks) else str(max(regs))

    # Operands

    def _warp(self, sched: int) -> int:
        wid = self.rng.choice(self.warps)
        if self._chance(self.profile.stray):
            return wid
        return wid - wid % self.config.schedulers + sched

    def _sources(self) -> str:
        if self._chance(self.profile.no_sources):
            return "-" if self._chance(0.8) else "-1,-1"
        return self._registers(*self.profile.sources)

    def _registers(self, least: int, most: int) -> str:
        # Short lists are likelier, the longest is not rare.
        count = self.rng.choice(
            (least, self.rng.randint(least, most), self.rng.randint(least, most))
        )
        regs: list[int] = []
        for _ in range(count):
            if self._chance(self.profile.gap):
                regs.append(-1)
            elif regs and self._chance(self.profile.repeat):
                regs.append(regs[-1])
            else:
                regs.append(self.rng.randrange(self.profile.registers))
        return ",".join(map(str, regs)) or "-"

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability
