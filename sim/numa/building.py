"""The arrays of a machine before its first event, and what a load changes in them."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.draws import lognormal_table
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.kinds import kinds_of, offsets_of
from pmtwin.sim.numa.latencies import BINS
from pmtwin.sim.numa.load import SEQUENTIAL, Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.records import (
    DOMAINS,
    NEVER_ENDS,
    SETTING,
    TALLY,
    THREAD,
    State,
    classes_of,
    empty_cores,
    empty_progress,
)
from pmtwin.sim.numa.speed_rows import Costs, empty_speeds
from pmtwin.sim.stations.lines import NOBODY, empty_lines
from pmtwin.sim.stations.ordered import NEVER

_MS, _US = 1e6, 1e3


def build_state(machine: Machine, kernel: Kernel, threads: Threads, seed: int | tuple[int, ...]) -> State:
    """A machine whose threads have not come yet, without a load."""
    count, cores = threads.count, machine.processors
    kinds, classes = kinds_of(machine.nodes), classes_of(machine.nodes)
    thread = np.zeros(count, THREAD)
    thread["core"], thread["stopped_ns"] = NOBODY, -np.inf
    thread["quota"] = NEVER_ENDS if threads.requests is None else threads.requests
    thread["key"] = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    tally = np.zeros(1, TALLY)
    tally["alive"], tally["due_ns"], tally["changed"] = count, NEVER, 1
    tally["untouched"] = math.ceil(threads.pool_bytes / kernel.page_bytes)
    state = State(
        _setting(machine, kernel, threads), tally, thread, empty_cores(machine), np.zeros((cores, DOMAINS), np.int64),
        np.ones((count, cores), np.uint8), np.zeros((count, machine.nodes)), empty_lines(cores, count),
        np.full(cores * (1 + DOMAINS), NEVER), np.zeros(kinds, np.int64), np.zeros(classes, np.int64),
        empty_progress(classes, count), empty_speeds(machine.nodes), np.ones(1),
        np.zeros((machine.nodes, machine.nodes, 2), np.int64), np.zeros(BINS, np.int64), np.zeros(cores, np.int64),
    )  # fmt: skip
    set_shares(state, threads.shares(machine))
    return state


def _setting(machine: Machine, kernel: Kernel, threads: Threads) -> np.ndarray:
    sizes = (machine.threads_per_core, machine.node_cores, machine.processors)
    excess = (kernel.smt_percent, kernel.socket_percent, kernel.numa_percent)
    below = (1, *sizes[:-1])
    setting = np.zeros(1, SETTING)
    for name, value in {
        "threads": threads.count, "cores": machine.processors, "nodes": machine.nodes,
        "offsets": offsets_of(machine.nodes), "node_cores": machine.node_cores, "physical": machine.cores,
        "pool_bytes": threads.pool_bytes, "page_bytes": kernel.page_bytes,
        "latency_ns": _MS * kernel.latency_ms, "least_slice_ns": _MS * kernel.least_slice_ms,
        "switch_ns": _US * kernel.switch_us, "fault_ns": _US * kernel.fault_us,
        "balance": kernel.balance, "busy_factor": kernel.busy_factor, "hot_ns": _MS * kernel.hot_ms,
        "excess": [percent / 100.0 for percent in excess],
        "weight_ns": [_MS * size if size > smaller else 0.0 for size, smaller in zip(sizes, below, strict=True)],
    }.items():  # fmt: skip
        setting[name] = value
    return setting


def set_shares(state: State, shares: np.ndarray) -> None:
    """Shares of the nodes in each thread's operations from now on."""
    state.shares[:] = np.cumsum(shares, axis=1)
    state.shares[:, -1] = np.inf
    state.thread["single"] = shares.max(axis=1) == 1.0
    state.thread["home"] = shares.argmax(axis=1)


def set_operations(state: State, machine: Machine, kernel: Kernel, load: Load, costs: Costs) -> State:
    """A load from now on, but for its speeds."""
    setting = state.setting[0]
    setting["read_share"], setting["touched_bytes"] = load.read_share, load.group * load.value_bytes
    setting["sequential"] = load.pattern == SEQUENTIAL
    refill = machine.l2_bytes / machine.threads_per_core if kernel.refill_bytes is None else kernel.refill_bytes
    setting["refill_ns"] = refill * np.asarray(costs.refill_ns_per_byte)
    return state._replace(noise=lognormal_table(load.spread).copy() if load.spread else np.ones(1))


def set_masks(state: State, masks: np.ndarray) -> None:
    """Affinity of all threads, shape (T, C).

    Raises:
        InputError: for a thread that may run nowhere.
    """
    if not masks.any(axis=1).all():
        thread = int(np.argmin(masks.any(axis=1)))
        raise InputError(f"affinity of thread {thread}", "no logical core", "one or more, or none for all of them")
    state.allowed[:] = masks
