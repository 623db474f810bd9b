"""A hard disk: the options that say how fast it seeks, turns and transfers, and the record of it in compiled code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

READ, WRITE = 0, 1
"""Kinds of commands."""

MEAN_ROOT, MEAN_SHARE = 8.0 / 15.0, 1.0 / 3.0
"""Means of sqrt(x) and x, where x is the distance of two random places of a stroke of length 1."""

MB, GB = 1e6, 1e9

HARD_DISK = np.dtype([
    ("rotation_ns", "f8"), ("per_rotation", "f8"), ("track_bytes", "f8"), ("per_track", "f8"), ("per_stroke", "f8"),
    ("track_ns", "f8"), ("root_ns", "f8"), ("share_ns", "f8"),  # seek: sum of track, root sqrt(x), share x
    ("byte_ns", "f8", (2,)), ("depth", "i8"), ("patience_ns", "f8"),
])  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class HardDisk(Options):
    """A hard disk with a queue of its own (SATA, native command queueing).

    Raises:
        InputError: for seeks that no longer distance makes longer.
    """

    title = "hard disk"

    rpm: float = option(7200.0, "rotations of a disk per minute", low=100.0, high=1e6, metavar="N")
    disk_read_mb_s: float = option(113.0, "reads in order from a disk, in MB/s", low=0.1, high=1e6, metavar="MB/S")
    disk_write_mb_s: float = option(106.0, "writes in order to a disk, in MB/s", low=0.1, high=1e6, metavar="MB/S")
    track_seek_ms: float = option(1.0, "seek of a disk to the next track, in ms", low=0.0, high=1e3, metavar="MS")
    mean_seek_ms: float = option(12.0, "mean seek between random places, in ms", low=0.0, high=1e3, metavar="MS")
    full_seek_ms: float = option(20.0, "seek over the whole disk, in ms", low=0.0, high=1e3, metavar="MS")
    disk_gb: float = option(500.0, "capacity of a disk, in GB", low=0.1, high=1e6, metavar="GB")
    drive_depth: int = option(
        31, "commands in the drive at once, of which the nearest by seek and rotation is next", low=1, high=255,
        metavar="N",
    )  # fmt: skip
    drive_patience_ms: float = option(
        2000.0, "a command that is in the drive for longer is next, in ms (assumed)", low=0.0, high=1e9, metavar="MS"
    )

    def __post_init__(self):
        super().__post_init__()
        if self.full_seek_ms < self.track_seek_ms:
            allowed = f"at least track_seek_ms, {self.track_seek_ms:g} ms"
            raise InputError("full_seek_ms", self.full_seek_ms, allowed)
        root, share = self.seek_terms
        if root < 0.0 or root / 2.0 + share < 0.0 or self.mean_seek_ms < self.track_seek_ms:
            track, full = self.track_seek_ms, self.full_seek_ms
            low = track + (full - track) * MEAN_SHARE
            high = track + (full - track) * (2.0 * MEAN_ROOT - MEAN_SHARE)
            allowed = (
                f"{low:g} to {high:g} ms between random places, with track_seek_ms {track:g} and full_seek_ms {full:g}"
            )
            raise InputError("mean_seek_ms", self.mean_seek_ms, allowed)

    @property
    def seek_terms(self) -> tuple[float, float]:
        """(r, s) in ms: a seek over the share x of the stroke takes `track_seek_ms` + r sqrt(x) + s x."""
        mean, full = self.mean_seek_ms - self.track_seek_ms, self.full_seek_ms - self.track_seek_ms
        root = (mean - full * MEAN_SHARE) / (MEAN_ROOT - MEAN_SHARE)
        return root, full - root

    def record(self) -> np.ndarray:
        """The disk as a record, shape (1,), of `HARD_DISK`."""
        record = np.zeros(1, HARD_DISK)
        rotation_ns = 60e9 / self.rpm
        root, share = self.seek_terms
        track_bytes = self.disk_read_mb_s * MB * rotation_ns * 1e-9
        record["rotation_ns"], record["per_rotation"] = rotation_ns, 1.0 / rotation_ns
        record["track_bytes"], record["per_track"] = track_bytes, 1.0 / track_bytes
        record["per_stroke"] = 1.0 / (self.disk_gb * GB)
        record["track_ns"], record["root_ns"], record["share_ns"] = self.track_seek_ms * 1e6, root * 1e6, share * 1e6
        record["byte_ns"] = 1e9 / (self.disk_read_mb_s * MB), 1e9 / (self.disk_write_mb_s * MB)
        record["depth"], record["patience_ns"] = self.drive_depth, self.drive_patience_ms * 1e6
        return record
