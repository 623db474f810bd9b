"""The best placement by mean values: each used logical core always has a thread that runs."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from pmtwin.scenarios.numa_threads.model import complete, costs_of, load_of
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.placements import cores_of_threads
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.numa.analytic import Groups, groups_of, steady
from pmtwin.sim.numa.load import data_shares

ROUNDS = 12
"""Of the fixed point in a search; the shares then stand still to a thousandth."""


def ops_per_s(
    options: NumaOptions, workload: Workload, running: np.ndarray, sample: int = 0, rounds: int = ROUNDS
) -> np.ndarray:
    """Shape (n,): operations/s while so many threads run; `running`: shape (n, 2), near the data and far from them."""
    workload, machine, node = complete(options, workload), options.machine, options.pool_node
    others = [other for other in range(machine.thread_nodes) if other != node]
    crowded = _crowded(options, running)
    near, far = np.moveaxis(np.stack([running * (1.0 - crowded), running * crowded], axis=2), 1, 0)
    sides = np.concatenate([near, *[far / len(others) for _ in others]], axis=1)  # the far ones spread evenly
    mix = np.zeros((sides.shape[1], machine.nodes, 2))
    mix[:, node] = workload.read_share, 1.0 - workload.read_share
    groups = Groups(sides, np.repeat([node, *others], 2), np.arange(sides.shape[1]) % 2, mix)
    return (sides * steady(groups, costs_of(options, workload, sample), rounds).per_s).sum(axis=1)


def best_cores(options: NumaOptions, workload: Workload, sample: int = 0) -> tuple[int, int]:
    """Numbers of logical cores near and far that do most operations/s."""
    machine, threads = options.machine, complete(options, workload).threads
    near, far = (_tried(min(cores, threads)) for cores in (machine.node_cores, machine.processors - machine.node_cores))
    running = [(n, f) for n in near for f in far if 0 < n + f <= threads]
    return running[int(ops_per_s(options, workload, np.array(running, float), sample).argmax())]


@lru_cache(maxsize=1024)
def best_ops_per_s(options: NumaOptions, workload: Workload, sample: int = 0) -> float:
    """Operations/s of the best numbers of logical cores near and far."""
    machine, threads = options.machine, complete(options, workload).threads
    n, f = best_cores(options, workload, sample)
    cores = cores_of_threads(machine, options.pool_node, (round(threads * n / (n + f)), n, f), threads)
    shares = data_shares(options.pool_node, threads, machine.nodes)
    groups = groups_of(machine, load_of(options, workload), shares, np.array(cores))
    return float((groups.running * steady(groups, costs_of(options, workload, sample)).per_s).sum())


def _tried(most: int) -> list[int]:
    """Numbers of logical cores from none to all: every one up to 8, then steps of a sixth."""
    numbers = [*range(min(most, 8) + 1)]
    while numbers[-1] < most:
        numbers.append(min(most, math.ceil(numbers[-1] * 7 / 6)))
    return numbers


def _crowded(options: NumaOptions, running: np.ndarray) -> np.ndarray:
    """Share of the running threads on each side whose sibling runs too."""
    machine = options.machine
    if machine.threads_per_core == 1:
        return np.zeros(running.shape)
    physical = machine.cores * np.array([1.0, max(machine.thread_nodes - 1, 1)])
    return 2.0 * np.maximum(running - physical, 0.0) / np.maximum(running, 1.0)
