"""Every step of an evaluation in one npz file, for figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pmtwin.scenarios.evaluation import Evaluation
from pmtwin.sim.files import write_atomically

ARRAYS = ("phase", "reward", "p99_us", "throughput_ops", "pools")


def write_series(path: str | Path, evaluation: Evaluation) -> Path:
    """Write `policies` (specs) and, of shape (policies, seeds, steps), each of `ARRAYS`; `pools` has a last axis of 2.

    Raises:
        InputError: if the file cannot be written.
    """
    specs = list(evaluation.runs)
    stacked = {
        name: np.array([[getattr(run, name) for run in evaluation.runs[spec]] for spec in specs]) for name in ARRAYS
    }

    def write(file) -> None:
        np.savez_compressed(file, policies=np.array(specs), **stacked)

    return write_atomically(path, write, mode="wb", field="--series")
