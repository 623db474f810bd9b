"""A whole training run: data set, model selection, bootstrap, Algorithm 2. Stages resume from a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.linear_q.features import FeatureMap
from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.training.bootstrap import bootstrap
from pmtwin.policies.training.online import OnlineTraining
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.selection import ActionSelection, select_models
from pmtwin.policies.training.transitions import Transitions, gather
from pmtwin.sim.files.checkpoint import Checkpoint


@dataclass
class TrainingResult:
    """Result of a training run.

    Args:
        plan: plan of the run.
        model: trained action values.
        selection: rows of Table D.2 as run.
        online: the finished online stage, with its history.
        resumed: stages that were found in the checkpoint, complete or in part.
        seconds: wall-clock time of each stage in this process; `online` excludes `trials`.
    """

    plan: TrainingPlan
    model: LinearQ
    selection: list[ActionSelection]
    online: OnlineTraining
    resumed: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)


def train(
    make_env: Callable,
    plan: TrainingPlan,
    checkpoint: Checkpoint | None = None,
    workers: int = 1,
    progress: Callable = quiet,
) -> TrainingResult:
    """Run the plan; the same plan and environment give the same weights, bit for bit, with any interruptions.

    Args:
        make_env: returns an environment with Gymnasium's API; sent to other processes if there are several workers.
            `reset(seed=, options={"context": k})` must not depend on earlier episodes. Trials also call
            `set_context(k)`, which continues in another context without a reset.
        plan: the plan.
        checkpoint: stores finished stages; None: nothing is stored.
        workers: number of processes for data set, model selection, actors and trials; the result does not depend on it.
        progress: wraps iterables, as `tqdm` does.

    Raises:
        CheckFailedError: if model selection or learning diverges.
        InputError: if the data set is too small for the folds, or a checkpoint is damaged.
    """
    actions, stages = _action_count(make_env), _Stages(checkpoint)
    with stages.timed("dataset"):
        data = stages.dataset(lambda: gather(make_env, plan, workers, progress))
    with stages.timed("selection"):
        feature_map = FeatureMap.fit(data.state, max(plan.grid["degree"]), plan.problem.log_columns)
        selection = stages.selection(
            actions,
            lambda done, save: select_models(data, feature_map, plan, actions, workers, progress, done, save),
        )
    model = LinearQ(feature_map, [row.choice for row in selection])
    online = OnlineTraining(model, plan)
    with stages.timed("bootstrap"):
        if not stages.resume(online):
            bootstrap(model, data, plan, progress)
    with stages.timed("online"):
        online.run(make_env, stages.save, progress, workers)
    stages.seconds["trials"] = online.trial_seconds
    stages.seconds["online"] -= online.trial_seconds
    return TrainingResult(plan, model, selection, online, stages.resumed, stages.seconds)


def _action_count(make_env: Callable) -> int:
    """Number of actions.

    Raises:
        InputError: unless they are numbered from 0.
    """
    with closing(make_env()) as env:
        return PolicyContext("the scenario", action_space=env.action_space).action_count


class _Stages:
    """Stages of a run, which are read from the checkpoint if it has them, and timed."""

    def __init__(self, checkpoint: Checkpoint | None):
        self.checkpoint = checkpoint
        self.resumed: list[str] = []
        self.seconds: dict[str, float] = {}

    def timed(self, stage: str):
        return _Timer(self.seconds, stage)

    def dataset(self, make: Callable[[], Transitions]) -> Transitions:
        arrays = self._resumed("dataset", Checkpoint.load_arrays)
        if arrays is not None:
            return Transitions(**arrays)
        data = make()
        if self.checkpoint is not None:
            self.checkpoint.save_arrays("dataset", data.to_dict())
        return data

    def selection(self, actions: int, make: Callable) -> list[ActionSelection]:
        """Rows of all actions; make: (rows of the first actions, function that saves all rows so far) -> all rows."""
        rows = [ActionSelection.from_dict(row) for row in self._resumed("selection", Checkpoint.load_json) or ()]
        return rows if len(rows) == actions else make(rows, self._save_selection)

    def _save_selection(self, rows: list[ActionSelection]) -> None:
        if self.checkpoint is not None:
            self.checkpoint.save_json("selection", [row.to_dict() for row in rows])

    def resume(self, online: OnlineTraining) -> bool:
        state = self._resumed("online", Checkpoint.load_arrays)
        if state is not None:
            online.restore(state)
        return state is not None

    def save(self, state: dict) -> None:
        if self.checkpoint is not None:
            self.checkpoint.save_arrays("online", state)

    def _resumed(self, stage: str, load: Callable):
        value = None if self.checkpoint is None else load(self.checkpoint, stage)
        if value is not None:
            self.resumed.append(stage)
        return value


class _Timer:
    """Context manager that adds the wall-clock seconds of its block to a table."""

    def __init__(self, table: dict[str, float], name: str):
        self.table, self.name = table, name

    def __enter__(self):
        self.began = time.perf_counter()

    def __exit__(self, *_):
        self.table[self.name] = self.table.get(self.name, 0.0) + time.perf_counter() - self.began
