"""No processor meets an instruction that it does not have.

Wide vectors and the newer flushes may stand only in functions that are chosen when the processor has them: their
template arguments, which are in their names, say for whom they are. And under valgrind, whose processor has neither
AVX-512 nor clwb and says so, the whole program runs.
"""

import json
import re
import shutil
import subprocess

import pytest

VECTOR = "(pmtwin::probe::Vector)"
FLUSH = "(pmtwin::probe::Flush)"
SSE2, AVX2, AVX512 = (VECTOR + number for number in "012")
CLFLUSH, CLFLUSHOPT, CLWB = (FLUSH + number for number in "012")

BIT_MANIPULATION = "andn|bextr|bls(i|r|msk)|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|tzcnt|popcnt|crc32"
SSSE3_TO_SSE4 = (
    "pshufb|phadd[wd]|pabs[bwd]|palignr|pmaddubsw|p?blend\\w*|pinsr[bdq]|p?extr(b|d|q|actps)|ptest|round[sp][sd]"
)

OWNERS = (  # the first expression that an instruction matches says in which functions it may stand
    (re.compile(r"%zmm|%[xy]mm(1[6-9]|2\d|3[01])|%k[0-7]\b|\{1to"), (AVX512,)),
    (re.compile(r"^v"), (AVX2, AVX512)),  # AVX instructions begin with v; else only some of the kernel's do
    (re.compile(r"^clwb\b"), (CLWB,)),
    (re.compile(r"^clflushopt\b"), (CLFLUSHOPT,)),
    (re.compile(rf"^({BIT_MANIPULATION}|{SSSE3_TO_SSE4}|(aes|sha)\w+)[lqwb]?\b"), ()),
)


def instructions(program):
    """(function, instruction with operands), of all that the program itself contains."""
    text = subprocess.run(
        ["objdump", "-d", "-C", "--no-show-raw-insn", program], capture_output=True, text=True, check=True
    ).stdout
    function = ""
    for line in text.splitlines():
        if line.endswith(">:"):
            function = line.split("<", 1)[1][:-2]
        elif line.startswith(" ") and "\t" in line:
            yield function, line.split("\t", 1)[1].strip()


def test_wide_instructions_stand_only_in_functions_for_processors_that_have_them(program):
    if shutil.which("objdump") is None:
        pytest.skip("objdump (Debian: binutils) is absent")
    seen = {pattern.pattern: 0 for pattern, _ in OWNERS}
    wrong = []
    for function, instruction in instructions(program):
        for pattern, owners in OWNERS:
            if pattern.search(instruction):
                seen[pattern.pattern] += 1
                if not any(owner in function for owner in owners):
                    wrong.append(f"{instruction} in {function}")
                break
    assert wrong == []
    for pattern, owners in OWNERS:
        if owners:
            assert seen[pattern.pattern] > 0, f"nothing matches {pattern.pattern}: this test would see nothing"


def test_it_runs_on_a_processor_without_avx512_and_clwb(program, tmp_path):
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("valgrind is absent")
    command = [valgrind, "--tool=none", "-q", program, "--serve", "--path", tmp_path, "--region-bytes", str(16 << 20)]
    quick = {"repetitions": 1, "min_time_s": 0.001}
    cases = [{"kind": "bandwidth", "operation": name} | quick for name in ("load", "ntstore", "store_clwb", "store")]
    cases += [{"kind": "latency", "operation": "store_clwb"} | quick, {"kind": "chase", "operation": "load"} | quick]
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0 and "unrecognised instruction" not in done.stderr:
        pytest.skip(f"valgrind does not run it: {done.stderr.strip().splitlines()[-1:]}")
    assert done.returncode == 0, done.stderr
    context, *answers = map(json.loads, done.stdout.splitlines())
    vector, flush = context["context"]["isa"].split("+")
    assert vector != "avx512" and flush != "clwb"
    assert all(answer["benchmarks"] for answer in answers)
