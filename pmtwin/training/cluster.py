"""Where parallel work runs: processes of this machine, or the workers of a Dask cluster, both through joblib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pmtwin.sim.errors import MissingDependencyError

BACKENDS = ("processes", "dask")
PATIENCE_S = 10
"""Longest time in which a scheduler must answer, in seconds."""


@contextmanager
def workers_of(backend: str, scheduler: str | None, jobs: int) -> Iterator[int]:
    """Context manager in which joblib uses the backend; yields the number of tasks that run at once.

    Args:
        backend: one of `BACKENDS`.
        scheduler: address of the cluster's scheduler.
        jobs: number of processes on this machine; a cluster runs one task per thread of its workers.

    Raises:
        MissingDependencyError: if Dask is not installed, or no scheduler or worker answers at the address.
    """
    if backend == "processes":
        yield jobs
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingDependencyError("--backend dask: Dask is not installed; pip install 'pmtwin[cluster]'") from error
    from joblib import parallel_config

    try:
        client = Client(scheduler, timeout=PATIENCE_S)
    except (OSError, ValueError) as error:
        raise MissingDependencyError(f"--scheduler: no Dask scheduler answers at {scheduler}") from error
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise MissingDependencyError(f"--scheduler: the scheduler at {scheduler} has no workers")
        with parallel_config("dask"):
            yield workers
