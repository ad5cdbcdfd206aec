# SPDX-License-Identifier: Apache-2.0
"""The document's analytical model of bank conflicts, and what else follows from uniform draws
(muon-designs §10)."""


def three_distinct(banks: int, entries: int) -> float:
    """P of at least 3 distinct banks among the 3C operands of C instructions."""
    draws = 3 * entries
    few = banks + banks * (banks - 1) // 2 * (2**draws - 2)
    return 1 - few / banks**draws


def distinct(banks: int, draws: int) -> float:
    """Expected distinct banks among so many draws."""
    return banks * (1 - (1 - 1 / banks) ** draws)


def minimal_cycles(banks: int) -> float:
    """E[k]: cycles in which a minimal collector reads three random sources."""
    one = (banks - 1) * (banks - 2) / banks**2
    three = 1 / banks**2
    return one + 2 * (1 - one - three) + 3 * three


def minimal_ipc(banks: int) -> float:
    """Its throughput: k read cycles cost k + 1."""
    return 1 / (1 + minimal_cycles(banks))
