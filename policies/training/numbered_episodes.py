"""Episodes of a network that chooses numbered actions, under drawn conditions, with all their steps."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from joblib import delayed

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.network.heads import Head
from pmtwin.policies.network.interface import Interface
from pmtwin.policies.network.layers import Layers
from pmtwin.policies.training.drawn_episodes import BLOCKS, Practice, random_setting, reset_to
from pmtwin.policies.training.policy_training import Task
from pmtwin.sim.common.processes import processes
from pmtwin.sim.control import shown_measures
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.errors import InputError

CHUNK = 2
"""Number of episodes in a task of a worker."""


class Steps(NamedTuple):
    """The steps of an episode.

    Fields:
        states: observations, float64, shape (steps + 1, numbers).
        actions: int64, shape (steps,).
        rewards: float64, shape (steps,), as the environment returned them.
        ended: whether the episode terminated (it was not truncated).
        met: share of its windows that kept all goals; NaN without goals.
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    ended: bool
    met: float


@dataclass(frozen=True)
class Player:
    """A network that plays, with exploration.

    Args:
        layers: network of the action values; None: all actions are random.
        head: head of the network.
        exploration: share of random actions.
        anywhere: whether episodes begin at random settings, if the scenario has settings; otherwise at the initial one.
    """

    layers: Layers | None
    head: Head
    exploration: float
    anywhere: bool

    def choose(self, state: np.ndarray, random: np.random.Generator) -> int:
        """The best action, or a random one."""
        explores, drawn = random.random() < self.exploration, int(random.integers(self.head.actions))
        return drawn if explores else int(np.argmax(self.head.values(cast("Layers", self.layers).values(state))))


def agents_view(context: PolicyContext, windows: int) -> tuple[Interface, Normalization]:
    """Inputs of a network in a scenario: columns and measures if all measures can be normalised, else only columns."""
    for measures in (True, False):
        interface = Interface.showing_measures(context, measures, windows, jumps=False)
        shown = shown_measures(context.measures, context.goals) if measures else ()
        try:
            return interface, Normalization(context.columns, shown, context.goals, windows)
        except InputError:
            if not measures:
                raise
    raise AssertionError("unreachable: the loop returns or raises")


def agents_practice(task: Task, interface: Interface) -> Practice:
    """The conditions of a training, with environments whose observations are the network's inputs."""
    sees = {"normalize": True, "measures": bool(interface.measures), "history": interface.windows}
    practice = Practice.of(task)
    return replace(practice, make_env=partial(practice.make_env, **sees))


def play(
    practice: Practice,
    player: Player,
    seeds: Sequence[np.random.SeedSequence],
    windows: int,
    workers: int,
) -> list[Steps]:
    """An episode of `windows` windows for each seed; the result does not depend on the number of workers."""
    chunks = [seeds[first : first + CHUNK] for first in range(0, len(seeds), CHUNK)]
    tasks = (delayed(_chunk)(practice, player, chunk, windows) for chunk in chunks)
    return [episode for chunk in processes(workers)(tasks) for episode in chunk]


def _chunk(practice: Practice, player: Player, seeds: Sequence[np.random.SeedSequence], windows: int) -> list[Steps]:
    with closing(practice.make_env()) as env:
        return [_episode(env, practice, player, np.random.default_rng(seed), windows) for seed in seeds]


def _episode(env: Any, practice: Practice, player: Player, random: np.random.Generator, windows: int) -> Steps:
    context, (name, conditions) = practice.context, practice.draw(random)
    anywhere = player.anywhere and context.settings is not None
    state, _ = reset_to(env, name, conditions, random_setting(context.controlled, random) if anywhere else None, random)
    states, rows, met = [state], [], []
    for window in range(windows):
        if window and window % -(-windows // BLOCKS) == 0 and name:
            env.set_context(*practice.draw(random))
        action = player.choose(states[-1], random)
        state, reward, ended, cut, info = env.step(action)
        states.append(state)
        rows.append((action, reward))
        met.append(context.goals_met(info))
        if ended or cut:
            break
    actions, rewards = map(np.array, zip(*rows, strict=True))
    share = float(np.mean(cast("list[bool]", met))) if context.goals else np.nan
    return Steps(np.array(states), actions, rewards.astype(float), ended, share)
