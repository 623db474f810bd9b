"""Measurement of speed: samples of at least a given duration, taken in turn.

Contenders are timed A B A B ..., so that a slower machine for some time slows all of them. Rates are per core, for one
process and one thread, and per second of processor time: equal to the wall-clock time on an idle machine, and still the
speed of a core on a busy one. The rate by the wall clock is recorded too.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pmtwin.sim.numerics.statistics import spread

BUSY_CPU_SHARE = 0.95
"""Share of processor time in wall-clock time below which a sample shared its processor and caches with other work."""

WALL, PROCESSOR = "wall_s", "cpu_s"
"""The clocks of a sample."""

Work = Callable[[], int]
"""Function that does some work and returns its number of units (requests, steps, points)."""


class Sample(NamedTuple):
    """Units of work, and their wall-clock and processor time in seconds."""

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
        contenders: name -> work, already warmed up.
        repeats: number of samples of each.
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
    """Rates of the samples.

    Returns:
        `median`, `min`, `max`: units per second of processor time; `wall_clock_median`: units per second of wall-clock
        time; `cpu_share_min`: the least ratio of processor time to wall-clock time.
    """
    return {
        **spread(map(_rate, samples)),
        "wall_clock_median": statistics.median(sample.units / sample.wall_s for sample in samples),
        "cpu_share_min": min(sample.cpu_s / sample.wall_s for sample in samples),
    }


def quotients(fast: list[Sample], slow: list[Sample], clock: str = PROCESSOR) -> list[float]:
    """Ratios of the rates of `fast` to those of `slow`, sample by sample; `clock`: `PROCESSOR` or `WALL`."""
    return [_rate(a, clock) / _rate(b, clock) for a, b in zip(fast, slow, strict=True)]


def _rate(sample: Sample, clock: str = PROCESSOR) -> float:
    return sample.units / getattr(sample, clock)


def was_disturbed(samples: Mapping[str, list[Sample]]) -> bool:
    """Whether any sample shared its processor with other work (`BUSY_CPU_SHARE`)."""
    return any(sample.cpu_s / sample.wall_s < BUSY_CPU_SHARE for group in samples.values() for sample in group)
