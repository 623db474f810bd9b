"""Training of afterstate values: rounds of episodes, and after each a regression on all windows so far.

The first round plays random settings, every other round the policy of the model so far with some exploration: sampled
approximate policy iteration (Lagoudakis and Parr, "Least-squares policy iteration", JMLR 2003, with a network in the
place of the linear model). The value of a setting is what the coming
windows are worth (`drawn_episodes.payoff`), discounted.
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
"""Windows that count, and how much less each than the one before it: a queue of a good setting is gone in a few."""

UNITS = (48, 48)
SWEEPS, BATCH, STEP, PENALTY = 15, 128, 2e-3, 1e-2
"""Of the regression: passes over the data, windows and size of a step, weight decay."""


def train_afterstate(
    task: Task,
    training: AfterstateTraining,
    checkpoint: Checkpoint | None = None,
    workers: int = 1,
    progress: Callable = quiet,
) -> Trained:
    """Train; the same arguments give the same bits on any number of workers, whatever interrupts it."""
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
    shares = {f"round_{number}": float(played.met.mean()) for number, played in enumerate(rounds, 1)}
    shown = {"attainment": shares}
    return Trained(
        partial(save_value, value=cast("AfterstateValue", value)),
        shown,
        {"plan": training.plan(task), **shown},
        resumed=resumed,
    )


def fitted(rounds: list[Episodes], inputs: Inputs, seed: int) -> AfterstateValue:
    """The model that fits the windows of all rounds best, by squared error."""
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
    """What the model reads before each window: shape (episodes * n, inputs)."""
    last = played.windows[:, :-1]
    before = np.concatenate([last[:, :1], last[:, :-1]], axis=1)
    rows = np.concatenate([last, before, played.settings], axis=2)
    return rows.reshape(-1, rows.shape[-1])


def _returns(payoff: np.ndarray) -> np.ndarray:
    """The discounted worth of the coming windows, to the horizon or the end: shape (e, n)."""
    total, weight = np.zeros(payoff.shape), np.zeros(payoff.shape)
    for ahead in range(HORIZON):
        coming = DISCOUNT**ahead
        total[:, : payoff.shape[1] - ahead] += coming * payoff[:, ahead:]
        weight[:, : payoff.shape[1] - ahead] += coming
    return total / weight
