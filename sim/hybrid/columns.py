"""The features of a decision, declared; `features.py` fills them in."""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.sim.control import LOG, Column
from pmtwin.sim.hybrid.devices import BlockDevice

NEVER = 1e9
"""Interval of a page that was never used or never moved, in requests."""

MOST_PAGES = 4097


def columns_of(devices: Sequence[BlockDevice]) -> tuple[Column, ...]:
    """The features of a decision about a page, or about the first page of a request, in order.

    The paper's seven, one for each device between the first and the last, how many pages a write to the first device
    evicts, and the number of the page.
    """
    return (
        Column("write", 0, 1),
        Column("pages", 1, MOST_PAGES, "pages", LOG),
        Column("interval", 0, NEVER, "requests", LOG),
        Column("count", 0, 2**31, "requests", LOG),
        Column("free", 0, 1),
        Column("device", 0, len(devices) - 1),
        Column("since_move", 0, NEVER, "requests", LOG),
        *(Column(f"free_{device.name}", 0, 1) for device in devices[1:-1]),
        Column("evictions", 0, MOST_PAGES, "pages", LOG),
        Column("page", 0, 2**31),
    )
