"""Volumes of a trace: each counts its offsets from 0, so that equal offsets of two volumes are different pages."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.block_traces import TOGETHER
from pmtwin.sim.errors import InputError

COLUMNS = (
    "dev", "device", "device_id", "volume", "volume_id", "disk", "disk_id", "disknumber", "lun", "hostname"
)  # fmt: skip
"""Columns that name a volume; where a trace has several of them, they name it together."""

PAGE_BITS = 48
MOST_VOLUMES = 1 << (63 - PAGE_BITS)


class Volumes:
    """Numbers of volumes, in the order in which a trace names them; the same in every pass."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], int] = {}

    def __len__(self) -> int:
        return max(len(self._known), 1)

    def numbers(self, columns: list[np.ndarray]) -> np.ndarray:
        """Shape (n,), int64: the volume of each request.

        Args:
            columns: numbers or names, each of shape (n,).
        """
        keys, place = [()], np.zeros(len(columns[0]), np.int64)
        for column in columns:
            names, inverse = np.unique(column, return_inverse=True)
            used, place = np.unique(place * len(names) + inverse, return_inverse=True)
            keys = [(*keys[both // len(names)], _plain(str(names[both % len(names)]))) for both in used.tolist()]
        _, first = np.unique(place, return_index=True)
        for k in np.argsort(first):
            self._known.setdefault(keys[k], len(self._known))
        return np.array([self._known[key] for key in keys], np.int64)[place]


def _plain(name: str) -> str:
    return str(int(name)) if name.isdecimal() else name  # `07` and 7, where a block has names beside numbers


def first_pages(volume: np.ndarray, page: np.ndarray, where: str | None = None) -> np.ndarray:
    """Page numbers that no two volumes share: those of the first volume are as they are.

    Raises:
        InputError: for a page that leaves no room for the number of its volume, or for too many volumes.
    """
    if not volume.any():
        return page
    if volume.max() >= MOST_VOLUMES:
        allowed = f"at most {MOST_VOLUMES:,}, or --volumes {TOGETHER}"
        raise InputError("volumes", f"more than {MOST_VOLUMES:,}", allowed, where)
    if (largest := page.max()) >> PAGE_BITS:
        allowed = f"below 2^{PAGE_BITS} in a trace of several volumes; --page-bytes sets their size"
        raise InputError("page", int(largest), allowed, where)
    return page + (volume << PAGE_BITS)
