"""The cases that tell of strides, fences and the far NUMA node: few, since each effect has a form that is known.

They are spread over what the forms of `sim.device.strides` and `sim.device.fences` depend on. Strides are powers of two
from a media line on, fences wait for whole accesses. A case of the far node comes with its twin on the near one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pmtwin.calibrate.probing.cases import BANDWIDTH, Case
from pmtwin.calibrate.probing.plan import Preset, thread_counts
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MEDIA_LINE_BYTES
from pmtwin.sim.device.law import PATTERNS

STRIDED_SIZES = (CACHE_LINE_BYTES, MEDIA_LINE_BYTES)
MORE_STRIDED_SIZES = (1024,)
FAR_SIZES = (CACHE_LINE_BYTES, 4096)
LONGEST_STRIDE_BYTES = 1 << 14
LONGEST_FENCE_INTERVAL_BYTES = 1 << 12


def effect_cases(
    operations: Sequence[str], most_threads: int, far_threads: int, preset: Preset, seed: int
) -> list[Case]:
    """One of each effect and operation in turn, by chance within them; none if the preset has no time for them.

    Args:
        far_threads: most threads of a case on the far node, 0 if there is none.
    """
    if preset.effect_share == 0.0:
        return []
    threads, sizes = _few(most_threads), STRIDED_SIZES + MORE_STRIDED_SIZES * preset.effects_dense
    octaves = 1 if preset.effects_dense or len(threads) == 1 else 2
    groups = [list(_strided(operation, threads, sizes)) for operation in operations]
    groups += [list(_fenced(operation, threads, octaves)) for operation in operations if operation != "load"]
    far = _few(min(far_threads, most_threads)) if far_threads else []
    groups += [[_far(*each) for each in itertools.product([o], PATTERNS, FAR_SIZES, far)] for o in operations if far]
    rng = np.random.default_rng(seed)
    shuffled = [[group[place] for place in rng.permutation(len(group))] for group in groups]
    in_turn = [case for each in itertools.zip_longest(*shuffled) for case in each if case is not None]
    return [one for case in in_turn for one in ([replace(case, numa=""), case] if case.numa else [case])]


def _few(most: int) -> list[int]:
    """One thread, all, and between them about as far from either."""
    counts = thread_counts(most)
    return sorted({1, min(counts, key=lambda count: abs(count - math.sqrt(most))), most})


def _powers(first: int, last: int, octaves: int = 1) -> list[int]:
    return [first << step for step in range(0, (last // first).bit_length(), octaves)]


def _strided(operation: str, threads: Sequence[int], sizes: Sequence[int]) -> Iterator[Case]:
    strides = _powers(MEDIA_LINE_BYTES, LONGEST_STRIDE_BYTES)
    for size, stride, count in itertools.product(sizes, strides, threads):
        if stride > size:
            yield Case(BANDWIDTH, operation, "sequential", size, count, stride_bytes=stride)


def _fenced(operation: str, threads: Sequence[int], octaves: int) -> Iterator[Case]:
    intervals = _powers(CACHE_LINE_BYTES, LONGEST_FENCE_INTERVAL_BYTES, octaves)
    for pattern, interval, count in itertools.product(PATTERNS, intervals, threads):
        yield Case(BANDWIDTH, operation, pattern, interval, count, fence_interval_bytes=interval)


def _far(operation: str, pattern: str, size: int, threads: int) -> Case:
    return Case(BANDWIDTH, operation, pattern, size, threads, numa="remote")
