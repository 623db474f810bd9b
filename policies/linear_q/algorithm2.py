"""Algorithm 2 of the thesis (appendix A): epsilon-greedy Q-learning with one linear model per action.

Where the thesis leaves a choice, it is a parameter here:

- *Learning rate* (0.7, Table D.3). Algorithm 2 lists alpha among its parameters and never uses it. Here it moves the
  value towards its target, as in the tabular rule: M_a is fitted to Q + 0.7 (r + gamma max Q' - Q). With 1 the line 21
  of the algorithm is had as printed. The step size of the gradient descent itself (`eta0`) is another number.
- *Exploration*. The text starts at epsilon 1, Table D.3 at 0.9; its decay of 0.1 is given no form. As a factor or as a
  difference per episode it would end exploration within 40 of 700 episodes, against the text ("fully explore at the
  beginning and exploit towards the end"). Here epsilon falls by the factor `epsilon_decay` over each
  `epsilon_decay_share` of a phase's episodes: 1, 0.1, 0.01, 0.001 at 0, 1/3, 2/3 and all of them.
- *Reward* (`rewards.py`): transformed by `log`, then multiplied by 1 - gamma, so that values stay within the range of
  the rewards whatever gamma is (for a constant reward r, Q = r).
- *Done*. The 200 steps of an episode are a limit of training, not of the system: by default the value behind the last
  step counts (`time_limit_is_terminal=False`); with True, line 24 is had as printed for it too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from pmtwin.policies.linear_q.features import features_of
from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.linear_q.rewards import check_transform, scaled_reward
from pmtwin.policies.linear_q.sgd import partial_fit, predict_all, predict_one
from pmtwin.sim.errors import check_range


@dataclass(frozen=True)
class QLearningParameters:
    """Table D.3, and what it leaves open.

    Args:
        gamma: discount of the next state's value.
        learning_rate: how far the target moves from the present value towards r + gamma max Q' (0 to 1).
        epsilon: share of random actions in the first episode.
        epsilon_decay: factor on epsilon per `epsilon_decay_share` of a phase's episodes.
        epsilon_decay_share: share of a phase's episodes over which epsilon falls by `epsilon_decay`.
        reward_transform, reward_unit: see `rewards.scaled_reward`.
        time_limit_is_terminal: whether the value behind the last step of an episode is taken as 0.
    """

    gamma: float = 0.95
    learning_rate: float = 0.7
    epsilon: float = 1.0
    epsilon_decay: float = 0.1
    epsilon_decay_share: float = 1.0 / 3.0
    reward_transform: str = "log"
    reward_unit: float = 1.0
    time_limit_is_terminal: bool = False

    def __post_init__(self):
        check_range("gamma", self.gamma, 0.0, 0.9999)
        check_range("learning_rate", self.learning_rate, 1e-6, 1.0)
        check_range("epsilon", self.epsilon, 0.0, 1.0)
        check_range("epsilon_decay", self.epsilon_decay, 1e-9, 1.0)
        check_range("epsilon_decay_share", self.epsilon_decay_share, 1e-3, 1e3)
        check_transform(self.reward_transform, self.reward_unit)

    def epsilon_at(self, episode: int, episodes: int) -> float:
        """Epsilon in episode `episode` (from 0) of the `episodes` of a phase."""
        return self.epsilon * self.epsilon_decay ** (episode / episodes / self.epsilon_decay_share)

    def target_reward(self, reward):
        """The reward as it enters the target: transformed, times 1 - gamma."""
        return (1.0 - self.gamma) * scaled_reward(reward, self.reward_transform, self.reward_unit)


@njit(cache=True)
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
    """The agent of Algorithm 2: follows one stream of states, learns in place, and says what is greedy now.

    Random numbers are the caller's: whether to explore and which random action is drawn outside.
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
        """Update M_action with what it led to; returns the greedy action in `next_state`, after the update."""
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
