"""How readers and writers share the media: in equal times or in one queue; for `pmtwin.sim.device.mixed_operations`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.device.access_effects import having
from pmtwin.sim.device.access_points import AccessPoints
from pmtwin.sim.device.effects import EFFECTS
from pmtwin.sim.device.effects.effect import MixChange
from pmtwin.sim.device.effects.media_queue import MediaQueue, Side, line_use, queued_bandwidth_mib_s
from pmtwin.sim.device.effects.mixes import Mixes, mixed_bandwidth_mib_s
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.single_operation import PurePrediction

Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Shared:
    """Bandwidths in MiB/s of both sides, shape (m,), and their inputs.

    Args:
        utilisation: utilisation of the media by both sides.
        measured: the profile's entry of mixes, or None.
        alike: whether the entry is of mixes with one access size only.
        changes: changes by effects, in the order in which they apply.
    """

    read_mib_s: np.ndarray
    write_mib_s: np.ndarray
    utilisation: np.ndarray
    measured: Mapping | None
    alike: bool
    changes: tuple[MixChange, ...]


def share_media(
    profile: Profile,
    write_operation: str,
    write_pattern: str,
    points: tuple[AccessPoints, AccessPoints],
    threads: Pair,
    pure: tuple[PurePrediction, PurePrediction],
) -> Shared:
    """Bandwidth of each side.

    If the profile has an entry of `Mixes` for these writes, and none of `MediaQueue`, the sides share the media's time;
    else both wait in the media's queue.

    Args:
        points: the reads and the writes, each with the number of threads of both sides together.
        threads: number of readers and of writers.
        pure: predictions for all threads reading, and for all threads writing.
    """
    share = threads[0] / points[0].threads, threads[1] / points[0].threads
    mix, queue = ((profile.effects or {}).get(effect.name, {}).get(write_operation) for effect in (Mixes, MediaQueue))
    if mix and not queue:
        reads, writes = pure
        read, write = mixed_bandwidth_mib_s(*threads, reads.bandwidth_mib_s, writes.bandwidth_mib_s, mix["parameters"])
        utilisation = share[0] * reads.utilisation + share[1] * writes.utilisation
    else:
        read, write = _queued(profile, write_operation, write_pattern, points[1], share, pure, queue)
        utilisation = read / pure[0].media_mib_s + write / pure[1].media_mib_s
    changes = _changes(profile, write_operation, points[0], share[1])
    for change in changes:
        scale = _changed_over_shared(change, share[1], *pure, read, write)
        read, write = read * scale, write * scale
    return Shared(read, write, utilisation, queue or mix, not queue, changes)


def _queued(
    profile: Profile,
    write_operation: str,
    write_pattern: str,
    written: AccessPoints,
    share: Pair,
    pure: tuple[PurePrediction, PurePrediction],
    queue: Mapping | None,
) -> Pair:
    parameters = profile.parameters[write_operation]
    random = having(written, "as_random") | (write_pattern == "random")
    use = line_use(parameters, random, written.access_size_bytes)
    reads = Side(profile.parameters["load"], share[0], pure[0].issue_mib_s, pure[0].media_mib_s, 1.0)
    writes = Side(parameters, share[1], pure[1].issue_mib_s, pure[1].media_mib_s, use)
    return queued_bandwidth_mib_s(reads, writes, **(queue["parameters"] if queue else {}))


def _changes(
    profile: Profile, write_operation: str, points: AccessPoints, write_share: np.ndarray
) -> tuple[MixChange, ...]:
    """Changes of mixes with these writes by the profile's effects."""
    entries = {name: operations.get(write_operation) for name, operations in (profile.effects or {}).items()}
    changes = (
        effect.mix_change(entries[name], points, write_share) for name, effect in EFFECTS.items() if entries.get(name)
    )
    return tuple(change for change in changes if change is not None)


def _changed_over_shared(
    change: MixChange,
    write_share: np.ndarray,
    reads: PurePrediction,
    writes: PurePrediction,
    read: np.ndarray,
    write: np.ndarray,
) -> np.ndarray:
    """Factor of a change on the bandwidth of both sides; 1 for points without the effect and for pure accesses."""
    unchanged = read * reads.time_factor + write * writes.time_factor
    mixed = change.present & (write_share > 0.0) & (write_share < 1.0)
    return np.where(mixed, unchanged / change.time_factor / (read + write), 1.0)
