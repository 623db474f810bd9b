"""Decision points of a hybrid storage: where a write goes, and which page moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pmtwin.policies.tiering.events import MIGRATION
from pmtwin.policies.write_placement import WRITE_PLACEMENT
from pmtwin.sim.decisions.point import DecisionPoint
from pmtwin.sim.hybrid.columns import columns_of
from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.options import CACHED, HybridOptions, capacities
from pmtwin.sim.hybrid.stream import Paged

PLACE_POINT, MIGRATE_POINT = "place", "migrate"


class Storage(NamedTuple):
    """What a policy may know of the storage before a run.

    Fields:
        pages: number of different pages. devices: the fastest first. capacity: of each device, in pages.
        requests: all coming requests, for policies that know the future.
        scan: pages that a migration policy is asked about after each request.
        cached: whether the memory of a disk, if there is one, takes writes.
    """

    pages: int
    devices: tuple[BlockDevice, ...]
    capacity: tuple[int, ...]
    requests: Paged
    scan: int
    cached: bool


@dataclass(frozen=True)
class StoragePoint(DecisionPoint):
    """A decision point of a hybrid storage; in a run with `storage`, what decides there may know."""

    storage: Storage | None = None

    def of(self, options: HybridOptions, paged: Paged) -> StoragePoint:
        """The point in a run."""
        pages, cached = len(paged.home), options.hdd_writes == CACHED
        capacity = tuple(capacities(options, pages))
        return replace(self, storage=Storage(pages, options.block_devices, capacity, paged, options.scan, cached))


def place_point(devices: Sequence[BlockDevice], default: str) -> StoragePoint:
    """Where a write goes."""
    return StoragePoint(
        PLACE_POINT,
        "each write",
        WRITE_PLACEMENT,
        default=default,
        features=columns_of(devices),
        actions=tuple(device.name for device in devices),
        masked=True,
        reward="1 / latency of the request in 1/ms, when it is answered",
    )


def migrate_point(devices: Sequence[BlockDevice], default: str) -> StoragePoint:
    """Which page moves."""
    return StoragePoint(
        MIGRATE_POINT,
        "after each request, and when devices are idle",
        MIGRATION,
        default=default,
        features=columns_of(devices),
    )
