"""Performance indicators of the clients (section 4.1 of the paper, and its authors' code): 10 an OSC, then pings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.lustre_tuning.limits import MOST_TAU_US
from pmtwin.sim.control import LOG, Column
from pmtwin.sim.lustre.cluster import MOST_WINDOW

if TYPE_CHECKING:
    from pmtwin.sim.lustre.running import Reading

US, MS = 1e-3, 1e-6

OF_OSC = (
    Column("window", 0, MOST_WINDOW, "RPCs"),
    Column("least_gap_us", 0, MOST_TAU_US, "us"),
    Column("ack_us", 0, 1e8, "us", LOG),
    Column("send_us", 0, 1e8, "us", LOG),
    Column("process_percent", 0, 1e8, "%", LOG),
    Column("read_b_s", 0, 1e9, "B/s", LOG),
    Column("write_b_s", 0, 1e9, "B/s", LOG),
    Column("tau_us", 0, MOST_TAU_US, "us"),
    Column("dirty_bytes", 0, 1e11, "B", LOG),
    Column("dirty_limit", 0, 1e11, "B", LOG),
)
"""Indicators of an OSC. `process_percent` is 100 x the PT ratio: time at the server over the least so far."""

PING = Column("ping_ms", 0, 1e5, "ms", LOG)


def columns_of(clients: int, servers: int, optional: bool = False) -> tuple[Column, ...]:
    """Columns of all clients, each with its OSCs one after the other, then its pings; `optional`: may be lost."""
    columns = []
    for client in range(clients):
        for server in range(servers):
            columns += [_named(column, f"client{client}_osc{server}", optional) for column in OF_OSC]
        columns += [_named(PING, f"client{client}_server{server}", optional) for server in range(servers)]
    return tuple(columns)


def _named(column: Column, prefix: str, optional: bool) -> Column:
    return replace(column, name=f"{prefix}_{column.name}", optional=optional)


def indicators(before: Reading, after: Reading, setting: tuple[int, ...], dirty_limit: float) -> np.ndarray:
    """Indicators at the end of a window: shape (O, 10), by OSC."""
    (window, tau_us), seconds = setting, max(after.now_s - before.now_s, 1e-9)
    rates = (after.bytes - before.bytes) / seconds
    ratio = np.where(after.process_ns > 0.0, 100.0 * after.process_ns / after.least_process_ns, 0.0)
    same = np.ones(len(after.dirty))
    columns = (
        window * same, tau_us * same, after.ack_ns * US, after.send_ns * US, ratio, *rates.T, tau_us * same,
        after.dirty, dirty_limit * same,
    )  # fmt: skip
    return np.column_stack(columns)


def observed(rows: np.ndarray, ping_ns: np.ndarray, clients: int) -> np.ndarray:
    """The columns of all clients: shape (clients, servers x 11)."""
    return np.column_stack([rows.reshape(clients, -1), (ping_ns * MS).reshape(clients, -1)])
