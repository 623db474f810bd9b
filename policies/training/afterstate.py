"""Training of afterstate values: rounds of episodes, and after each a regression on all windows so far.

The first round plays random settings, later rounds play the policy of the model so far with some exploration: sampled
approximate policy iteration (Lagoudakis and Parr, "Least-squares policy iteration", JMLR 2003, with a network in the
place of the linear model). The value of a setting is the discounted mean payoff of the coming windows
(`drawn_episodes.payoff`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from pmtwin.policies.linear_q.features import CLIP
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.policies.network.regression import fit
from pmtwin.policies.training.drawn_episodes import Episodes, Practice, play
from pmtwin.policies.training.policy_training import Task, Trained
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.value.files import save_value
from pmtwin.policies.value.inputs import Inputs
from pmtwin.policies.value.model import AfterstateValue
from pmtwin.sim.files.checkpoint import Checkpoint

if TYPE_CHECKING:
    from pmtwin.policies.training.afterstate_options import AfterstateTraining

DISCOUNT, HORIZON = 0.5, 4
"""Discount factor of a window, and number of windows in a value: a good setting empties a queue within a few."""

UNITS = (48, 48)
SWEEPS, BATCH, STEP, PENALTY = 15, 128, 2e-3, 1e-2
"""Parameters of the regression: passes over the data, windows in a step, learning rate, weight penalty."""


def train_afterstate(
    task: Task,
    training: AfterstateTraining,
    checkpoint: Checkpoint | None = None,
    workers: int = 1,
    progress: Callable = quiet,
) -> Trained:
    """Train; the same arguments give the same bits with any number of workers and any interruptions."""
    practice, seed = Practice.of(task), task.seed
    rounds: list[Episodes] = []
    value: AfterstateValue | None = None
    resumed: list[str] = []
    for number in range(training.rounds):
        stage = f"round-{number + 1}"
        kept = checkpoint.load_arrays(stage) if checkpoint else None
        if kept is None:
            seeds = [np.random.SeedSequence(seed, spawn_key=(number, k)) for k in range(training.round_episodes)]
            title = f"training, round {number + 1} of {training.rounds}"
            played = play(practice, value, seeds, training.episode_windows, workers, progress, title)
            if checkpoint:
                checkpoint.save_arrays(stage, played._asdict())
        else:
            played = Episodes(**kept)
            resumed.append(stage)
        rounds.append(played)
        value = fitted(rounds, Inputs.of(practice.context), seed)
    attainment = {"attainment": {f"round_{k}": float(played.met.mean()) for k, played in enumerate(rounds, 1)}}
    return Trained(
        partial(save_value, value=cast("AfterstateValue", value)),
        attainment,
        {"plan": training.plan(task), **attainment},
        resumed=resumed,
    )


def fitted(rounds: list[Episodes], inputs: Inputs, seed: int) -> AfterstateValue:
    """The model fitted to the windows of all rounds by least squares; seed: of its initial weights and row orders."""
    signals = np.concatenate([_signals(played) for played in rounds])
    targets = np.concatenate([_returns(played.payoff).ravel() for played in rounds])
    logs = np.array([*inputs.logs[: inputs.window_size]] * 2 + [*inputs.logs[inputs.window_size :]])
    values = np.where(logs, np.log2(1.0 + np.maximum(signals, 0.0)), signals)
    means, scales = values.mean(axis=0), values.std(axis=0)
    scales = np.where(scales > 1e-9, scales, 1.0)
    scaling = np.array([logs.astype(float), means, scales])
    scaled = np.clip((values - means) / scales, -CLIP, CLIP)
    layers = fit(scaled, targets, UNITS, "relu", SWEEPS, BATCH, STEP, PENALTY, seed % 2**32)
    return AfterstateValue(inputs, Perceptron.of(layers, scaling))


def _signals(played: Episodes) -> np.ndarray:
    """The model's inputs before each window: shape (episodes * n, inputs)."""
    last = played.windows[:, :-1]
    previous = np.concatenate([last[:, :1], last[:, :-1]], axis=1)
    rows = np.concatenate([last, previous, played.settings], axis=2)
    return rows.reshape(-1, rows.shape[-1])


def _returns(payoff: np.ndarray) -> np.ndarray:
    """Discounted mean payoff from each window up to the horizon, or to the end of the episode: shape (e, n)."""
    total, weight = np.zeros(payoff.shape), np.zeros(payoff.shape)
    for offset in range(HORIZON):
        discount = DISCOUNT**offset
        total[:, : payoff.shape[1] - offset] += discount * payoff[:, offset:]
        weight[:, : payoff.shape[1] - offset] += discount
    return total / weight
