"""What `pmtwin bench probe` does: the probe's figures beside those of other programs, on one machine in one run.

The idle latency beside `pmtwin-plain-chase`, a pointer chase that shares no code with the probe; sequential bandwidths
beside likwid-bench (Debian: likwid), whose loops are written in assembly. Both sides measure as much memory, on pages
of the same size, with threads pinned to the same processors; theirs is anonymous, the probe's a file in the directory.
Neighbouring measurements make a pair, each side first in every other one, so that what slows the machine down for a
while slows both; what counts is the ratio within a pair. A bandwidth is measured by a new process on new memory each
time, on either side: which physical pages it gets, and what it did just before, would else be the difference.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import re
import shutil
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from calibrate.probing.native import NativeProbe, find_program
from sim.errors import MissingDependencyError, PmtwinError

WANTED_PERCENT = 10.0
CONFIDENCE = 0.95
SEED = 1
LIKWID = "likwid-bench"
HUGE_PAGE_BYTES = 2 << 20
BLOCK_BYTES = 4096
"""Access size of the streams: the walk's own work is then spread over many lines, as likwid's is."""

STREAMS = {"load": "load", "ntstore": "store_mem", "store": "store"}
"""The probe's operation -> likwid's kernel, to which it adds the width of its vectors."""
LIKWID_VECTORS = {"sse2": "sse", "avx2": "avx", "avx512": "avx512"}
_MEGABYTES = re.compile(r"^MByte/s:\s+([\d.]+)", re.MULTILINE)
_PR_SET_THP_DISABLE = 41

Measure = Callable[[], float]


class Comparison(NamedTuple):
    """One quantity, measured by the probe and by another program."""

    quantity: str
    unit: str
    reference_name: str
    probe: Measure
    reference: Measure


def compare(
    path: str, repeats: int, seconds: float, step: Callable[[int], object], options: Sequence[str] = ()
) -> dict:
    """Measure everything in pairs.

    Args:
        path: directory on the memory.
        repeats: pairs of each quantity.
        seconds: duration of a measurement.
        step: called after each pair with the number of all pairs.
        options: more options of the native probe.

    Returns:
        `context` of the probe, `left_out` (reasons), and `results`: quantity, unit, both sides' median, least and most,
        the ratio probe / reference with its interval, whether the ratio is within `WANTED_PERCENT` of 1, and whether
        that is certain: the interval says the same from end to end.

    Raises:
        InputError: the directory cannot be used.
        MissingDependencyError: a program was not built.
    """
    chase = _plain_chase_program()
    with contextlib.closing(NativeProbe(path, options)) as probe:
        context = probe.context
        bandwidths = _bandwidths(path, options, context, seconds) if shutil.which(LIKWID) else []
        total = repeats * (1 + len(bandwidths))
        with _plain_chase(chase, context) as follow:
            results = [_compared(_latency(probe, follow, seconds), repeats, lambda: step(total))]
    results += [_compared(one, repeats, lambda: step(total)) for one in bandwidths]
    absent = f"sequential bandwidths: {LIKWID} is absent (Debian: sudo apt-get install likwid)"
    return {"context": context, "left_out": [] if bandwidths else [absent], "results": results}


def _compared(comparison: Comparison, repeats: int, step: Callable[[], object]) -> dict:
    return _result(comparison, _pairs(comparison, repeats, step))


def _pairs(comparison: Comparison, repeats: int, step: Callable[[], object]) -> list[tuple[float, float]]:
    comparison.probe(), comparison.reference()  # not counted: caches, clock rates and the kernel's pages settle
    pairs = []
    for index in range(repeats):
        if index % 2:
            reference = comparison.reference()
            pairs.append((comparison.probe(), reference))
        else:
            pairs.append((comparison.probe(), comparison.reference()))
        step()
    return pairs


def _result(comparison: Comparison, pairs: Sequence[tuple[float, float]]) -> dict:
    ratio = median_interval([probe / reference for probe, reference in pairs])
    sides = zip(("probe", "reference"), zip(*pairs, strict=True), strict=True)
    return {
        "quantity": comparison.quantity,
        "unit": comparison.unit,
        "reference_name": comparison.reference_name,
        **{name: {"median": statistics.median(of), "min": min(of), "max": max(of)} for name, of in sides},
        "ratio": ratio,
        "within": _side(ratio["median"]) == 0,
        "certain": _side(ratio["low"]) == _side(ratio["high"]),
    }


def _side(ratio: float) -> int:
    """0 within the wanted percent of 1; below -1, above 1."""
    return 0 if abs(ratio - 1.0) * 100.0 <= WANTED_PERCENT else int(math.copysign(1, ratio - 1.0))


def median_interval(values: Sequence[float]) -> dict:
    """The median and an interval that holds the true one at least as often as `CONFIDENCE`, for any distribution.

    Order statistics (David and Nagaraja, Order Statistics, 7.1): the k-th least and the k-th largest value, with the
    largest k at which both together miss the median rarely enough; with fewer than six values the least and the
    largest, which miss it more often: `confidence` says how often they hold it.
    """
    ordered = sorted(values)
    count = len(ordered)

    def missed(k: int) -> float:
        return 2.0 * sum(math.comb(count, i) for i in range(k)) / 2.0**count

    k = max((k for k in range(1, count // 2 + 1) if missed(k) <= 1.0 - CONFIDENCE), default=1)
    return {
        "median": statistics.median(ordered),
        "low": ordered[k - 1],
        "high": ordered[count - k],
        "confidence": max(0.0, 1.0 - missed(k)),
    }


def _value(probe: NativeProbe, case: dict, field: str) -> float:
    return float(probe.ask(case | {"repetitions": 1}).benchmarks[0][field])


def _latency(probe: NativeProbe, chase: Callable[[float], float], seconds: float) -> Comparison:
    case = {"kind": "chase", "operation": "load", "pattern": "random", "min_time_s": seconds}
    return Comparison(
        "idle latency, random pointer chase",
        "ns",
        "pmtwin-plain-chase",
        lambda: _value(probe, case, "latency_mean_ns"),
        lambda: chase(seconds),
    )


def _plain_chase_program() -> str:
    program = find_program().with_name("pmtwin-plain-chase")
    if not program.is_file():
        raise MissingDependencyError(f"{program.name} is not built: run `make build`")
    return str(program)


@contextlib.contextmanager
def _plain_chase(program: str, context: dict) -> Iterator[Callable[[float], float]]:
    """The other chase as a process: seconds -> ns per hop."""
    memory = context["memory"]
    pages = "huge" if memory["page_bytes"] == HUGE_PAGE_BYTES else "small"
    command = [program, str(memory["region_bytes"]), str(SEED), pages]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout.readline().strip() != "ready":
            raise PmtwinError(f"pmtwin-plain-chase failed: it needs {memory['region_bytes'] >> 20} MiB of memory")

        def follow(hops: int) -> float:
            process.stdin.write(f"{hops}\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        first = follow(100_000)
        yield lambda seconds: follow(max(1, int(seconds * 1e9 / first)))
    finally:
        process.kill()
        process.communicate()


def _bandwidths(path: str, options: Sequence[str], context: dict, seconds: float) -> list[Comparison]:
    """One stream and as many as there are processors beside the memory, of each kind."""
    vector = LIKWID_VECTORS[context["isa"].split("+")[0]]
    options = (*options, f"--region-bytes={context['memory']['region_bytes']}")

    def by_probe(case: dict) -> float:
        with contextlib.closing(NativeProbe(path, options)) as probe:
            return _value(probe, case, "bandwidth_mib_s") * 1.048576

    comparisons = []
    for threads in sorted({1, context["local_threads"]}):
        for operation, kernel in STREAMS.items():
            case = {"kind": "bandwidth", "operation": operation, "pattern": "sequential", "threads": threads}
            case |= {"access_size_bytes": BLOCK_BYTES, "min_time_s": seconds}
            name = f"sequential {operation}, {threads} thread{'s' if threads > 1 else ''}"
            likwid = _likwid(f"{kernel}_{vector}", context["memory"], threads, seconds)
            reference = f"{LIKWID} {kernel}_{vector}"
            comparisons.append(Comparison(name, "MB/s", reference, functools.partial(by_probe, case), likwid))
    return comparisons


def _likwid(kernel: str, memory: dict, threads: int, seconds: float) -> Measure:
    node, megabytes = memory["numa_node"] or 0, round(memory["region_bytes"] / 1e6)
    huge_pages = memory["page_bytes"] == HUGE_PAGE_BYTES
    mb_s = 1e4  # until it is known: how many rounds fill the time

    def measure() -> float:
        nonlocal mb_s
        rounds = max(1, round(mb_s * seconds / megabytes))
        mb_s = run_likwid(kernel, node, megabytes, threads, rounds, huge_pages)
        return mb_s

    return measure


def run_likwid(kernel: str, node: int, megabytes: int, threads: int, rounds: int, huge_pages: bool) -> float:
    """MB/s (10^6) that likwid-bench states for `rounds` over `megabytes` of the node's memory.

    Raises:
        PmtwinError: it failed.
    """
    command = [LIKWID, "-t", kernel, "-w", f"M{node}:{megabytes}MB:{threads}", "-i", str(rounds)]
    # Its memory gets huge pages where the machine gives them to all; where the probe has small ones, so shall it.
    before = None if huge_pages else _without_huge_pages
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=before)
    found = _MEGABYTES.search(done.stdout)
    if done.returncode != 0 or not found:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise PmtwinError(f"{' '.join(command)} failed: {' '.join(last) or done.returncode}")
    return float(found[1])


_LIBC = ctypes.CDLL(None)


def _without_huge_pages() -> None:
    _LIBC.prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0)
