"""Volumes of a trace: each counts offsets from 0, so that equal offsets on two volumes are different pages."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.block_traces import TOGETHER
from pmtwin.sim.errors import InputError

COLUMNS = (
    "dev", "device", "device_id", "volume", "volume_id", "disk", "disk_id", "disknumber", "lun", "hostname"
)  # fmt: skip
"""Columns that name a volume; several such columns name it together."""

PAGE_BITS = 48
MOST_VOLUMES = 1 << (63 - PAGE_BITS)


class Volumes:
    """Numbers of volumes, in order of their first request, and the same in every pass."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], int] = {}

    def __len__(self) -> int:
        return max(len(self._known), 1)

    def numbers(self, columns: list[np.ndarray]) -> np.ndarray:
        """The number of each request's volume: int64, shape (n,).

        Args:
            columns: columns that name the volume, as numbers or text, each of shape (n,).
        """
        keys, place = [()], np.zeros(len(columns[0]), np.int64)
        for column in columns:
            names, inverse = np.unique(column, return_inverse=True)
            codes, place = np.unique(place * len(names) + inverse, return_inverse=True)
            keys = [(*keys[code // len(names)], _plain(str(names[code % len(names)]))) for code in codes.tolist()]
        _, first = np.unique(place, return_index=True)
        for k in np.argsort(first):
            self._known.setdefault(keys[k], len(self._known))
        return np.array([self._known[key] for key in keys], np.int64)[place]


def _plain(name: str) -> str:
    return str(int(name)) if name.isdecimal() else name  # `07` in a block read as text is 7 in a block of numbers


def first_pages(volume: np.ndarray, page: np.ndarray, where: str | None = None) -> np.ndarray:
    """Page numbers that differ between volumes; those of the first volume do not change.

    Args:
        volume, page: number of the volume and of the page on it, for each request, shape (n,).
        where: path of the file, for the error.

    Raises:
        InputError: for too large a page number, or too many volumes.
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
