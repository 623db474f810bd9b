"""Construction of the parts of a deep Q-network's training from its options."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.deep_q import DeepQ
from pmtwin.policies.network.heads import CategoricalHead, Head, LinearHead
from pmtwin.policies.network.layers import Layers
from pmtwin.policies.network.optimisers import OPTIMISERS
from pmtwin.policies.network.replay import Replay, Ring, transition_type
from pmtwin.policies.network.replay_file import ReplayFile
from pmtwin.policies.network.target_copy import TargetCopy
from pmtwin.policies.training.numbered_episodes import agents_view
from pmtwin.policies.training.policy_training import Task

if TYPE_CHECKING:
    from pmtwin.policies.training.dqn_options import DqnTraining

WARM, TIMED = 5, 50
"""Number of steps before the measurement, and in it."""


def new_replay(training: DqnTraining, columns: int) -> Replay:
    """An empty replay in memory, or the replay in the file of the options; columns: length of an observation."""
    row = transition_type(columns)
    if training.replay_file is None:
        return Ring(row, training.replay_windows)
    return ReplayFile(training.replay_file, row, training.replay_windows)


def new_learner(
    training: DqnTraining,
    actions: int,
    replay: Replay,
    returns: Sequence[float] | np.ndarray,
    weights: np.random.Generator,
    minibatches: np.random.Generator,
) -> DeepQ:
    """A network with random weights.

    Args:
        actions: number of actions.
        replay: replay, whose rows have the form of the observations.
        returns: smallest and largest return, for a categorical head.
        weights, minibatches: random generators of the initial weights and of the minibatches.
    """
    head: Head = LinearHead(actions)
    if training.head == "categorical":
        head = CategoricalHead(actions, Atoms(training.atoms, *map(float, returns)))
    (columns,) = replay.row["state"].shape
    layers = Layers.drawn((columns, *training.units, head.outputs), training.activation, weights)
    return DeepQ(
        layers,
        head,
        OPTIMISERS[training.optimiser](layers.parameters, training.step_size),
        TargetCopy(layers.parameters, training.target_share, training.target_every),
        replay,
        minibatches,
        batch=training.minibatch,
        double=not training.single_q,
        norm=training.norm,
    )


def range_of_returns(rewards: Sequence[np.ndarray], discount: float) -> tuple[float, float]:
    """(smallest return in the episodes, return of earning the best reward for ever).

    Args:
        rewards: rewards of each episode; the last reward is assumed to continue.
        discount: discount factor of a window.
    """
    least = np.inf
    for episode in rewards:
        future = episode[-1] / (1.0 - discount)
        for reward in reversed(episode):
            future = reward + discount * future
            least = min(least, future)
    most = max(float(episode.max()) for episode in rewards) / (1.0 - discount)
    return float(least), most if most > least else float(least) + 1.0


def step_seconds(task: Task, training: DqnTraining) -> float:
    """Mean time of an optimiser step on this machine, in seconds."""
    interface, _ = agents_view(task.context, training.seen_windows)
    random, replay = np.random.default_rng(0), Ring(transition_type(interface.observation_size(task.context)), 1000)
    learner = new_learner(training, task.context.action_count, replay, (0.0, 1.0), random, random)
    replay.add(np.zeros(1000, dtype=replay.row))
    for step in range(WARM + TIMED):
        if step == WARM:
            began = time.perf_counter()
        learner.learn()
    return (time.perf_counter() - began) / TIMED
