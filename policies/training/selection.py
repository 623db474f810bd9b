"""Model selection: the grid of Table D.1, cross-validated for each action with scikit-learn (Table D.2 as run).

Each action has a sub-dataset with its transitions. Models are fitted to the scaled reward, which is the first iterate
of the action value and needs no model of the future. Two shortcuts save time:

- features are computed once, with the scaler fitted to the states of all actions;
- `max_iter` only cuts a fit off: all values beyond the epochs that a fit needs give the same model, so that larger ones
  are not tried after a fit that has converged, nor after a fit, cut off, with R2 below 0 on its own data.

Choice: among the configurations whose learning rate the online stage allows (`TrainingPlan.online_learning_rates`),
those with a mean score within one standard error of the best (Breiman's rule); of these the smallest degree, then the
best score. The table also has the best score of all configurations tried.

With `TrainingPlan.tried` "halving" part of the data suffices to drop most configurations (`halving.py`).
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.linear_q.features import FeatureMap, feature_count
from pmtwin.policies.linear_q.model import ModelChoice
from pmtwin.policies.linear_q.sgd import SgdSettings
from pmtwin.policies.training import seeds
from pmtwin.policies.training.halving import survivors
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.transitions import Transitions
from pmtwin.sim.common.processes import processes
from pmtwin.sim.errors import CheckFailedError, InputError

DIVERGED_R2 = -1e6
"""A fit with R2 below this has diverged, even if its weights have not overflowed."""


@dataclass(frozen=True)
class Configuration:
    """A configuration of the grid, without `max_iter`."""

    degree: int
    sgd: SgdSettings


@dataclass(frozen=True)
class ActionSelection:
    """A row of Table D.2 as run.

    Args:
        action: number of the action, from 0.
        choice: the chosen configuration.
        max_iter: smallest value of the grid with which the chosen fits end as with larger ones.
        cv_score, cv_error: mean R2 over the folds, and its standard error.
        best_score: best mean R2 of all configurations tried, including those that may not be chosen.
        test_score: R2 on the test part, of the model fitted to the training part.
        samples: number of transitions of the sub-dataset.
        tried: number of configurations tried.
        diverged: number of configurations with a diverged fit, among those that saw all rows.
    """

    action: int
    choice: ModelChoice
    max_iter: int
    cv_score: float
    cv_error: float
    best_score: float
    test_score: float
    samples: int
    tried: int
    diverged: int

    def to_dict(self) -> dict:
        """The row as JSON values, with the names of Table D.2; a test score of -inf (overflow) becomes None."""
        sgd = self.choice.sgd
        return {
            "action": self.action,
            "degree": self.choice.degree,
            "learning_rate": sgd.learning_rate,
            "loss": sgd.loss,
            "alpha": sgd.alpha,
            "penalty": sgd.penalty,
            "max_iter": self.max_iter,
            "eta0": sgd.eta0,
            "cv_r2": self.cv_score,
            "cv_r2_standard_error": self.cv_error,
            "best_cv_r2_of_all": self.best_score,
            "test_r2": self.test_score if math.isfinite(self.test_score) else None,
            "samples": self.samples,
            "configurations_tried": self.tried,
            "configurations_diverged": self.diverged,
        }

    @classmethod
    def from_dict(cls, row: dict) -> ActionSelection:
        """The row that `to_dict` wrote."""
        names = ("learning_rate", "loss", "alpha", "penalty", "eta0")
        choice = ModelChoice(row["degree"], SgdSettings(**{name: row[name] for name in names}))
        tried, diverged = row["configurations_tried"], row["configurations_diverged"]
        test_score = -math.inf if row["test_r2"] is None else row["test_r2"]
        scores = row["cv_r2"], row["cv_r2_standard_error"], row["best_cv_r2_of_all"], test_score
        return cls(row["action"], choice, row["max_iter"], *scores, row["samples"], tried, diverged)


def configurations(plan: TrainingPlan) -> list[Configuration]:
    """The configurations to try, in the order of the grid.

    All of the grid, or a share drawn at random. That share always includes scikit-learn's defaults at each degree, if
    the grid has them, since these are known to converge. Unless the plan tries the whole grid, only eligible ones stay.
    """
    grid = plan.grid
    names = ("degree", "alpha", "penalty", "loss", "learning_rate")
    points = [
        Configuration(degree, SgdSettings(loss, penalty, alpha, learning_rate, eta0=plan.eta0))
        for degree, alpha, penalty, loss, learning_rate in itertools.product(*(grid[name] for name in names))
    ]
    if plan.grid_share < 1.0:
        drawn = seeds.generator(plan.seed, seeds.GRID).permutation(len(points))[: round(plan.grid_share * len(points))]
        default = SgdSettings(eta0=plan.eta0)
        points = [point for index, point in enumerate(points) if index in drawn or point.sgd == default]
    return points if plan.tried == "grid" else [point for point in points if _is_eligible(point, plan)]


def _is_eligible(point: Configuration, plan: TrainingPlan) -> bool:
    """Whether the configuration may be chosen."""
    return point.sgd.learning_rate in plan.online_learning_rates


def select_models(
    data: Transitions,
    feature_map: FeatureMap,
    plan: TrainingPlan,
    actions: int,
    workers: int = 1,
    progress: Callable = quiet,
    done: Sequence[ActionSelection] = (),
    save: Callable[[list[ActionSelection]], None] = lambda rows: None,
) -> list[ActionSelection]:
    """Cross-validate the grid for each action.

    Args:
        data: transitions of all actions.
        feature_map: feature map of the highest degree.
        actions: number of actions.
        done: finished rows of the first actions.
        save: called after each action with all rows so far.

    Raises:
        InputError: if an action has too few transitions for the folds.
        CheckFailedError: if every configuration of an action diverged.
    """
    from joblib import delayed

    y = plan.q.target_reward(data.reward) / (1.0 - plan.q.gamma)
    for action in range(actions):
        count = int(np.sum(data.action == action))
        if count * (1.0 - plan.test_share) < 2 * plan.folds:
            raise InputError(
                "dataset_episodes", plan.dataset_episodes, f"more: action {action} has {count} transitions"
            )
    rows = list(done)
    jobs = (
        delayed(_select)(data.state[data.action == a], y[data.action == a], feature_map, plan, a)
        for a in range(len(rows), actions)
    )
    results = processes(workers, "generator")(jobs)
    for row in progress(results, desc="model selection", initial=len(rows), total=actions, unit="action"):
        rows.append(row)
        save(rows)
    return rows


def _select(
    state: np.ndarray, y: np.ndarray, feature_map: FeatureMap, plan: TrainingPlan, action: int
) -> ActionSelection:
    """The best configuration of one action, by R2 over the folds of the training part.

    Args:
        state, y: states and targets of the action's transitions, shapes (m, columns) and (m,). Features, which are
            twenty times as large, are computed in this process, for this action only.
    """
    x, columns = feature_map.transform(state), state.shape[1]
    random = seeds.generator(plan.seed, seeds.SPLIT, action)
    order = random.permutation(len(y))
    kept_aside = round(plan.test_share * len(y))
    test, train = order[:kept_aside], order[kept_aside:]
    folds = np.array_split(train, plan.folds)
    fit_seed = seeds.reset_seed(random)
    tried = configurations(plan)
    max_iters, finalists = sorted(plan.grid["max_iter"]), tried
    if plan.tried == "halving":
        finalists = survivors(
            tried, folds, lambda point, part: _cross_validate(x, y, part, point, max_iters[:1], columns, fit_seed)
        )
    scored = [_cross_validate(x, y, folds, point, max_iters, columns, fit_seed) for point in finalists]
    finite = [(point, *score) for point, score in zip(finalists, scored, strict=True) if score is not None]
    eligible = [row for row in finite if _is_eligible(row[0], plan)]
    if not eligible:
        allowed = " or ".join(plan.online_learning_rates)
        raise CheckFailedError(f"model selection: no configuration of action {action} with {allowed} converged")
    chosen, mean, error, max_iter = _within_one_standard_error(eligible)
    features = feature_count(columns, chosen.degree)
    model, _ = fit(x[train, :features], y[train], chosen.sgd, [max_iter], fit_seed)
    return ActionSelection(
        action=action,
        choice=ModelChoice(chosen.degree, chosen.sgd),
        max_iter=max_iter,
        cv_score=mean,
        cv_error=error,
        best_score=max(row[1] for row in finite),
        test_score=r2(y[test], model.predict(x[test, :features])) if model is not None else -math.inf,
        samples=len(y),
        tried=len(tried),
        diverged=len(finalists) - len(finite),
    )


def _within_one_standard_error(scored: list[tuple]) -> tuple:
    """The row chosen by Breiman's rule; rows are (configuration, mean, standard error, max_iter)."""
    _, best, error, _ = max(scored, key=lambda row: row[1])
    candidates = [row for row in scored if row[1] >= best - error]
    return min(candidates, key=lambda row: (row[0].degree, -row[1]))


def _cross_validate(
    x: np.ndarray,
    y: np.ndarray,
    folds: Sequence[np.ndarray],
    point: Configuration,
    max_iters: Sequence[int],
    columns: int,
    fit_seed: int,
):
    """(mean R2 over the folds, its standard error, largest `max_iter` used); None if a fit diverged."""
    features = feature_count(columns, point.degree)
    scores, largest = [], 0
    for k, held_out in enumerate(folds):
        training = np.concatenate([fold for j, fold in enumerate(folds) if j != k])
        model, max_iter = fit(x[training, :features], y[training], point.sgd, max_iters, fit_seed)
        if model is None:
            return None
        scores.append(r2(y[held_out], model.predict(x[held_out, :features])))
        if scores[-1] < DIVERGED_R2:
            return None
        largest = max(largest, max_iter)
    return float(np.mean(scores)), float(np.std(scores, ddof=1) / np.sqrt(len(scores))), largest


def fit(x: np.ndarray, y: np.ndarray, sgd: SgdSettings, max_iters: Sequence[int], seed: int):
    """Fit an `SGDRegressor` with increasing `max_iter`.

    Returns:
        (model, its `max_iter`) of the first fit that converges, or that is cut off with R2 below 0 on its own data;
        otherwise of the largest `max_iter`. (None, 0) if the fit diverged.
    """
    from sklearn.linear_model import SGDRegressor

    for max_iter in sorted(max_iters):
        model = SGDRegressor(**sgd.sklearn_arguments(), max_iter=max_iter, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fits that max_iter cuts off, as Table D.1 intends
            try:
                model.fit(x, y)
            except ValueError:  # "Floating-point under-/overflow occurred"
                return None, 0
        if model.n_iter_ < max_iter or r2(y, model.predict(x)) < 0.0:
            break
    return model, max_iter


def r2(y: np.ndarray, predicted: np.ndarray) -> float:
    """Coefficient of determination; -inf if a prediction is not finite or all targets are equal."""
    residual = np.sum((y - predicted) ** 2)
    total = np.sum((y - y.mean()) ** 2)
    return float(1.0 - residual / total) if np.isfinite(residual) and total > 0 else -math.inf
