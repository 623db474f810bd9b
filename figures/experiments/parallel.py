"""The same work for many settings, on any number of processes; the results do not depend on their number."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.sim.common.processes import processes

KEPT = "finished.jsonl"
"""File of finished tasks in the folder of a step, a line for each."""

Tick = Callable[[int], Any]
"""Called with how many more tasks are done."""


def run_tasks(work: Callable, tasks: Sequence[tuple], jobs: int = 1, on_done: Tick | None = None) -> list:
    """`work(*task)` for each task, in their order."""
    results = []
    for result in _results(work, tasks, jobs):
        results.append(result)
        if on_done is not None:
            on_done(1)
    return results


def run_kept(work: Callable, tasks: Sequence[tuple], folder: Path, jobs: int = 1, on_done: Tick | None = None) -> list:
    """`run_tasks` whose results are kept in a file, so that an interrupted run goes on behind the last one.

    Args:
        work: returns plain values that JSON can hold.
        folder: of the file; it belongs to these tasks alone.
        on_done: not called for tasks that were finished before (`finished`).
    """
    kept = folder / KEPT
    results = _read_back(kept)[: len(tasks)]
    with kept.open("a", encoding="utf-8") as file:
        for result in _results(work, tasks[len(results) :], jobs):
            line = json.dumps(result)
            file.write(f"{line}\n")
            file.flush()
            results.append(json.loads(line))
            if on_done is not None:
                on_done(1)
    return results


def finished(folder: Path) -> int:
    """Tasks of `run_kept` whose results a folder has: they say nothing of the pace of the others."""
    return len(_read_back(folder / KEPT))


def _results(work: Callable, tasks: Sequence[tuple], jobs: int) -> Iterator[Any]:
    from joblib import delayed

    return iter(processes(jobs, "generator")(delayed(work)(*task) for task in tasks))


def _read_back(kept: Path) -> list:
    """The results in a file; a last line that was not written to its end is cut off."""
    if not kept.exists():
        return []
    content = kept.read_bytes()
    whole = content.rfind(b"\n") + 1
    os.truncate(kept, whole)
    return [json.loads(line) for line in content[:whole].splitlines()]


def environment_seed(seed: int, *key: int) -> int:
    """A seed for `env.reset` or a `Middleware`, independent for each key."""
    words = np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))
