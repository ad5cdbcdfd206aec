# SPDX-License-Identifier: Apache-2.0
"""`wlk-vec beside`: signals put beside those of an FST, which stay as they were."""

import subprocess

import pytest
from wlk.base.errors import Status
from wlk.run import build

pytestmark = pytest.mark.needs("gtkwave")

VEC = build.folder() / "dpi" / "wlk-vec"
HEAD = """\
$timescale 10ps $end
$scope module top $end
$var wire 1 ! clock $end
$var reg 12 " bus [15:4] $end
$var wire 12 " same [15:4] $end
$var real 64 # level $end
$scope function inner $end
$var string 1 $ text $end
$upscope $end
$upscope $end
$enddefinitions $end
"""
VALUES = """\
#3
0!
bx0101 "
r-1.5 #
sabc $
#7
1!
#20
r1e-300 #
b1z "
s $
#21
0!
"""
ADDED = """\
+beside
=1 flag
+deeper
=3 code
-
-
#1
0 x
#3
1 01x
#7
0 1
#19
0 0
#20
1 111
#30
0 1
"""


def vcd(wave):
    return subprocess.run(["fst2vcd", wave], capture_output=True, check=True, text=True).stdout


def changes(text):
    """What each signal was, and when it changed, by its path."""
    scopes, codes, time, found = [], {}, 0, {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(" ".join(words[1:3]))
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            codes.setdefault(words[3], []).append(" ".join([*scopes, words[1], *words[4:-1]]))
        elif line.startswith("#"):
            time = int(line[1:])
        elif line[:1] in ("b", "r", "s") and len(words) > 1:
            for path in codes[words[1]]:
                found.setdefault(path, []).append((time, words[0]))
        elif line[:1] in ("0", "1", "x", "z"):
            for path in codes[line[1:]]:
                found.setdefault(path, []).append((time, line[0]))
    return found


def make(folder, values=VALUES):
    (folder / "a.vcd").write_text(HEAD + values)
    wave, added = folder / "a.fst", folder / "added"
    subprocess.run(["vcd2fst", folder / "a.vcd", wave], check=True, capture_output=True)
    added.write_text(ADDED)
    return wave, added


def run(*words):
    return subprocess.run([VEC, "beside", *words], capture_output=True, text=True, check=False)


def test_beside_keeps_what_was_there_and_adds(tmp_path):
    wave, added = make(tmp_path)
    done = run(wave, added, tmp_path / "b.fst")
    assert (done.returncode, done.stderr) == (0, "")
    before, text = changes(vcd(wave)), vcd(tmp_path / "b.fst")
    after = changes(text)
    assert len(before) == 5
    assert before.items() <= after.items()
    assert "10ps" in text.partition("$scope")[0].replace(" ", "")
    more = {path: values for path, values in after.items() if path not in before}
    assert more == {
        "module beside wire flag": [(1, "x"), (7, "1"), (19, "0"), (30, "1")],
        "module beside module deeper wire code [2:0]": [(3, "b01x"), (20, "b111")],
    }


def test_beside_in_several_blocks(tmp_path):
    """An FST of many values is a row of blocks, each of which begins with all of them."""
    lines = [f'#{10 * n}\n{n % 2}!\nb{n % 4096:b} "\nr{n}.5 #' for n in range(1, 40_000)]
    wave, added = make(tmp_path, "\n".join(lines) + "\n")
    assert run(wave, added, tmp_path / "b.fst").returncode == 0
    before, after = changes(vcd(wave)), changes(vcd(tmp_path / "b.fst"))
    assert len(before["module top wire clock"]) > 39_000
    assert before.items() <= after.items()


@pytest.mark.parametrize(
    ("spoil", "status", "part"),
    [
        (lambda wave, _: wave.write_bytes(b"no"), Status.CORRUPT, "a.fst: neither FST nor VCD"),
        (lambda wave, _: wave.write_text(HEAD + VALUES), Status.CORRUPT, "a.fst: a VCD: give an"),
        (lambda _, added: added.unlink(), Status.NO_FILE, "added: No such file"),
        *(
            (lambda _, added, text=text: added.write_text(text), Status.CORRUPT, f"added:{line}: ")
            for text, line in (
                ("+\n#0\n", 1),
                ("+a\n-\n-\n#0\n", 3),
                ("=65 x\n#0\n", 1),
                ("=0 x\n#0\n", 1),
                ("=1 \n#0\n", 1),
                ("=1 x\n#0\n0 11\n", 3),
                ("=2 x\n#0\n0 1\n", 3),
                ("=1 x\n#0\n1 1\n", 3),
                ("=1 x\n#0\n0 2\n", 3),
                ("=1 x\n#7\n0 1\n#6\n", 4),
                ("=1 x\nx\n", 2),
            )
        ),
    ],
)
def test_beside_says_what_cannot_be_read(tmp_path, spoil, status, part):
    wave, added = make(tmp_path)
    spoil(wave, added)
    done = run(wave, added, tmp_path / "b.fst")
    assert done.returncode == status
    assert part in done.stderr
    assert not (tmp_path / "b.fst").exists()
