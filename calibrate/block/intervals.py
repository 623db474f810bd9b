"""Intervals of a block device's parameters, by a bootstrap over the runs of fio, and devices that they allow.

A replicate draws runs of a kind, size and depth from those that measured it, with replacement. A run that nothing
repeats is drawn around its mean, with the standard error that fio states of it: this spread within a run is less than
that from run to run, so that repeated jobs give wider and truer intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from pmtwin.calibrate.block.fit import fit_block_device
from pmtwin.calibrate.block.runs import BlockRun
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.numerics.statistics import LEVEL

MOST_SAMPLES = 32

PARAMETERS = tuple(
    field.name for field in fields(BlockDevice) if field.name not in ("name", "capacity_gb", "defaults", "origin")
)


class Intervals(NamedTuple):
    """What a bootstrap tells.

    Fields:
        ends: parameter -> its 95 % interval; without parameters that some replicates lack.
        replicates: number of refitted devices. repeated: kinds of runs that were measured more than once.
        kinds: all kinds.
        samples: parameters of some replicates, at most `MOST_SAMPLES`: devices that the runs allow.
    """

    ends: dict[str, tuple[float, float]]
    replicates: int
    repeated: int
    kinds: int
    samples: list[dict[str, float]]


def bootstrap(runs: Sequence[BlockRun], capacity_gb: float, replicates: int, seed: int) -> Intervals:
    """Intervals of the parameters; the same seed gives the same bits.

    Args:
        replicates: 2 or more.
    """
    kinds: dict[tuple, list[BlockRun]] = {}
    for run in runs:
        kinds.setdefault((run.write, run.sequential, run.size, run.depth), []).append(run)
    rng = np.random.default_rng(seed)
    samples: list[dict[str, float]] = []
    for _ in range(replicates):
        drawn = [run for group in kinds.values() for run in _drawn(group, rng)]
        try:
            device, _ = fit_block_device(drawn, "replicate", capacity_gb)
        except InputError:  # a drawn number is out of any device's range
            continue
        samples.append({name: float(value) for name in PARAMETERS if (value := getattr(device, name)) is not None})
    tails = 50.0 * (1.0 - LEVEL)
    values = {name: [sample[name] for sample in samples if name in sample] for name in PARAMETERS}
    ends = {
        name: tuple(np.percentile(several, (tails, 100.0 - tails)).tolist())
        for name, several in values.items()
        if len(several) == len(samples) and any(several)
    }
    repeated = sum(len(group) > 1 for group in kinds.values())
    return Intervals(ends, len(samples), repeated, len(kinds), samples[:MOST_SAMPLES])


def _drawn(group: Sequence[BlockRun], rng: np.random.Generator) -> list[BlockRun]:
    if len(group) > 1:
        return [group[place] for place in rng.integers(len(group), size=len(group))]
    (run,) = group
    latency, rate = 1.0 + rng.standard_normal(2) * (run.latency_error, run.rate_error)
    return [run._replace(latency_ns=run.latency_ns * max(latency, 0.0), rate=run.rate * max(rate, 1e-9))]
