"""Model selection: the grid of Table D.1, cross-validated for each action (Table D.2 as run).

One sub-dataset per action holds the transitions of that action. Its models are fitted to the scaled reward, which is
the first iterate of the action value and needs no model of what follows. The fits are those of scikit-learn's
`SGDRegressor`, bit for bit, made side by side (`linear_q.sgd_fit`). Two savings change no result:

- features of each degree are computed once, with the scaler fitted to the states of all actions;
- `max_iter` only cuts a fit off, so that all values beyond the epochs at which a fit has converged give the same model;
  larger ones are not tried for a fit that, cut off, explains less of its own data than the mean does.

The choice: among the configurations whose learning rate the online stage allows (`TrainingPlan.online_learning_rates`),
those whose mean score is within one standard error of the best (Breiman's rule); of them the smallest degree, then the
best score. The best score of all configurations is kept beside it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.linear_q.features import FeatureMap, feature_count
from pmtwin.policies.linear_q.model import ModelChoice
from pmtwin.policies.linear_q.sgd import SgdSettings
from pmtwin.policies.linear_q.sgd_fit import Fit, fit_side_by_side
from pmtwin.policies.training import seeds
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.transitions import Transitions
from pmtwin.sim.errors import CheckFailedError, InputError

DIVERGED_R2 = -1e6
"""A fit that explains less than this has diverged (the mean explains 0), whether or not its weights overflowed."""


@dataclass(frozen=True)
class Configuration:
    """A point of the grid without `max_iter`."""

    degree: int
    sgd: SgdSettings


@dataclass(frozen=True)
class ActionSelection:
    """A row of Table D.2 as run.

    Args:
        action: number of the action, from 0.
        choice: the chosen configuration.
        max_iter: smallest value of the grid that gives the chosen fit.
        cv_score, cv_error: mean R2 over the folds, and its standard error.
        best_score: the best mean R2 of what was tried; with the whole grid also of those that may not be chosen.
        test_score: R2 on the part kept aside, of the model fitted to all the rest.
        samples: transitions of the sub-dataset.
        tried, diverged: configurations tried, and those of which a fit diverged.
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
        """As a row of JSON, with the names of Table D.2; None for the score of a model that overflowed, -inf."""
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
    """The points of the grid that are tried, in its order: all, or a share drawn at random.

    Of these only the eligible ones, unless the plan tries the whole grid.

    scikit-learn's own defaults at each degree are always among them if the grid has them, so that a small share still
    has a configuration that is known to converge.
    """
    grid = plan.grid
    names = ("degree", "alpha", "penalty", "loss", "learning_rate")
    every = [
        Configuration(degree, SgdSettings(loss, penalty, alpha, learning_rate, eta0=plan.eta0))
        for degree, alpha, penalty, loss, learning_rate in itertools.product(*(grid[name] for name in names))
    ]
    if plan.grid_share < 1.0:
        drawn = seeds.generator(plan.seed, seeds.GRID).permutation(len(every))[: round(plan.grid_share * len(every))]
        default = SgdSettings(eta0=plan.eta0)
        every = [point for index, point in enumerate(every) if index in drawn or point.sgd == default]
    return every if plan.tried == "grid" else [point for point in every if _is_eligible(point, plan)]


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
) -> list[ActionSelection]:
    """Cross-validate the grid for each action.

    Raises:
        InputError: if an action has too few transitions for the folds.
        CheckFailedError: if every configuration of an action diverged.
    """
    from joblib import Parallel, delayed

    parts = [_part_of(data, action, plan) for action in range(actions)]
    parts = [_part_of(data, action, plan) for action in range(actions)]
    jobs = (delayed(_scores)(part, fold, feature_map, plan) for part in parts for fold in range(plan.folds))
    scores = list(
        progress(
            Parallel(n_jobs=workers, return_as="generator")(jobs), desc="model selection", total=actions * plan.folds
        )
    )
    return [
        _chosen(action, part, scores[action * plan.folds : (action + 1) * plan.folds], feature_map, plan)
        for action, part in enumerate(parts)
    ]


@dataclass(frozen=True)
class _Part:
    """The sub-dataset of an action, and how it is split.

    Args:
        state: float64, shape (rows, columns of the state).
        target: float64, shape (rows,): the scaled reward.
        test: int64: the rows that are kept aside.
        folds: int64 each: the other rows.
        fit_seed: of the order of samples in all fits.
    """

    state: np.ndarray
    target: np.ndarray
    test: np.ndarray
    folds: list[np.ndarray]
    fit_seed: int


def _part_of(data: Transitions, action: int, plan: TrainingPlan) -> _Part:
    """Raises `InputError` if the action has too few transitions for the folds."""
    rows = data.action == action
    count = int(rows.sum())
    if count * (1.0 - plan.test_share) < 2 * plan.folds:
        raise InputError("dataset_episodes", plan.dataset_episodes, f"more: action {action} has {count} transitions")
    random = seeds.generator(plan.seed, seeds.SPLIT, action)
    order = random.permutation(count)
    kept_aside = round(plan.test_share * count)
    return _Part(
        state=data.state[rows],
        target=plan.q.target_reward(data.reward[rows]) / (1.0 - plan.q.gamma),
        test=order[:kept_aside],
        folds=np.array_split(order[kept_aside:], plan.folds),
        fit_seed=seeds.reset_seed(random),
    )


def _scores(part: _Part, fold: int, feature_map: FeatureMap, plan: TrainingPlan) -> list[tuple[float, int] | None]:
    """(R2 on one fold of a fit to the others, `max_iter` that suffices) of each configuration; None if it diverged."""
    x, y = feature_map.transform(part.state), part.target
    held_out = part.folds[fold]
    rest = np.concatenate([rows for k, rows in enumerate(part.folds) if k != fold])
    tried = configurations(plan)
    scores: list[tuple[float, int] | None] = [None] * len(tried)
    for degree in sorted({point.degree for point in tried}):
        features = feature_count(part.state.shape[1], degree)
        numbers = [k for k, point in enumerate(tried) if point.degree == degree]
        settings = [tried[k].sgd for k in numbers]
        fits = fit_models(x[rest, :features], y[rest], settings, plan.grid["max_iter"], part.fit_seed)
        for number, fit in zip(numbers, fits, strict=True):
            score = -math.inf if fit is None else r2(y[held_out], fit.predict(x[held_out, :features]))
            scores[number] = None if score < DIVERGED_R2 else (score, fit.max_iter)
    return scores


def _chosen(action: int, part: _Part, folds: list[list], feature_map: FeatureMap, plan: TrainingPlan):
    """The best configuration of one action, as an `ActionSelection`, by what `_scores` found on each fold."""
    tried = configurations(plan)
    by_point = zip(tried, zip(*folds, strict=True), strict=True)
    finite = [(point, *_summary(found)) for point, found in by_point if None not in found]
    eligible = [row for row in finite if _is_eligible(row[0], plan)]
    if not eligible:
        allowed = " or ".join(plan.online_learning_rates)
        raise CheckFailedError(f"model selection: no configuration of action {action} with {allowed} converged")
    chosen, mean, error, max_iter = _within_one_standard_error(eligible)
    train, y = np.concatenate(part.folds), part.target
    x = feature_map.transform(part.state)[:, : feature_count(part.state.shape[1], chosen.degree)]
    (fit,) = fit_models(x[train], y[train], [chosen.sgd], [max_iter], part.fit_seed)
    return ActionSelection(
        action=action,
        choice=ModelChoice(chosen.degree, chosen.sgd),
        max_iter=max_iter,
        cv_score=mean,
        cv_error=error,
        best_score=max(row[1] for row in finite),
        test_score=-math.inf if fit is None else r2(y[part.test], fit.predict(x[part.test])),
        samples=len(y),
        tried=len(tried),
        diverged=len(tried) - len(finite),
    )


def _summary(found: tuple[tuple[float, int], ...]) -> tuple[float, float, int]:
    """(mean R2, its standard error, `max_iter` that suffices) over the folds."""
    scores = [score for score, _ in found]
    error = np.std(scores, ddof=1) / np.sqrt(len(scores))
    return float(np.mean(scores)), float(error), max(max_iter for _, max_iter in found)


def _within_one_standard_error(scored: list[tuple]) -> tuple:
    """The choice by the rule at the top of the file; rows are (configuration, mean, standard error, max_iter)."""
    _, best, error, _ = max(scored, key=lambda row: row[1])
    near = [row for row in scored if row[1] >= best - error]
    return min(near, key=lambda row: (row[0].degree, -row[1]))


def fit_models(
    x: np.ndarray, y: np.ndarray, settings: list[SgdSettings], max_iters: tuple[int, ...], seed: int
) -> list[Fit | None]:
    """Fits that go on to a larger `max_iter` unless they converge, or explain less than the mean; None: diverged."""
    return fit_side_by_side(x, y, settings, max_iters, seed, lambda fit: r2(y, fit.predict(x)) >= 0.0)


def r2(y: np.ndarray, predicted: np.ndarray) -> float:
    """Coefficient of determination; -inf if a prediction is not finite."""
    residual = np.sum((y - predicted) ** 2)
    total = np.sum((y - y.mean()) ** 2)
    return float(1.0 - residual / total) if np.isfinite(residual) and total > 0 else -math.inf
