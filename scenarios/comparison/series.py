"""All steps of an evaluation in one npz file, for figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from pmtwin.scenarios.comparison.evaluation import Evaluation
from pmtwin.scenarios.comparison.rollout import Steps
from pmtwin.sim.files.writing import write_atomically


def write_series(path: str | Path, evaluation: Evaluation) -> Path:
    """Write the specs (`policies`) and, for every step, reward, measures, context and setting.

    Arrays have shape (policies, seeds, steps): `reward`, each compared measure and, under the scenario's nouns, the
    context and the setting. The setting has a last axis for its numbers.

    Raises:
        InputError: if the file cannot be written.
    """
    scenario, specs = evaluation.plan.scenario, list(evaluation.runs)

    def stacked(take: Callable[[Steps], np.ndarray]) -> np.ndarray:
        return np.array([[take(run) for run in evaluation.runs[spec]] for spec in specs])

    arrays = {
        scenario.contexts.noun: stacked(lambda run: run.context),
        "reward": stacked(lambda run: run.reward),
        **{measure.name: stacked(partial(_measure, measure.name)) for measure in scenario.compared},
        **({scenario.settings.noun: stacked(lambda run: run.setting)} if scenario.settings else {}),
    }

    def write(file: IO[Any]) -> None:
        np.savez_compressed(file, policies=np.array(specs), **arrays)  # type: ignore[arg-type]  # none is `allow_pickle`

    return write_atomically(path, write, mode="wb", field="--series")


def _measure(name: str, run: Steps) -> np.ndarray:
    return run.measures[name]
