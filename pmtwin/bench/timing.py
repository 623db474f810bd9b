"""How fast things run: samples of at least a given time, taken in turn.

Contenders are timed A B A B ..., so that whatever slows the machine down for a while slows all of them. Numbers are per
core, one process and one thread, and per second of processor time: on an idle machine that is the time on the wall, and
where others use the processors too it still says what a core can do. The rate by the wall clock is kept beside it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pmtwin.sim.numerics.statistics import spread

BUSY_CPU_SHARE = 0.95
"""Below this share of the wall-clock time on the processor, something else had it, and the caches with it."""

WALL, PROCESSOR = "wall_s", "cpu_s"
"""The clocks of a sample."""

Work = Callable[[], int]
"""Does some work and returns how many units (requests, steps, points) it was."""


class Sample(NamedTuple):
    """Units of work, and the wall-clock and processor time that they took in seconds."""

    units: int
    wall_s: float
    cpu_s: float


def sample(work: Work, seconds: float) -> Sample:
    """Repeat `work` until `seconds` have passed; at least once."""
    units = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while True:
        units += work()
        wall_s = time.perf_counter() - wall
        if wall_s >= seconds:
            return Sample(units, wall_s, time.process_time() - cpu)


def sample_in_turn(
    contenders: Mapping[str, Work], repeats: int, seconds: float, step: Callable[[], object]
) -> dict[str, list[Sample]]:
    """Time the contenders in turn, `repeats` times each.

    Args:
        contenders: name -> work, warmed up already.
        repeats: samples of each.
        seconds: least duration of a sample.
        step: called after each sample, for progress.

    Returns:
        name -> list of `Sample`.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, work in contenders.items():
            samples[name].append(sample(work, seconds))
            step()
    return samples


def rates(samples: list[Sample]) -> dict:
    """Units per second of processor time: median, least and most of the samples; and how the wall clock saw them.

    Returns:
        `median`, `min`, `max`; `wall_clock_median`, units per second on the wall; `cpu_share_min`, the least share of a
        processor that a sample had.
    """
    return {
        **spread(map(_rate, samples)),
        "wall_clock_median": statistics.median(sample.units / sample.wall_s for sample in samples),
        "cpu_share_min": min(sample.cpu_s / sample.wall_s for sample in samples),
    }


def quotients(fast: list[Sample], slow: list[Sample], clock: str = PROCESSOR) -> list[float]:
    """How many times as fast, sample by neighbouring sample; `clock`: `PROCESSOR` or `WALL`."""
    return [_rate(a, clock) / _rate(b, clock) for a, b in zip(fast, slow, strict=True)]


def _rate(sample: Sample, clock: str = PROCESSOR) -> float:
    return sample.units / getattr(sample, clock)


def was_disturbed(samples: Mapping[str, list[Sample]]) -> bool:
    """Whether any sample had less of a processor than a benchmark needs."""
    return any(sample.cpu_s / sample.wall_s < BUSY_CPU_SHARE for some in samples.values() for sample in some)
