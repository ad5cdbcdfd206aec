# SPDX-License-Identifier: Apache-2.0
"""`warplock opndcoll`: every recording of GPGPU-Sim's own collector, and bad input."""

import lzma
import re
from pathlib import Path

import programs
import pytest
from wlk.base.errors import Status, WlkError
from wlk.run import opndcoll_replay

TOOL = "dpi/wlk-opndcoll"


def opndcoll(*words, code=0):
    return programs.warplock("opndcoll", *words, code=code)


def files(name: str) -> tuple[list[object], Path, Path]:
    """Words for the configuration, stimulus and events of a recording."""
    revision, config, _ = name.split("-")
    stimulus = programs.recording(f"gpgpusim/{name}.stim.xz")
    words = ["--revision", revision, "--config", stimulus.with_name(f"{config}.cfg")]
    return words, stimulus, stimulus.with_name(f"{name}.events.xz")


def text_of(path: Path) -> str:
    return lzma.decompress(path.read_bytes()).decode("ascii")


def unpacked(path: Path, folder: Path) -> Path:
    plain = folder / path.stem
    plain.write_bytes(lzma.decompress(path.read_bytes()))
    return plain


@pytest.mark.parametrize("name", programs.OPNDCOLL)
def test_opndcoll_recording_is_printed_byte_by_byte(name, tmp_path):
    words, stimulus, events = files(name)
    plain = unpacked(stimulus, tmp_path)
    done = programs.run(TOOL, *words, "--state", "--stats", plain)
    assert done.returncode == 0, done.stderr
    assert done.stdout == text_of(events)


def test_opndcoll_state_and_stats_only_add_lines(tmp_path):
    words, stimulus, events = files("v40-qv100-mixed")
    plain = unpacked(stimulus, tmp_path)
    done = programs.run(TOOL, *words, plain)
    lines = text_of(events).splitlines()
    assert done.stdout.splitlines() == [x for x in lines if not re.match(r"[cqupr] |# stats", x)]


def test_opndcoll_recordings_are_found_by_their_names():
    place = programs.recording("gpgpusim/README.md").parent
    found = {r.events.name.removesuffix(".events.xz") for r in opndcoll_replay.recordings(place)}
    assert set(programs.OPNDCOLL) <= found


# The subcommand.


def test_opndcoll_unpacks_and_prints(capfd):
    words, stimulus, events = files("v40-titanv-core")
    opndcoll(stimulus, *words, "--state", "--stats")
    assert capfd.readouterr().out == text_of(events)


def test_opndcoll_diff_of_what_is_identical():
    words, stimulus, events = files("v42-kepler-core")
    printed = opndcoll(stimulus, *words, "--diff", events).out
    assert "25,218 lines of 800 steps, all identical" in printed
    answer = opndcoll(stimulus, *words, "--diff", events, "--json").json
    assert answer == {"verdict": "PASS", "lines": 25_218, "steps": 800}


def test_opndcoll_diff_names_the_first_line_that_differs(tmp_path):
    words, stimulus, events = files("v40-qv100-core")
    lines = text_of(events).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("G ")) + 7
    at = next(i for i in range(at, len(lines)) if lines[i].startswith("G "))
    got, lines[at] = lines[at], "G 99 0 0 0 0"
    changed = tmp_path / "changed.events"
    changed.write_text("\n".join(lines) + "\n", "ascii")
    out = opndcoll(stimulus, *words, "--diff", changed, code=Status.FUNCTIONAL_MISMATCH).out
    assert f"{changed}:{at + 1}: the first line that differs" in out
    assert "expected  G 99 0 0 0 0\n" in out
    assert f"got       {got}\n" in out
    found = re.search(r"stimulus  (\S+):(\d+)\n", out)
    commands = text_of(stimulus).splitlines()
    assert commands[int(found[2]) - 1].startswith("X")


def test_opndcoll_diff_sees_the_end(tmp_path):
    words, stimulus, events = files("v40-qv100-core")
    text = text_of(events)
    changed = tmp_path / "changed.events"
    words = [stimulus, *words, "--diff", changed]
    # Without its last line, a recording has no statistics.
    changed.write_text("".join(text.splitlines(keepends=True)[:-1]), "ascii")
    opndcoll(*words)
    assert "(the recording ends)" in opndcoll(*words, "--stats", code=1).out
    changed.write_text(text + "C 400\n", "ascii")
    assert "(the stimulus ends)" in opndcoll(*words, code=1).out


def test_opndcoll_diff_of_what_a_user_recorded(tmp_path):
    """Without a header, with comments, and with the lines that `# lines` declares."""
    words, stimulus, events = files("v40-qv100-core")
    mine = tmp_path / "mine.events"
    words = [stimulus, *words, "--diff", mine]
    own = [x for x in text_of(events).splitlines() if x[0] in "DAL"]
    own.insert(7, "")
    mine.write_text("\n".join(["# SM 3", "# lines D A L L<", *own, "# done"]) + "\n", "ascii")
    answer = opndcoll(*words, "--json").json
    left = ["header", "lines that `# lines` does not name"]
    assert answer == {"verdict": "PASS", "lines": len(own) - 1, "steps": 800, "not_compared": left}
    assert "not compared, since not in the recording: header, lines" in opndcoll(*words).out
    own[9] += "0"
    mine.write_text("\n".join(["# SM 3", "# lines D A L L<", *own]) + "\n", "ascii")
    assert f"{mine}:12: the first line that differs" in opndcoll(*words, code=1).out
    mine.write_text("\n".join(["# lines A", *own]) + "\n", "ascii")  # it has others, too
    opndcoll(*words, code=Status.FUNCTIONAL_MISMATCH)
    mine.write_text("# lines Q\n", "ascii")
    assert "no line of it was compared" in opndcoll(*words, code=Status.VACUOUS).out


def test_opndcoll_diff_compares_declared_states(tmp_path):
    words, stimulus, events = files("v40-qv100-core")
    mine = tmp_path / "mine.events"
    own = [x for x in text_of(events).splitlines() if x[0] in "#Sc" and not x.startswith("# stats")]
    mine.write_text("\n".join(["# lines S c", *own]) + "\n", "ascii")
    answer = opndcoll(stimulus, *words, "--diff", mine, "--json").json
    assert (answer["verdict"], answer["lines"]) == ("PASS", len(own))
    assert len(own) > 3000


def cut(tmp_path, stim: str, events: str, code: int = 0):
    """Compare a recording that ends like this."""
    (tmp_path / "a.stim").write_text("# warplock recording 1\nC\nI SP 0 0 1 2\nX 2\n" + stim)
    text = "# warplock recording 1\nC 0\nI SP 1 0\nS 0\nA 0 SP 0 1\nS 1\nG 1 0 0 1 0\n"
    (tmp_path / "a.events").write_text(text + events)
    return opndcoll(tmp_path / "a.stim", "--diff", tmp_path / "a.events", code=code).out


def test_opndcoll_diff_of_a_killed_simulation_ends_where_the_recording_does(tmp_path):
    assert "6 lines of 2 steps, all identical; " in cut(tmp_path, "X 2", "S 2")
    assert "; the recording has no end: " in cut(tmp_path, "X\n", "")
    assert "no end" in cut(tmp_path, "", "S 2\nD 0 0 SP 1 0\n")
    assert "no end" not in cut(tmp_path, "X\n# end\n", "S 2\nD 0 0 SP 1 0\n# end\n")
    assert "(the recording ends)" in cut(tmp_path, "X\n# end\n", "# end\n", code=1)
    assert "(the stimulus ends)" in cut(tmp_path, "# end\n", "S 2\n# end\n", code=1)
    assert "differs" in cut(tmp_path, "X\n", "S 2\nD 0 1 SP 1 0\n", code=1)


def test_opndcoll_recording_of_another_version(tmp_path):
    (tmp_path / "a.stim").write_text("# warplock recording 2\nC\n")
    assert "version '2'" in opndcoll(tmp_path / "a.stim", code=Status.BAD_VERSION).err


def test_opndcoll_other_configuration_differs_in_the_header():
    words, stimulus, events = files("v40-qv100-core")
    words[3] = words[3].with_name("titanv.cfg")
    assert "banks 8 cus" in opndcoll(stimulus, *words, "--diff", events, code=1).out


def test_opndcoll_json_needs_diff(tmp_path):
    opndcoll(tmp_path / "a.stim", "--json", code=Status.USAGE)


def test_opndcoll_truncated_xz_names_file_and_line(tmp_path):
    _, stimulus, _ = files("v40-qv100-core")
    cut = tmp_path / "cut.stim.xz"
    cut.write_bytes(stimulus.read_bytes()[:6000])
    done = opndcoll(cut, code=Status.TRUNCATED)
    found = re.search(rf" {cut}:(\d+): the xz stream ends too early", done.line)
    assert int(found[1]) > 100


def test_opndcoll_file_that_is_no_xz(tmp_path):
    wrong = tmp_path / "wrong.stim.xz"
    wrong.write_text("C\n", "ascii")
    opndcoll(wrong, code=Status.CORRUPT)
    opndcoll(tmp_path / "absent.stim.xz", code=Status.NO_FILE)


def test_opndcoll_bad_line_in_an_xz_names_the_xz(tmp_path):
    bad = tmp_path / "bad.stim.xz"
    bad.write_bytes(lzma.compress(b"C\nC\nQ\n"))
    assert opndcoll(bad, code=None).line.startswith(f"warplock: {bad}:3: no command 'Q'")


# Bad stimulus.

REGISTERS_33 = ",".join(["1"] * 33)
BAD_LINES = [
    ("Q", Status.CORRUPT, "no command 'Q'"),
    ("Cx", Status.CORRUPT, "no command 'Cx'"),
    ("C 0", Status.CORRUPT, "core cycle 0 stands behind 0"),
    ("C -1", Status.CORRUPT, "core cycle '-1' is not a number up to 1000000000000000"),
    ("C 1000000000000001", Status.CORRUPT, "core cycle '1000000000000001' is not a number"),
    ("C 1 2", Status.CORRUPT, "3 words; it must be 'C [cycle]'"),
    ("Z 0 0", Status.CORRUPT, "Z must be the first command"),
    ("I SP 0 1 1", Status.CORRUPT, "5 words; it must be 'I SET sched wid srcs dsts'"),
    ("I SP 0 1 1 1 1", Status.CORRUPT, "7 words"),
    ("I ALU 0 1 - -", Status.CORRUPT, "no set 'ALU'"),
    ("I SPEC3 0 1 - -", Status.BAD_PARAMS, "no set SPEC3; -specialized_unit_3"),
    ("I SP 4 1 - -", Status.BAD_PARAMS, "scheduler 4 is out of range"),
    ("I SP x 1 - -", Status.CORRUPT, "scheduler 'x' is not a number"),
    ("I SP -1 1 - -", Status.CORRUPT, "scheduler '-1' is not a number"),
    ("I SP 0 4294967296 - -", Status.CORRUPT, "warp '4294967296'"),
    ("I SP 0 65536 - -", Status.CORRUPT, "warp '65536' is not a number up to 65535"),
    ("W 1 0 65536 -", Status.CORRUPT, "warp '65536' is not a number up to 65535"),
    ("X 1000000001", Status.CORRUPT, "steps '1000000001' is not a number up to 1000000000"),
    ("I SP 4294967295 1 - -", Status.CORRUPT, "scheduler '4294967295' is not a number up to"),
    ("I SP 18446744073709551616 1 - -", Status.CORRUPT, "scheduler '18446744073709551616'"),
    (f"I SP 0 1 {REGISTERS_33} -", Status.CORRUPT, "more than 32 registers"),
    ("I SP 0 1 1,,2 -", Status.CORRUPT, "registers '1,,2'"),
    ("I SP 0 1 1, -", Status.CORRUPT, "registers '1,'"),
    ("I SP 0 1 -2 -", Status.CORRUPT, "registers '-2'"),
    ("I SP 0 1 2147483648 -", Status.CORRUPT, "registers '2147483648': numbers up to 2147483647"),
    ("I SP 0 1 - 18446744073709551617", Status.CORRUPT, "registers '18446744073709551617'"),
    ("E SP 1 2", Status.CORRUPT, "4 words"),
    ("E SP a", Status.CORRUPT, "slot 'a'"),
    ("E SP 4294967295", Status.CORRUPT, "slot '4294967295' is not a number up to 4294967294"),
    ("W 1 4 1 -", Status.BAD_PARAMS, "scheduler 4 is out of range"),
    ("W k 0 1 -", Status.CORRUPT, "key 'k' is not an integer"),
    ("W 0 0 70000 -", Status.CORRUPT, "warp '70000' is not a number up to 65535"),
    ("W 9223372036854775808 0 1 -", Status.CORRUPT, "to 9223372036854775807"),
    ("W -9223372036854775808 0 1 -", Status.CORRUPT, "key '-9223372036854775808'"),
    ("R 20000000000000000000", Status.CORRUPT, "key '20000000000000000000'"),  # 2^64 and more
    ("R", Status.CORRUPT, "1 words; it must be 'R key'"),
    ("V", Status.CORRUPT, "it must be 'V SET'"),
    ("L 1", Status.CORRUPT, "it must be 'L'"),
    ("X two", Status.CORRUPT, "steps 'two' is not a number"),
    ("X -1", Status.CORRUPT, "steps '-1'"),
    ("X 18446744073709551617", Status.CORRUPT, "steps '18446744073709551617' is not a number"),
    ("C" + " " * 5000, Status.CORRUPT, "longer than 4096 characters"),
    ("C\0", Status.CORRUPT, "a byte 0"),
]


BAD_STARTS = [
    ("Z 0", "2 words; it must be 'Z pri lasts [kinds]'"),
    ("Z 0 0,0,0,0,0,0,0,0 SP,SP,SP,SP,SP,SP,SP,SP", "Z: with -warplock_rotate_kinds 1, a set"),
    ("Z 0 0,0,0,0,0,0,0,0 SP,", "'SP,' is not a set for each port"),
    ("Z 0 0,0,0,0,0,0,0,0 SPEC1", "'SPEC1' is not a set for each port"),
    ("Z x 0,0,0,0,0,0,0,0", "pri 'x' is not a number"),
    ("Z 8 0,0,0,0,0,0,0,0", "Z: pri is below 8"),
    ("Z 0 0,0,0,0,0,0,0,8", "Z: pri is below 8"),
    ("Z 0 0,0,0,0,0,0,0", "'0,0,0,0,0,0,0' is not a number for each of the 8 dispatch units"),
    ("Z 0 0,0,0,0,0,0,0,0,0", "of the 8 dispatch units"),
    ("Z 0 0,0,0,0,0,0,0,", "of the 8 dispatch units"),
    ("Z 0 0,0,0,0,0,0,0,18446744073709551616", "of the 8 dispatch units"),
    ("Z 0 -", "'-' is not a number for each"),
]


@pytest.mark.parametrize(("line", "message"), BAD_STARTS)
def test_opndcoll_bad_start_is_named(qv100, tmp_path, line, message):
    path = tmp_path / "bad.stim"
    path.write_text(f"# a comment\n\n{line}\n", "ascii")
    done = programs.run(TOOL, *qv100, path)
    assert done.returncode in (Status.CORRUPT, Status.BAD_PARAMS), done.stderr
    assert done.stderr.startswith(f"wlk-opndcoll: {path}:3: ")
    assert message in done.stderr


def test_opndcoll_start_sets_the_first_kinds(qv100, tmp_path):
    policy = tmp_path / "rotate.cfg"
    policy.write_text("-warplock_rotate_kinds 1\n", "ascii")
    words = [*qv100, "--config", policy, "--state", "-"]
    kinds = "SP,SFU,MEM,TENSOR,DP,INT,SP"
    done = programs.run(TOOL, *words, stdin=f"Z 0 0,0,0,0,0,0,0,0 {kinds},INT\nX\n")
    assert "k SP SFU MEM TENSOR DP INT SP INT\n" in done.stdout
    done = programs.run(TOOL, *words, stdin=f"Z 0 0,0,0,0,0,0,0,0 {kinds}\nX\n")
    assert "for each of the 8 ports" in done.stderr


def test_opndcoll_limits_themselves_are_accepted(qv100, tmp_path):
    path = tmp_path / "good.stim"
    lines = [
        "Z 7 0,1,2,3,4,5,6,7",
        "C 1000000000000000",
        f"I SP 3 65535 {','.join(['2147483647'] * 32)} -1",
        "W 9223372036854775807 0 65535 -",
        "R -9223372036854775807",
        "E SP 4294967294",
    ]
    path.write_text("\n".join(lines) + "\nX\n", "ascii")
    done = programs.run(TOOL, *qv100, "--state", path)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    assert {"C 1000000000000000", "u 0 1 2 3 4 5 6 7", "p 0"} <= set(printed)


def test_opndcoll_core_cycles_count_on():
    done = programs.run(TOOL, "-", stdin="C\nC\nC 7\nC\nC 9\n")
    assert re.findall(r"^C (\d+)", done.stdout, re.MULTILINE) == ["0", "1", "7", "8", "9"]


@pytest.fixture
def qv100():
    return ["--config", programs.recording("gpgpusim/qv100.cfg")]


@pytest.mark.parametrize(("line", "status", "message"), BAD_LINES)
def test_opndcoll_bad_line_is_named(qv100, tmp_path, line, status, message):
    path = tmp_path / "bad.stim"
    path.write_text(f"# a comment\nC\n\n{line}\nC\n", "ascii")
    done = programs.run(TOOL, *qv100, path)
    assert done.returncode == status, done.stderr
    assert done.stderr.startswith(f"wlk-opndcoll: {path}:4: ")
    assert message in done.stderr
    assert done.stdout.endswith("C 0\n")  # what happened before is printed


def test_opndcoll_slot_that_the_set_lacks(qv100, tmp_path):
    path = tmp_path / "bad.stim"
    path.write_text("E SP 4\n", "ascii")
    done = programs.run(TOOL, *qv100, "--revision", "v42", path)
    assert done.returncode == Status.BAD_PARAMS
    assert f"{path}:1: OC_EX of SP has no slot 4" in done.stderr
    assert programs.run(TOOL, *qv100, path).stdout.endswith("E SP -\n")  # V40 ignores it


def test_opndcoll_v32_ignores_operands_behind_the_eighth(tmp_path):
    path = tmp_path / "a.stim"
    path.write_text("I SP 0 0 0,1,2,3,4,5,6,7,7 -\nX\n", "ascii")
    done = programs.run(TOOL, "--revision", "v32", "--state", path)
    assert "c 0 1 SP ff\n" in done.stdout


def test_opndcoll_reads_stdin_and_lines_of_any_kind():
    text = "C\r\n# I nothing\n\tX  2 \n\nI SP 0 5 - 1,-1\nX\nX\nE SP\nV SP\nW -7 0 0 3\nR -7\nR 8"
    done = programs.run(TOOL, "-", stdin=text)
    assert done.returncode == 0, done.stderr
    lines = [x for x in done.stdout.splitlines() if not x.startswith("#")]
    wanted = "C 0,S 0,S 1,I SP 1 0,S 2,A 0 SP 0 1,S 3,D 0 0 SP 1 0,E SP 1,w 0 1 6 +,V SP 1 1"
    wanted += ",w 0 3 3 +,W -7 1,R -7 1,R 8 -"
    assert lines == wanted.split(",")


def test_opndcoll_load_store_holds_what_was_refused():
    text = "I MEM 0 0 - 1,9\nX 2\nE MEM\nL\nL\nL\nX\nL\nL\n"
    done = programs.run(TOOL, "-", stdin=text)
    lines = done.stdout.splitlines()
    at = lines.index("E MEM 1")
    wanted = "L< 1,w 0 1 1 +,w 1 9 1 -,L 1 0,w 1 9 1 -,L 1 0,S 2,w 1 9 1 +,L 1 1"
    assert lines[at + 1 :] == wanted.split(",")


def test_opndcoll_bad_words_are_usage():
    for words in ([], ["--revision"], ["--frob", "a"], ["a", "b"]):
        done = programs.run(TOOL, *words)
        assert done.returncode == Status.USAGE
        assert done.stderr.startswith("usage: wlk-opndcoll")
    done = programs.run(TOOL, "--revision", "v41", "-", stdin="")
    assert (done.returncode, done.stdout) == (Status.USAGE, "")


def test_opndcoll_absent_files():
    for words in (["absent"], ["-", "--config", "absent"], ["-", "--diff", "absent"]):
        done = programs.run(TOOL, *words, stdin="")
        assert done.returncode == Status.NO_FILE
        assert "absent: cannot be opened" in done.stderr


def test_opndcoll_full_disk_is_an_error():
    with Path("/dev/full").open("w") as full:
        command = [programs.folder() / TOOL, "-"]
        done = programs.subprocess.run(
            command, input="X 100000\n", stdout=full, stderr=-1, text=True
        )
    assert done.returncode == Status.NO_SPACE
    assert "cannot write the output" in done.stderr


def test_opndcoll_no_room_to_unpack_is_an_error(tmp_path):
    packed = tmp_path / "s.stim.xz"
    packed.write_bytes(lzma.compress(b"X 1\n" * 1000))
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(WlkError) as error:
        opndcoll_replay._unpack(packed, full)
    assert error.value.status == Status.NO_SPACE
    assert "TMPDIR" in error.value.message


# Option files.


def configured(tmp_path: Path, text: str, *words: object):
    path = tmp_path / "a.cfg"
    path.write_text(text, "ascii")
    return path, programs.run(TOOL, "--config", path, *words, "-", stdin="")


def test_opndcoll_options_in_the_simulators_syntax(tmp_path):
    text = """# GPGPU-Sim
-gpgpu_num_reg_banks 32 -gpgpu_sub_core_model 0 # two on a line
-gpgpu_pipeline_widths "5,1,1,1,1,6,1,1,1,1,1"
-gpgpu_operand_collector_num_units_gen
  3
-gpgpu_num_reg_banks 16
-specialized_unit_1 1,4,4,2,3,BRA
-gpgpu_dram_timing_opt "nbk=16:CCD=2
    :RRD=8" -network_mode 2 -gpgpu_flush -1 -network_mode 1"""
    _, done = configured(tmp_path, text, "--allow-unknown")
    assert done.returncode == 0, done.stderr
    head = done.stdout.splitlines()
    assert head[0] == "# variant 4.0 banks 16 cus 17 dus 4 ports 4 sched 1 sub 0"
    assert head[1] == "# set SP id 5 ex 6"
    assert head[-1] == "# set SPEC1 id 2 ex 3"
    assert "not the collector's: -gpgpu_dram_timing_opt -network_mode -gpgpu_flush\n" in done.stderr


def test_opndcoll_option_files_add_up_and_the_last_wins(tmp_path):
    first, second = tmp_path / "gpgpusim.config", tmp_path / "mine.config"
    words = ("--config", first, "--config", second, "--allow-unknown")
    first.write_text("\n\n-gpgpu_num_reg_banks 0 -network_mode 1\n")  # alone it is refused
    second.write_text("-gpgpu_num_reg_banks 16\n")
    done = programs.run(TOOL, *words, "-", stdin="")
    assert done.returncode == 0, done.stderr
    assert " banks 16 " in done.stdout.splitlines()[0]
    assert done.stderr.endswith(f"{second}: options that are not the collector's: -network_mode\n")
    second.write_text("-gpgpu_num_dp_units 0\n")
    done = programs.run(TOOL, *words, "-", stdin="")
    assert done.returncode == Status.BAD_CONFIG
    assert done.stderr.startswith(f"wlk-opndcoll: {first}:3: -gpgpu_num_reg_banks 0: ")


@pytest.mark.parametrize("text", ["", "\n", "# a comment\n\n"])
@pytest.mark.parametrize("suffix", [".stim", ".stim.xz"])
def test_opndcoll_without_a_command_is_vacuous(tmp_path, text, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(lzma.compress(text.encode()) if suffix.endswith("xz") else text.encode())
    for words in ([], ["--summary"]):
        done = opndcoll(path, *words, code=None)
        programs.refused(done, Status.VACUOUS, f"{path}: no command in it")


def test_opndcoll_takes_several_option_files(tmp_path, capfd):
    (tmp_path / "a.stim").write_text("C\n")
    for number, banks in enumerate((8, 16)):
        (tmp_path / f"{number}.cfg").write_text(f"-gpgpu_num_reg_banks {banks}\n")
    words = [word for number in (0, 1) for word in ("--config", tmp_path / f"{number}.cfg")]
    opndcoll(tmp_path / "a.stim", *words)
    assert " banks 16 " in capfd.readouterr().out
    opndcoll(tmp_path / "a.stim", *words[2:], *words[:2])
    assert " banks 8 " in capfd.readouterr().out


BAD_OPTIONS = [
    ("-gpgpu_num_reg_banks", 3, "-gpgpu_num_reg_banks: its value is missing"),
    ("-gpgpu_num_reg_banks -gpgpu_num_dp_units 1", 3, "-gpgpu_num_reg_banks: its value is missing"),
    ("-gpgpu_num_reg_banks many", 3, "-gpgpu_num_reg_banks: 'many' is not a number"),
    ("-gpgpu_num_reg_banks 4294967296", 3, "'4294967296' is not a number"),
    ("-gpgpu_num_reg_banks 0", 3, "-gpgpu_num_reg_banks 0: must be within 1..256"),
    ("-gpgpu_num_reg_banks 15 -gpgpu_sub_core_model 1 -gpgpu_num_sched_per_core 4", 3, "multiple"),
    ("-gpgpu_pipeline_widths 1,2", 3, "-gpgpu_pipeline_widths: has 2 numbers; there must be 11"),
    ("-gpgpu_pipeline_widths 1,,2", 3, "'1,,2' is not at most 13 numbers"),
    ("-gpgpu_shader_core_pipeline 2048", 3, "'2048' is not THREADS:LANES"),
    ("-gpgpu_shader_core_pipeline 2048:64", 3, "-gpgpu_shader_core_pipeline 64: must be within"),
    ("-specialized_unit_2 1,1,1,1,1,A", 3, "-specialized_unit_2: the one before it"),
    ("-specialized_unit_1 1,1,1", 3, "'1,1,1' is not enabled,units"),
    ('-gpgpu_num_dp_units "1', 3, "value: its closing quote is missing"),
    ("-gpgpu_num_reg_bank 8", 3, "-gpgpu_num_reg_bank: not an option of the collector"),
    ("-gpgpu_num_reg_bank 8", 3, "the nearest is -gpgpu_num_reg_banks "),
    ("-num_sched_per_core 4", 3, "the nearest is -gpgpu_num_sched_per_core "),
    ("-specialised_unit_3 1,1,1,1,1", 3, "the nearest is -specialized_unit_3 "),
    ("-gpgpu_operand_collector_num_units_tensor 8", 3, "_num_units_tensor_core "),
    ("-" + "x" * 300 + " 1", 3, "the nearest is -"),
    ("16", 3, "16: an option, as in -gpgpu_num_reg_banks, must stand before a value"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD_OPTIONS)
def test_opndcoll_bad_option_names_file_line_and_option(tmp_path, text, line, message):
    path, done = configured(tmp_path, f"# c\n-gpgpu_num_dp_units 0\n{text}\n")
    assert done.returncode == Status.BAD_CONFIG, done.stderr
    assert done.stderr.startswith(f"wlk-opndcoll: {path}:{line}: ")
    assert message in done.stderr
    assert done.stdout == ""


def test_opndcoll_allows_unknown_options_when_asked(tmp_path):
    stimulus, config = tmp_path / "a.stim", tmp_path / "gpgpusim.config"
    stimulus.write_text("C\n")
    config.write_text("-gpgpu_num_reg_banks 16\n-gpgpu_n_clusters 80 -gpgpu_num_reg_bank 8\n")
    words = (stimulus, "--config", config)
    done = opndcoll(*words, code=Status.BAD_CONFIG)
    assert f"{config}:2: -gpgpu_n_clusters: not an option of the collector" in done.err
    assert "--allow-unknown" in done.err
    done = opndcoll(*words, "--allow-unknown")
    assert "not the collector's: -gpgpu_n_clusters -gpgpu_num_reg_bank\n" in done.err


def test_opndcoll_contradiction_with_a_default_names_the_file(tmp_path):
    path, done = configured(tmp_path, "-gpgpu_sub_core_model 1 -gpgpu_num_sched_per_core 3\n")
    assert done.returncode == Status.BAD_CONFIG
    assert done.stderr.startswith(f"wlk-opndcoll: {path}: -gpgpu_num_reg_banks 8: ")
    assert "(not in the file)" in done.stderr


def test_opndcoll_widths_that_a_revision_needs(tmp_path):
    seven = "-gpgpu_num_reg_banks 8\n-gpgpu_pipeline_widths 2,1,1,2,1,1,2\n"
    _, done = configured(tmp_path, seven, "--revision", "v32")
    assert done.returncode == 0, done.stderr
    _, done = configured(
        tmp_path, "-gpgpu_tensor_core_avail 1\n-gpgpu_pipeline_widths " + "1," * 10 + "1"
    )
    assert "there must be 13" in done.stderr
