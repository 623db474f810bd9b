"""Algorithm 2 of the thesis (appendix A): epsilon-greedy Q-learning with one linear model per action.

Where the thesis leaves a choice, it is a parameter (`parameters.py`).
"""

from __future__ import annotations

import numpy as np

from pmtwin.policies.linear_q.features import features_of
from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.linear_q.parameters import QLearningParameters
from pmtwin.policies.linear_q.sgd import partial_fit, predict_all, predict_one
from pmtwin.sim.compiling import njit


@njit(cache=True, inner=True)
def _learn(weights, intercepts, counts, rows, features, x, action, reward, gamma, learning_rate, next_values, terminal):
    """Lines 17 to 26 of Algorithm 2: one update of M_action; returns the temporal-difference error."""
    value = predict_one(weights, intercepts, action, x, features[action])
    target = reward
    if not terminal:
        target += gamma * next_values.max()
    partial_fit(weights, intercepts, counts, rows, features, action, x, value + learning_rate * (target - value))
    return target - value


@njit(cache=True)
def _begin(state, columns, recurrence, terms, weights, intercepts, x, values):
    features_of(state, columns, recurrence, terms, x)
    predict_all(weights, intercepts, x, values)


@njit(cache=True)
def _step(
    state,
    columns,
    recurrence,
    terms,
    weights,
    intercepts,
    counts,
    rows,
    features,
    x,
    values,
    action,
    reward,
    gamma,
    learning_rate,
    terminal,
):
    """Features and values of the new state, the update, and the values of the new state after the update."""
    next_x = np.empty_like(x)
    features_of(state, columns, recurrence, terms, next_x)
    predict_all(weights, intercepts, next_x, values)
    error = _learn(
        weights, intercepts, counts, rows, features, x, action, reward, gamma, learning_rate, values, terminal
    )
    values[action] = predict_one(weights, intercepts, action, next_x, features[action])
    x[:] = next_x
    return values.argmax(), error


class QLearner:
    """The agent of Algorithm 2: follows one stream of states, updates the model in place, returns greedy actions.

    Exploration is the caller's: it decides when to explore, and draws the random action.
    """

    def __init__(self, model: LinearQ, parameters: QLearningParameters):
        self.model, self.parameters = model, parameters
        self._arrays = (model.weights, model.intercepts, model.counts, model.rows, model.features)
        self._map_arguments = model.feature_map.compiled_arguments()
        self._x, self._values = np.empty(model.feature_map.feature_count), np.empty(len(model.choices))

    def begin(self, state: np.ndarray) -> int:
        """Start an episode at `state`; returns the greedy action."""
        state = np.asarray(state, dtype=np.float64)
        weights, intercepts = self._arrays[:2]
        _begin(state, *self._map_arguments, weights, intercepts, self._x, self._values)
        return int(self._values.argmax())

    def learn(self, action: int, reward: float, next_state: np.ndarray, terminal: bool) -> int:
        """Update M_action with its outcome; returns the greedy action in `next_state`, after the update."""
        p = self.parameters
        greedy, self.last_error = _step(
            np.asarray(next_state, dtype=np.float64),
            *self._map_arguments,
            *self._arrays,
            self._x,
            self._values,
            action,
            p.target_reward(float(reward)),
            p.gamma,
            p.learning_rate,
            terminal,
        )
        return greedy
