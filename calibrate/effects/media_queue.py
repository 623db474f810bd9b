"""Fit of the queue at the media to the device's own mixes: bytes that a writer has waiting, relative to a reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.calibrate.context import Mix
from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.fitting import Fitting, Measured
from pmtwin.sim.device.access_effects import plain_bounds
from pmtwin.sim.device.effects.media_queue import (
    TYPICAL_WRITER_BYTES,
    MediaQueue,
    Side,
    line_use,
    queued_bandwidth_mib_s,
)
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.profile import Profile

MIN_MIXES = 3
"""Smallest number of mixes of reading and writing threads for a fit of the one parameter: each mix is then predicted by
at least two others."""


class MediaQueueFitting(Fitting):
    """Fitting to mixes of reading and writing threads; those of one thread in turn do not meet in a queue."""

    effect = MediaQueue()
    closes = "mixes of reads and writes (predicted by one queue at the media)"
    of_each_operation = False

    def fit(self, operation: str, profile: Profile, measured: Measured) -> dict | None:
        mixes = [mix for mix in measured.own_mixes if mix.write_operation == operation and _tells(mix)]
        known = len(mixes) >= MIN_MIXES and "load" in profile.parameters
        return _entry(mixes, profile.parameters) if known else None


def _tells(mix: Mix) -> bool:
    return not mix.by_access and 0.0 < mix.write_ratio < 1.0


def _entry(mixes: Sequence[Mix], parameters: Mapping[str, Mapping[str, float]]) -> dict:
    """The entry, fitted to the known bandwidths of reads, writes and both; its errors are of kept-aside totals."""
    reads, writes = (_side(mixes, parameters, writing) for writing in (False, True))
    stated = np.array([[mix.read_mib_s, mix.write_mib_s, mix.bandwidth_mib_s] for mix in mixes], dtype=float)
    known = np.flatnonzero(np.isfinite(stated.ravel()))

    def log_bandwidth(queue: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        read, write = queued_bandwidth_mib_s(reads, writes, queue["writer_bytes"])
        return np.log(np.column_stack([read, write, read + write]).ravel()[known[index]])

    mix_of = known // stated.shape[1]
    fit = fit_effect({"writer_bytes": TYPICAL_WRITER_BYTES}, log_bandwidth, stated.ravel()[known], groups=mix_of)
    totals = fit.errors[known % stated.shape[1] == stated.shape[1] - 1]
    return fit.entry(_boxes(mixes), len(mixes), [totals])


def _side(mixes: Sequence[Mix], parameters: Mapping[str, Mapping[str, float]], writing: bool) -> Side:
    law = parameters[mixes[0].write_operation if writing else "load"]
    columns = np.array([(_size(mix, writing), mix.threads, mix.dimms, REFERENCE_POWER_W) for mix in mixes]).T
    random = np.array([_pattern(mix, writing) == "random" for mix in mixes])
    share = np.array([mix.write_ratio if writing else 1.0 - mix.write_ratio for mix in mixes])
    sizes, threads, dimms, power_w = columns
    at = sizes, threads, dimms, power_w
    random_bounds, sequential_bounds = (plain_bounds(law, pattern, at) for pattern in ("random", "sequential"))
    issue, media = (np.where(random, a, b) for a, b in zip(random_bounds, sequential_bounds, strict=True))
    return Side(law, share, issue, media, line_use(law, random, sizes) if writing else 1.0)


def _size(mix: Mix, writing: bool) -> float:
    return mix.write_access_size_bytes if writing and mix.write_access_size_bytes else mix.access_size_bytes


def _pattern(mix: Mix, writing: bool) -> str:
    return mix.write_pattern if writing and mix.write_pattern else mix.pattern


def _boxes(mixes: Sequence[Mix]) -> list[dict]:
    """Ranges of the mixes whose reads and writes have the same pattern."""
    boxes = []
    for pattern in sorted({mix.pattern for mix in mixes if _pattern(mix, True) == mix.pattern}):
        matching = [mix for mix in mixes if mix.pattern == _pattern(mix, True) == pattern]
        sizes = [_size(mix, writing) for mix in matching for writing in (False, True)]
        columns = {"access_size_bytes": sizes} | {
            name: [getattr(mix, name) for mix in matching] for name in MediaQueue.axes[1:]
        }
        boxes.append({"pattern": pattern} | {name: [min(values), max(values)] for name, values in columns.items()})
    return boxes
