"""First weights of the action values from the random agent's data, before the online stage (thesis section 3.4.3).

The thesis does not state the target of the fit. The default is the immediate reward, since the future of a random agent
says little about that of a good one. `fitted-q` iterates r + gamma max Q' over the stored transitions (Ernst et al.
2005, with linear models and one epoch of gradient descent per sweep).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pmtwin.policies.linear_q.features import features_of
from pmtwin.policies.linear_q.model import LinearQ
from pmtwin.policies.linear_q.sgd import partial_fit
from pmtwin.policies.training import seeds
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.transitions import Transitions
from pmtwin.sim.compiling import njit


@njit(cache=True)
def _epoch(model_arrays, map_arrays, states, actions, targets, order):
    """A pass over the data. Features are computed for one state at a time: those of all states would take gigabytes."""
    weights, intercepts, counts, rows, features = model_arrays
    columns, recurrence, terms = map_arrays
    x = np.empty(terms.shape[1])
    for k in order:
        features_of(states[k], columns, recurrence, terms, x)
        partial_fit(weights, intercepts, counts, rows, features, actions[k], x, targets[k])


def bootstrap(model: LinearQ, data: Transitions, plan: TrainingPlan, progress: Callable = quiet) -> None:
    """Fit the models in place, in `plan.sweeps` passes over the data, each in a random order.

    Raises:
        CheckFailedError: if the weights diverge.
    """
    reward = plan.q.target_reward(data.reward)
    discount = np.where(data.terminated, 0.0, plan.q.gamma)
    order = seeds.generator(plan.seed, seeds.SWEEPS)
    fixed = _fixed_targets(data, reward, plan)
    model_arrays = (model.weights, model.intercepts, model.counts, model.rows, model.features)
    map_arrays = model.feature_map.compiled_arguments()
    states = np.ascontiguousarray(data.state)
    for sweep in progress(range(plan.sweeps), desc="bootstrap", total=plan.sweeps, unit="sweep"):
        targets = fixed
        if plan.target == "fitted-q" and sweep > 0:
            next_x = model.feature_map.transform(data.next_state)
            targets = reward + discount * (next_x @ model.weights + model.intercepts).max(axis=1)
        _epoch(model_arrays, map_arrays, states, data.action, targets, order.permutation(len(data)))
        model.check_finite(f"in sweep {sweep + 1} over the data set")


def _fixed_targets(data: Transitions, reward: np.ndarray, plan: TrainingPlan) -> np.ndarray:
    """Targets without a model: the discounted return, or else the value of earning the same reward for ever."""
    if plan.target != "return":
        return reward / (1.0 - plan.q.gamma)
    returns = np.empty(len(reward))
    future, next_episode = 0.0, None
    for k in range(len(reward) - 1, -1, -1):
        episode = (data.context[k], data.episode[k])
        if episode != next_episode:
            # the rewards after a truncated episode are unknown: the last reward is assumed to continue
            future = 0.0 if data.terminated[k] else reward[k] / (1.0 - plan.q.gamma)
        returns[k] = future = reward[k] + plan.q.gamma * future
        next_episode = episode
    return returns
