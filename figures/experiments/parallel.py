"""The same work for many settings, on any number of processes; the results do not depend on their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pmtwin.sim.common.processes import processes

Tick = Callable[[int], Any]
"""Called with how many more tasks are done."""


def run_tasks(work: Callable, tasks: Sequence[tuple], jobs: int = 1, on_done: Tick | None = None) -> list:
    """`work(*task)` for each task, in their order."""
    from joblib import delayed

    results = []
    for result in processes(jobs, "generator")(delayed(work)(*task) for task in tasks):
        results.append(result)
        if on_done is not None:
            on_done(1)
    return results


def environment_seed(seed: int, *key: int) -> int:
    """A seed for `env.reset` or a `Middleware`, independent for each key."""
    words = np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))
