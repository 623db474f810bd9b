"""The authors' own run `long_run_test`, from the log of their published code (capes-oss, 3-clause BSD licence).

Four clients, a controlled window without a limit of the rate, a log of every second. `long_run_test.csv` has sums over
the clients that reported: windows, actions (1: one up, 2: one down), data read and written, and data by server.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

FILE = "long_run_test.csv"
CLIENTS, SERVERS = 4, 4
SETTLED_S = 190
"""Seconds before those that count: files are made, and the windows stay at 8."""


class Recorded(NamedTuple):
    """The log, by second.

    Fields:
        window: RPCs in flight of an OSC. actions: those that were taken. read_mb_s, write_mb_s: of all clients.
        server_mb_s: shape (seconds, SERVERS), both together.
    """

    window: np.ndarray
    actions: int
    read_mb_s: np.ndarray
    write_mb_s: np.ndarray
    server_mb_s: np.ndarray

    @property
    def mb_s(self) -> np.ndarray:
        """Throughput from `SETTLED_S` on."""
        return (self.read_mb_s + self.write_mb_s)[SETTLED_S:]

    def busiest(self, count: int) -> float:
        """Share of the data that so many servers with most of them have, from `SETTLED_S` on."""
        data = np.sort(self.server_mb_s[SETTLED_S:].sum(axis=0))
        return float(data[-count:].sum() / data.sum())


@cache
def recorded() -> Recorded:
    """The log."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))

    def column(name: str) -> np.ndarray:
        return np.array([float(row[name]) for row in rows])

    servers = np.column_stack([column(f"server{number}_kb_s") for number in range(SERVERS)])
    window = np.round(column("window")).astype(int)
    actions = sum(bool(row["action"]) for row in rows)
    return Recorded(window, actions, column("read_kb_s") * 1e-3, column("write_kb_s") * 1e-3, servers * 1e-3)
