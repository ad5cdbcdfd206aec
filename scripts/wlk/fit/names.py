# SPDX-License-Identifier: Apache-2.0
"""Names of SystemVerilog that cannot be names in the C of a block: words of the language, and
macros of the headers that a model includes; nor those that the checker and Verilator's class have
themselves."""

import re

WORDS = frozenset(
    """auto bool break case char const continue default do double else enum extern false float for
    goto if inline int long register restrict return short signed sizeof static struct switch true
    typedef typeof union unsigned void volatile while asm linux unix i386 errno stdin stdout stderr
    NULL MODEL MODEL_CAPS NAMED CAPS SHOW SHOW_WORDS SHOW_SET IN_SET EVENT PAYLOADS INNER FENCE
    FENCE_WORD alignas alignof constexpr nullptr static_assert thread_local class delete explicit
    export friend mutable namespace new operator private protected public template this throw try
    catch typename
    using virtual and or not xor handle eval eval_step eval_end_step eventsPending nextTimeSlot
    trace name hierName modelName threads prepareClone atClone contextp vlSymsp rootp""".split()
)
PLAIN = re.compile(r"[A-Za-z_]\w*")


def is_reserved(name: str) -> bool:
    """Does the word mean something else in C, or C++?"""
    return name in WORDS or name.startswith("__")


def c_name(name: str) -> str:
    """A name like it that C can have; a port map places what is under another name."""
    plain = re.sub(r"\W", "_", name)
    return f"{plain}_" if is_reserved(plain) else plain
