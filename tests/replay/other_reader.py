# SPDX-License-Identifier: Apache-2.0
"""Waveforms as pywellen reads them, the reader of Surfer: a program of its own, as it may panic.

For each file of the command line it prints a line of JSON: {"signals": [[path, bits, [[time,
value], ...]], ...]} or {"error": why}. Values are settled ones, 0, 1 and x.
"""

import json
import sys

import pywellen

LEVELS = str.maketrans("zZXuUwW-lLhH", "xxxxxxxx0011")


def whole(value: str, bits: int) -> str:
    """A value with all its bits."""
    value = value.translate(LEVELS)
    return value.rjust(bits, "x" if value[0] == "x" else "0")


def settled(changes: list[tuple[int, str]]) -> list[list]:
    """The last value of each time, where it is another one."""
    found: list[list] = []
    for time, value in dict(changes).items():
        if not found or found[-1][1] != value:
            found.append([time, value])
    return found


def read(path: str) -> dict:
    wave = pywellen.Waveform(path, multi_threaded=False, remove_scopes_with_empty_name=False)
    signals = []
    for var in wave.all_vars():
        if not var.is_bit_vector or not var.bitwidth:
            continue
        signal, bits = var.signal, var.bitwidth
        changes = [signal[n] for n in range(len(signal))]
        texts = [(t, f"{v:b}" if isinstance(v, int) else v) for t, v in changes]
        name = var.full_name.replace("\\", "").replace(" ", "").replace(".[", "[")
        signals.append([name, bits, settled([(t, whole(v, bits)) for t, v in texts])])
    return {"signals": signals}


def main() -> None:
    for path in sys.argv[1:]:
        try:
            answer = read(path)
        except BaseException as error:  # noqa: BLE001  a panic of Rust is no Exception
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
