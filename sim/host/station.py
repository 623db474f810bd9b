"""The host as a station: hardware threads that share cores, contention of hand-offs and of the store, preemption.

The thesis (section 4.1.1) runs the workers on one socket of 24 cores and 48 hardware threads, and the applications on
the other. All tables are indexed by a number of threads and computed once, so that both engines read the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.sim.parameters.store_law import twin_name
from pmtwin.sim.store.law import contention_factor

MAX_RUNNABLE = 2048
"""Largest index of the tables; for more threads, its values hold."""


LEAST_SPEED = 1e-6
"""Cores left to computing threads while accesses hold all cores; above 0, so that computations end."""


class Host(NamedTuple):
    """Tables over a number of threads n = 0..MAX_RUNNABLE, and scalars in ns.

    Fields:
        hardware_threads: number of hardware threads, and largest number of concurrent accesses to the device.
        polls: whether idle workers occupy hardware threads.
        access_holds_cpu: whether a thread keeps its hardware thread during an access to the device.
        rate, inverse_rate: shape (n,), speed of one runnable thread, 1 on an otherwise idle core. Above the number of
            hardware threads: speed of the running threads or, if `timeslice_ns` is 0, of all threads.
        handoff_ns: shape (n,), work of a hand-off with n threads on the queues; zeros without a middleware.
        kv_factor: shape (n,), software time in the store with n concurrent operations, over the time with one.
        crowding: shape (n,), factor on the software time in the store while n threads want a hardware thread.
        preempted_ns: shape (n,), wait of a preempted thread for its next turn; 0 up to the hardware threads.
        preemption_ns: a request with work w is preempted with probability w / preemption_ns when threads wait.
        wakeup_ns: work to wake a parked worker; 0 if workers poll, or without a middleware.
        client_wakeup_ns: time from an answer until its client is ready.
    """

    hardware_threads: int
    polls: bool
    access_holds_cpu: bool
    rate: np.ndarray
    inverse_rate: np.ndarray
    handoff_ns: np.ndarray
    kv_factor: np.ndarray
    crowding: np.ndarray
    preempted_ns: np.ndarray
    preemption_ns: float
    wakeup_ns: float
    client_wakeup_ns: float


def build_host(values: Mapping[str, float], direct: bool, clients: int) -> Host:
    """The host for resolved parameter `values`.

    Args:
        direct: whether there is no middleware: the host is the clients' socket, without queues and workers.
        clients: client threads of all classes.
    """
    cores = int(values["cores"])
    hardware_threads = cores * int(values["threads_per_core"])
    n = np.arange(MAX_RUNNABLE + 1, dtype=float)
    running = np.clip(n, 1, hardware_threads)
    shared = np.maximum(running - cores, 0.0)
    takers = np.maximum(n, 1.0) if values["timeslice_ns"] == 0.0 else running
    rate = (np.minimum(running, cores) + values["smt_yield"] * shared) / takers
    share = values["preemption_share"]
    polls = bool(values["workers_poll"]) and not direct
    return Host(
        hardware_threads=hardware_threads,
        polls=polls,
        access_holds_cpu=bool(values["access_holds_cpu"]),
        rate=rate,
        inverse_rate=1.0 / rate,
        handoff_ns=np.zeros_like(n) if direct else handoff_work_ns(n, values, clients),
        kv_factor=_kv_factor(np.minimum(n, hardware_threads), values),
        crowding=_crowding(n - hardware_threads, values["crowding_threads"]),
        preempted_ns=bool(share) * values["timeslice_ns"] * np.maximum(n - hardware_threads, 0.0) / hardware_threads,
        preemption_ns=float(values["timeslice_ns"]) / (share or 1.0),
        wakeup_ns=0.0 if polls or direct else float(values["worker_wakeup_ns"]),
        client_wakeup_ns=float(values["client_wakeup_ns"]),
    )


def _kv_factor(threads: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
    """Factor on the software time in the store with concurrent operations; inferred, if `records` is above 0."""
    if not values["records"]:
        return 1.0 + (threads / values["kv_contention_threads"]) ** 2
    inferred = {name: np.asarray(values[twin_name(name)]) for name in ("clock_drop", "lock_growth")}
    return contention_factor(inferred, np.maximum(threads, 1.0), int(values["cores"]))


def handoff_factor(sizes: np.ndarray, doubled: float) -> np.ndarray:
    """Factor on the work of a hand-off, by the values' sizes in bytes; `doubled`: parameter `handoff_bytes`."""
    return 1.0 + sizes / doubled if doubled else np.ones(np.shape(sizes))


def _crowding(waiting: np.ndarray, doubled: float) -> np.ndarray:
    """Factor on the store's software time while threads wait for a hardware thread: some of them hold its locks."""
    if not doubled:
        return np.ones_like(waiting)
    return 1.0 + (np.maximum(waiting, 0.0) / doubled) ** 2


def handoff_work_ns(threads: np.ndarray, values: Mapping[str, float], clients: int) -> np.ndarray:
    """Work of a hand-off, in ns, with `threads` threads on the queues and the load of the clients."""
    added = (threads / values["handoff_contention_threads"]) ** values["handoff_contention_power"]
    if values["handoff_contention_most"]:
        added = added / (1.0 + added / values["handoff_contention_most"])
    doubled = values["client_contention_clients"]
    return values["handoff_ns"] * (1.0 + added) * (1.0 + clients / doubled if doubled else 1.0)
