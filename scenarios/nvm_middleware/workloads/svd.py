"""Batch requests: the puts and gets of an SVD of a 128 x 128 matrix run as a serverless DAG (thesis section 4.1.3).

Wukong collected the thesis' trace; here the same kind of graph is generated (`svd_graph`). A job's operations are
replayed as one synchronous executor makes them: task after task, the gets of a task, its computation, its put.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.scenarios.nvm_middleware.workloads.svd_graph import Shape, TaskGraph, svd_graph
from pmtwin.sim.load.workload import SIZE_BINS, ClassWorkload

COMPUTE_US = {
    "random_sample": 200.0,
    "standard_normal": 47.0,
    "sum": 46.0,
    "sum-aggregate-qr": 147.0,
    "qr": 0.6,
    "getitem": 1.5,
    "qr-stack-getitem": 89.0,
    "stack-qr": 300.0,
    "svd-getitem": 106.0,
    "dot": 8.2,
    "transpose-getitem": 40.0,
    "sum-aggregate": 14.0,
    "mul": 47.0,
}
"""Median computing time of a task of the fused 128 x 128 graph in chunks of 32, by kind, as measured under Dask."""

INTERARRIVAL_COV = 2.31
"""`interarrival_cov()` of the default job, rounded: operations come in bursts between computations."""


@dataclass(frozen=True)
class KeyValueOperations:
    """The operations of a job in order; one entry each.

    `is_write` bool, `key` int64 (number of the task that makes the value), `size_bytes` int64, `task` int64.
    """

    is_write: np.ndarray
    key: np.ndarray
    size_bytes: np.ndarray
    task: np.ndarray

    @property
    def write_ratio(self) -> float:
        """puts / (puts + gets)."""
        return float(self.is_write.mean())


def operations(graph: TaskGraph | None = None) -> KeyValueOperations:
    """The puts and gets of a graph in the order of its tasks: the gets of a task, then its put."""
    graph = graph or svd_graph()
    rows = []
    for number, task in enumerate(graph.tasks):
        rows += [(False, key, graph.tasks[key].output_bytes, number) for key in task.inputs]
        rows.append((True, number, task.output_bytes, number))
    is_write, key, size, task_number = (np.array(column) for column in zip(*rows, strict=True))
    return KeyValueOperations(is_write, key, size, task_number)


def interarrival_cov(graph: TaskGraph | None = None, compute_us: dict[str, float] | None = None) -> float:
    """Coefficient of variation of the gaps between the operations of one executor, in a store that takes no time.

    Raises:
        KeyError: if a kind of task has no computing time (the raw layout has kinds of its own).
    """
    graph, compute_us = graph or svd_graph(), compute_us or COMPUTE_US
    now, times = 0.0, []
    for task in graph.tasks:
        times += [now] * len(task.inputs)
        now += compute_us[task.kind]
        times.append(now)
    gaps = np.diff(times)
    return float(gaps.std() / gaps.mean())


def svd_class(
    clients: int = 200,
    rate_ops: float | None = 150_000.0,
    shape: Shape | None = None,
    fused: bool = True,
) -> ClassWorkload:
    """The batch class that replays SVD jobs.

    Args:
        clients: synchronous client threads.
        rate_ops: offered operations/s of all of them; None replays without pause.
        shape: matrix, chunks and rank; 128 x 128 in chunks of 32 by default (the chunk size is assumed).
        fused: the layout of the graph.
    """
    job = operations(svd_graph(shape, fused))
    return ClassWorkload(
        clients=clients,
        write_ratio=job.write_ratio,
        read_sizes_bytes=_equally_likely(job.size_bytes[~job.is_write]),
        write_sizes_bytes=_equally_likely(job.size_bytes[job.is_write]),
        rate_ops=rate_ops,
        interarrival_cov=INTERARRIVAL_COV,
    )


def _equally_likely(sizes: np.ndarray) -> np.ndarray:
    """`SIZE_BINS` sizes at the middles of equal shares of the observed ones."""
    shares = (np.arange(SIZE_BINS) + 0.5) / SIZE_BINS
    return np.sort(sizes)[(shares * len(sizes)).astype(int)].astype(float)
