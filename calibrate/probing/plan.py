"""Cases that a probe can measure, and the time of each preset.

Sizes are the powers of two from a cache line to 1 MiB and the values halfway between them, where these are whole cache
lines. Numbers of threads are all up to eight, and about four per octave above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pmtwin.calibrate.probing.cases import BANDWIDTH, CHASE, LATENCY, MIXED, Case
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES
from pmtwin.sim.device.law import PATTERNS

LARGEST_ACCESS_BYTES = 1 << 20
DEFAULT_OPERATIONS = ("load", "ntstore", "store_clwb")
"""Operations that the simulator of the middleware needs in a profile."""

ALL_COUNTS_UP_TO = 8
STEPS_PER_OCTAVE = 4


@dataclass(frozen=True)
class Preset:
    """Time and repetitions of a probe.

    Args:
        seconds: time limit of the whole command; infinite for the dense sweep.
        min_time_s: least time of one repetition.
        least_repetitions: repetitions of one visit to a case.
        most_repetitions: repetitions of a case over all visits after which it is finished, however wide its interval.
        mix_steps: number of steps of the write ratio from 0 to 1; the ends are not mixes.
        mix_sizes: access sizes of the mixes, in bytes.
        effect_share: share of the time that strides, fences and the remote node may take; 0 leaves them out.
        effects_dense: whether effects have more cases: strides at more access sizes, fences an octave apart.
    """

    name: str
    seconds: float
    min_time_s: float
    least_repetitions: int
    most_repetitions: int
    mix_steps: int
    mix_sizes: tuple[int, ...]
    effect_share: float
    effects_dense: bool


PRESETS = {
    "quick": Preset("quick", 55.0, 0.02, 3, 10, 2, (256,), 0.0, False),
    "default": Preset("default", 285.0, 0.05, 3, 10, 4, (64, 256, 4096), 0.12, False),
    "full": Preset("full", math.inf, 0.1, 5, 10, 8, (64, 256, 1024, 4096, 65536), 0.12, True),
}
"""The limits are 60 s and 5 minutes, minus the time that the end of the command takes."""


def access_sizes() -> list[int]:
    """Whole cache lines: powers of two, and halfway between."""
    powers = [CACHE_LINE_BYTES << step for step in range(15)]
    halfway = [power * 3 // 2 for power in powers[:-1]]
    return sorted(size for size in (*powers, *halfway) if size % CACHE_LINE_BYTES == 0 and size <= LARGEST_ACCESS_BYTES)


def thread_counts(most: int) -> list[int]:
    """Numbers of threads from 1 to `most`."""
    counts = set(range(1, min(most, ALL_COUNTS_UP_TO) + 1)) | {most}
    octaves = math.log2(max(most, 1))
    counts |= {round(2 ** (step / STEPS_PER_OCTAVE)) for step in range(int(octaves * STEPS_PER_OCTAVE) + 1)}
    return sorted(count for count in counts if count <= most)


def bandwidth_cases(operations: Sequence[str], most_threads: int) -> list[Case]:
    """All cases that the law can be fitted to."""
    return [
        Case(BANDWIDTH, operation, pattern, size, threads)
        for operation in operations
        for pattern in PATTERNS
        for size in access_sizes()
        for threads in thread_counts(most_threads)
    ]


def latency_cases(operations: Sequence[str]) -> list[Case]:
    """Cases of one thread's idle latency: single accesses, and pointer chases, which read no clock between their loads.

    The chases come first: they need the lines of the region linked, and every case that writes destroys the links.
    """
    chases = [Case(CHASE, "load", pattern, CACHE_LINE_BYTES, 1) for pattern in PATTERNS] if "load" in operations else []
    singles = [
        Case(LATENCY, operation, pattern, size, 1)
        for operation in operations
        for pattern in PATTERNS
        for size in (CACHE_LINE_BYTES, 4 * CACHE_LINE_BYTES)
        if (operation, pattern) != ("load", "sequential")  # prefetched: faster than the clock's resolution
    ]
    return chases + singles


def mix_cases(operations: Sequence[str], most_threads: int, preset: Preset) -> list[Case]:
    """Cases of simultaneous random reads and writes, with `most_threads` threads.

    The write ratio counts threads where that gives a whole number of writing threads, else accesses.
    """
    if "load" not in operations:
        return []
    ratios = [step / preset.mix_steps for step in range(1, preset.mix_steps)]
    writes = [operation for operation in operations if operation in ("ntstore", "store_clwb")]
    return [
        Case(BANDWIDTH, MIXED, "random", size, most_threads, write, ratio, _mix_by(ratio, most_threads))
        for write in writes
        for size in preset.mix_sizes
        for ratio in ratios
    ]


def _mix_by(ratio: float, threads: int) -> str:
    return "threads" if (ratio * threads).is_integer() else "accesses"
