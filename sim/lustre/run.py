"""What a cluster in operation takes and tells, on either engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from pmtwin.sim.engines.copying import Copying
from pmtwin.sim.errors import check_range
from pmtwin.sim.lustre.cluster import MOST_WINDOW, Cluster
from pmtwin.sim.lustre.load import Load

Seed = int | tuple[int, ...]


class Reading(NamedTuple):
    """A cluster of S servers and O OSCs now; counts are from the start on.

    Fields:
        now_s: time. events: that were simulated.
        in_flight, dirty: shape (O,), RPCs that are sent and not answered; dirty bytes, those in flight too.
        bytes, rpcs, hits: shape (O, 2), answered reads and writes; reads and writes of data that were dirty.
        accepted: shape (O,), calls that wrote to the cache.
        ack_ns, send_ns: shape (O,), moving averages of gaps between answers, and between their requests.
        process_ns, least_process_ns: shape (O,), time at the server of the RPC answered last, and the least so far.
        ping_ns: shape (O,), round trip of an empty message sent now.
        came, done, disk_bytes, commands, expired: shape (S, 2), requests and commands of the disks by kind.
        busy_ns, moving_ns: shape (S,), time in which a disk works, and in which its head moves or waits.
        working, waiting: shape (S,), RPCs with and without a server's thread.
        latency: shape (2, BINS), histograms of the times of reads, and of calls that write
            (`pmtwin.sim.numa.latencies`).
    """

    now_s: float
    events: int
    in_flight: np.ndarray
    dirty: np.ndarray
    bytes: np.ndarray
    rpcs: np.ndarray
    hits: np.ndarray
    accepted: np.ndarray
    ack_ns: np.ndarray
    send_ns: np.ndarray
    process_ns: np.ndarray
    least_process_ns: np.ndarray
    ping_ns: np.ndarray
    came: np.ndarray
    done: np.ndarray
    disk_bytes: np.ndarray
    commands: np.ndarray
    expired: np.ndarray
    busy_ns: np.ndarray
    moving_ns: np.ndarray
    working: np.ndarray
    waiting: np.ndarray
    latency: np.ndarray


class Run(Copying, ABC):
    """A cluster in operation; it starts at time 0 with Lustre's window of 8 RPCs and without a limit of their rate."""

    def __init__(self, cluster: Cluster, load: Load):
        self.cluster, self.load = cluster, load

    @abstractmethod
    def advance(self, until_s: float) -> None:
        """Run until a time."""

    @abstractmethod
    def reading(self) -> Reading:
        """The counters now."""

    def set_limits(self, window: int, gap_us: float) -> None:
        """Window and rate limit of all OSCs from now on; what is in flight beyond a window stays.

        Args:
            window: RPCs in flight. gap_us: least time between two RPCs of an OSC; 0: no limit.

        Raises:
            InputError: outside the ranges.
        """
        check_range("window", window, 1, MOST_WINDOW)
        check_range("tau_us", gap_us, 0.0, 1e9)
        self._set_limits(window, gap_us * 1e3)

    @abstractmethod
    def _set_limits(self, window: int, gap_ns: float) -> None:
        """As `set_limits`, of accepted values."""

    @abstractmethod
    def set_read_share(self, share: float) -> None:
        """Another share of reads at random places, from the next operations on."""
