"""The action values Q(s, a): one linear model per action over shared polynomial features of the state."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pmtwin.policies.linear_q.features import FeatureMap, feature_count, features_of
from pmtwin.policies.linear_q.sgd import SgdSettings, predict_all
from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import CheckFailedError, InputError

MAX_WEIGHT = 1e6
"""A larger weight has diverged: features are standardised and rewards scaled, so that useful weights are below 1000."""


@dataclass(frozen=True)
class ModelChoice:
    """The configuration that model selection chose for one action (a row of Table D.2)."""

    degree: int = 2
    sgd: SgdSettings = field(default_factory=SgdSettings)


@njit(cache=True)
def _greedy(state, columns, recurrence, terms, weights, intercepts, x, values):
    features_of(state, columns, recurrence, terms, x)
    predict_all(weights, intercepts, x, values)
    return values.argmax()


class LinearQ:
    """A linear model M_a over features of the state for each action; learning changes the weights in place.

    Args:
        feature_map: map from states to features, of the highest degree that any action uses.
        choices: degree and hyperparameters for each action.

    Attributes:
        weights: float64, shape (features, actions); zero for features beyond an action's degree.
        intercepts: float64, shape (actions,).
        counts: float64, shape (actions,), updates made plus 1 (`t_` of scikit-learn).
    """

    def __init__(self, feature_map: FeatureMap, choices: list[ModelChoice]):
        if max(choice.degree for choice in choices) > feature_map.degree:
            raise InputError("degree", max(choice.degree for choice in choices), f"at most {feature_map.degree}")
        self.feature_map, self.choices = feature_map, list(choices)
        columns, actions = len(feature_map.mean), len(choices)
        self.weights = np.zeros((feature_map.feature_count, actions))
        self.intercepts = np.zeros(actions)
        self.counts = np.ones(actions)
        self.features = np.array([feature_count(columns, choice.degree) for choice in choices])
        self.rows = np.array([choice.sgd.as_row() for choice in choices])
        self._map_arguments = feature_map.compiled_arguments()
        self._x = np.empty(feature_map.feature_count)
        self._values = np.empty(actions)

    @property
    def columns(self) -> int:
        """Length of a state."""
        return len(self.feature_map.mean)

    @property
    def actions(self) -> int:
        """Number of models."""
        return len(self.choices)

    def values(self, state: np.ndarray) -> np.ndarray:
        """Q(s, a) for all a: float64, shape (actions,); overwritten by the next call."""
        state = np.asarray(state, dtype=np.float64)
        features_of(state, *self._map_arguments, self._x)
        predict_all(self.weights, self.intercepts, self._x, self._values)
        return self._values

    def greedy(self, state: np.ndarray) -> int:
        """The action of the highest value; the first of equals."""
        state = np.asarray(state, dtype=np.float64)
        return _greedy(state, *self._map_arguments, self.weights, self.intercepts, self._x, self._values)

    def state(self) -> dict[str, np.ndarray]:
        """Copies of the arrays that learning changes."""
        return {name: getattr(self, name).copy() for name in ("weights", "intercepts", "counts")}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Copy the arrays of a `state()` back, in place.

        Raises:
            InputError: for an array of another shape.
        """
        for name in ("weights", "intercepts", "counts"):
            if np.shape(state[name]) != getattr(self, name).shape:
                raise InputError(name, f"shape {np.shape(state[name])}", f"shape {getattr(self, name).shape}")
            getattr(self, name)[...] = state[name]

    def to_dict(self) -> dict:
        """Features and action values as plain values: `FeatureMap.to_dict`, and each term with its weights."""
        values = self.feature_map.to_dict()
        for term, weights in zip(values["terms"], self.weights.tolist(), strict=True):
            term["weights"] = weights
        return values | {"intercepts": self.intercepts.tolist()}

    def check_finite(self, where: str) -> None:
        """Raise `CheckFailedError` if the weights have diverged; `where` completes "diverged ..." in the message."""
        largest = max(np.abs(self.weights).max(), np.abs(self.intercepts).max())
        if not largest <= MAX_WEIGHT:
            raise CheckFailedError(
                f"Q-learning diverged {where}: the largest weight is {largest:g} (limit {MAX_WEIGHT:g}); "
                "choose a smaller eta0, a lower degree or the reward transform 'log'"
            )
