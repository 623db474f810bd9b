"""Throughput of placements by formulas: each used logical core always has a thread that runs.

A thread that runs is in a get for a share of its time, which depends on how long gets and puts take, which depends on
how many threads are in either: the fixed point of these.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from pmtwin.scenarios.numa_threads.model import complete, costs_of, load_of
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.placements import cores_of_threads
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.numa.analytic import analytic
from pmtwin.sim.numa.load import GET, PUT, Threads

ROUNDS = 12
"""Of the fixed point; the shares then stand still to a thousandth."""


def ops_per_s(options: NumaOptions, workload: Workload, running: np.ndarray, rounds: int = ROUNDS) -> np.ndarray:
    """Shape (n,): operations/s while so many threads run; `running`: shape (n, 2), near the data and far from them."""
    workload = complete(options, workload)
    costs, machine, node = costs_of(options, workload), options.machine, options.pool_node
    mix = np.array([workload.read_share, 1.0 - workload.read_share])
    counts = np.zeros((len(running), machine.nodes, 2, 2))
    in_get = np.full(running.shape, workload.read_share)
    for _ in range(rounds):
        counts[:, node, :, GET] = running * in_get
        counts[:, node, :, PUT] = running * (1.0 - in_get)
        software, memory = (each[:, node] for each in costs.times(counts))
        in_get = 0.5 * in_get + 0.5 * _get_share(mix, software + memory)
    alone, beside = (
        1.0 / np.maximum((factor * software + memory) @ mix, 1e-9) for factor in (1.0, costs.sibling_factor)
    )
    crowded = _crowded(options, running)
    return 1e9 * (running * ((1.0 - crowded) * alone + crowded * beside)).sum(axis=1)


def best_cores(options: NumaOptions, workload: Workload) -> tuple[int, int]:
    """Numbers of logical cores near and far that do most operations/s."""
    machine, threads = options.machine, complete(options, workload).threads
    near, far = (_tried(min(cores, threads)) for cores in (machine.node_cores, machine.processors - machine.node_cores))
    running = [(n, f) for n in near for f in far if 0 < n + f <= threads]
    return running[int(ops_per_s(options, workload, np.array(running, float)).argmax())]


@lru_cache(maxsize=1024)
def best_ops_per_s(options: NumaOptions, workload: Workload) -> float:
    """Operations/s of the best numbers of logical cores near and far."""
    machine, threads = options.machine, complete(options, workload).threads
    n, f = best_cores(options, workload)
    cores = cores_of_threads(machine, options.pool_node, (round(threads * n / (n + f)), n, f), threads)
    load, costs = load_of(options, workload), costs_of(options, workload)
    placed = Threads(count=threads, data=options.pool_node, pool_bytes=options.pool_bytes(load.value_bytes))
    return analytic(machine, load, placed, costs, np.array(cores)).operations_per_s


def _tried(most: int) -> list[int]:
    """Numbers of logical cores from none to all: every one up to 8, then steps of a sixth."""
    numbers = [*range(min(most, 8) + 1)]
    while numbers[-1] < most:
        numbers.append(min(most, math.ceil(numbers[-1] * 7 / 6)))
    return numbers


def _get_share(mix: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Share of its time that a thread is in a get; times: shape (n, 2, 2)."""
    spent = times * mix
    return spent[..., GET] / spent.sum(axis=-1)


def _crowded(options: NumaOptions, running: np.ndarray) -> np.ndarray:
    """Share of the running threads on each side whose sibling runs too."""
    machine = options.machine
    if machine.threads_per_core == 1:
        return np.zeros(running.shape)
    physical = machine.cores * np.array([1.0, max(machine.nodes - 1, 1)])
    return 2.0 * np.maximum(running - physical, 0.0) / np.maximum(running, 1.0)
