"""Throughput of one operation of the store in a closed loop: pure functions, arrays over posterior samples.

    T = S(n) + reads (L(u) + walk) + rounds (P(u) + r) + payload + wait at the serial part,    throughput = n / T

The software time S grows with the threads: cores clock down, hardware threads share a core, and cache lines of locks
travel. The latencies L and P are those of the device at a utilisation u of its media, throughput x (read lines x t_read
+ written lines x t_write); they rise as u approaches 1, and the media limit the throughput. The serial part is a queue
with one server, which each operation visits once (mean value analysis in Schweitzer's form). Threads beyond the number
of hardware threads take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.effects.directory import SHARED_EQUALLY
from pmtwin.sim.device.effects.remote import BOTH, REMOTE
from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES
from pmtwin.sim.device.latency import UTILISATION_CAP
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.store.counts import Counts, StorePoint, counts_of
from pmtwin.sim.store.device_times import DeviceTimes, device_times
from pmtwin.sim.store.work import Samples, work_of

BISECTIONS = 30


class Solution(NamedTuple):
    """The law's solution for each point and sample, shape (points, samples).

    Fields:
        throughput_ops: operations per second of all threads.
        latency_ns: mean latency of an operation.
        media_utilisation, serial_utilisation: 0 to 1.
    """

    throughput_ops: np.ndarray
    latency_ns: np.ndarray
    media_utilisation: np.ndarray
    serial_utilisation: np.ndarray


class _Load(NamedTuple):
    """Terms of the fixed point, in ns per operation; shape (points, samples) each.

    Fields:
        fixed_ns: time that does not depend on the load. serial_ns: time of the serial part.
        queue_ns: time per unit of the device's queue length. media_ns: time of the media.
    """

    fixed_ns: np.ndarray
    serial_ns: np.ndarray
    queue_ns: np.ndarray
    media_ns: np.ndarray


class Placed(NamedTuple):
    """An operation on a device: its counts, and its times on the device.

    Fields:
        device: if all threads ran on one node; of threads on both, on the local one.
        elsewhere: of threads on both, if all ran on the remote one.
    """

    counts: Counts
    device: DeviceTimes
    elsewhere: DeviceTimes | None = None


def place(profile: Profile, point: StorePoint, dimms: float) -> Placed:
    """An operation on the device of a profile, with `dimms` interleaved modules.

    Raises:
        InputError: the profile has no counts of the operation, or does not identify a time of the device.
    """
    at = profile, float(point.value_bytes), dimms, point.cores * point.threads_per_core
    counts = counts_of(profile, point)
    if point.numa != BOTH:
        return Placed(counts, device_times(*at, remote=point.numa == REMOTE))
    local, remote = (device_times(*at, remote=remote, last_elsewhere=SHARED_EQUALLY) for remote in (False, True))
    return Placed(counts, local, remote)


def solve(points: Sequence[Placed], samples: Samples) -> Solution:
    """Throughput and mean latency of points for each sample of the parameters.

    Of threads on both nodes, half have the speed of either.
    """
    first = _solve([each[:2] for each in points], samples)
    both = np.array([[each.elsewhere is not None] for each in points])
    if not np.any(both):
        return first
    second = _solve([(each.counts, each.elsewhere or each.device) for each in points], samples)
    rate, media, serial = (
        np.where(both, 0.5 * (getattr(first, name) + getattr(second, name)), getattr(first, name))
        for name in ("throughput_ops", "media_utilisation", "serial_utilisation")
    )
    threads = np.array([[float(each.counts.point.threads)] for each in points])
    return Solution(rate, np.where(both, threads * 1e9 / rate, first.latency_ns), media, serial)


def _solve(points: Sequence[tuple[Counts, DeviceTimes]], samples: Samples) -> Solution:
    load = _Load(*(np.stack(column) for column in zip(*(_load(*each, samples) for each in points), strict=True)))
    active, threads = (
        np.array([[float(getattr(counts.point, name))] for counts, _ in points]) for name in ("active", "threads")
    )
    low, high = np.zeros_like(load.media_ns), np.minimum(active / (load.fixed_ns + load.serial_ns), 1.0 / load.media_ns)
    for _ in range(BISECTIONS):
        rate = 0.5 * (low + high)  # operations per ns
        busy = np.minimum((active - 1.0) / active * rate * load.media_ns, UTILISATION_CAP)
        elsewhere = load.fixed_ns + load.queue_ns * 0.5 * busy / (1.0 - busy)
        reached = rate * (elsewhere + at_serial_part_ns(load.serial_ns, elsewhere, active)) < active
        low, high = np.where(reached, rate, low), np.where(reached, high, rate)
    return Solution(low * 1e9, threads / low, low * load.media_ns, low * load.serial_ns)


def contention_factor(samples: Samples, active: np.ndarray | int, cores: int) -> np.ndarray:
    """Factor on the store's software time with `active` threads: by the cores' clock, and by lines that travel."""
    return clock_factor(samples, active, cores) * lock_factor(samples, active)


def clock_factor(samples: Samples, active: np.ndarray | int, cores: int) -> np.ndarray:
    """Part of `contention_factor` by the clock of `cores` cores that share it."""
    busy = (np.minimum(active, cores) - 1.0) / max(cores - 1.0, 1.0)
    return 1.0 + samples["clock_drop"] * busy


def lock_factor(samples: Samples, active: np.ndarray | int) -> np.ndarray:
    """Part of `contention_factor` by lines that travel between all threads."""
    return 1.0 + samples["lock_growth"] * (active - 1.0)


def _load(counts: Counts, device: DeviceTimes, samples: Samples) -> _Load:
    work, point = work_of(counts, samples), counts.point
    running = min(point.active, point.cores_used)
    slower = point.active / (running + samples["smt_yield"] * (point.active - running))
    slower = slower * contention_factor(samples, point.active, point.cores_used)
    slower = slower * (device.read_factor if point.operation == "get" else device.write_factor)
    waits = work.reads * (device.read_ns + work.walk_ns) + work.rounds * (device.write_ns + work.round_ns)
    moved = work.flushed * device.flushed_ns_per_byte + work.streamed * device.streamed_ns_per_byte
    read_lines = work.reads + work.value_bytes / MEDIA_LINE_BYTES
    entries = work.reads * device.entry_read_ns + work.value_bytes * device.entry_ns_per_byte
    return _Load(
        fixed_ns=(work.software_ns - work.serial_ns) * slower
        + waits
        + work.value_bytes * device.read_ns_per_byte
        + moved,
        serial_ns=work.serial_ns * slower,
        queue_ns=work.reads * device.read_line_ns + work.rounds * device.write_line_ns,
        media_ns=read_lines * device.read_media_ns + work.written_lines * device.write_media_ns + _LEAST_NS + entries,
    )


_LEAST_NS = 1e-9
"""Media time of an operation whose lines are all in the caches; above 0, as it is a divisor."""


def at_serial_part_ns(serial_ns: np.ndarray, elsewhere_ns: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Residence time R at the serial part: the positive root of R = s (1 + (n - 1) R / (elsewhere + R))."""
    half = 0.5 * (elsewhere_ns - active * serial_ns)
    return np.sqrt(half**2 + serial_ns * elsewhere_ns) - half
