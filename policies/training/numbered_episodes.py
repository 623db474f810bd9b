"""Episodes under drawn conditions by a network of numbered actions, each step kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
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
"""Episodes of one piece of work."""


class Steps(NamedTuple):
    """An episode.

    Fields:
        states: observations, float64, shape (steps + 1, numbers).
        actions: int64, shape (steps,). rewards: float64, shape (steps,), as the environment scales them.
        ended: whether it ended in the system.
        met: share of its windows that kept all goals; NaN where there are none.
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    ended: bool
    met: float


@dataclass(frozen=True)
class Player:
    """A network that plays.

    Args:
        layers, head: values of the actions; layers None: all actions are random.
        exploration: share of random actions.
        anywhere: whether episodes begin at random settings, where there are settings; otherwise at the scenario's own.
    """

    layers: Layers | None
    head: Head
    exploration: float
    anywhere: bool

    def choose(self, state: np.ndarray, random: np.random.Generator) -> int:
        """The best action, or a random one."""
        explores, other = random.random() < self.exploration, int(random.integers(self.head.actions))
        return other if explores else int(np.argmax(self.head.values(cast("Layers", self.layers).values(state))))


def agents_view(context: PolicyContext, windows: int) -> tuple[Interface, Normalization]:
    """What a network sees of a scenario: all measures where each can be normalised, otherwise the columns alone."""
    for measures in (True, False):
        interface = Interface.showing_measures(context, measures, windows, jumps=False)
        shown = shown_measures(context.measures, context.goals) if measures else ()
        try:
            return interface, Normalization(context.columns, shown, context.goals, windows)
        except InputError:
            if not measures:
                raise
    raise AssertionError("the columns alone were tried")


def agents_practice(task: Task, interface: Interface) -> Practice:
    """The conditions of a training, with environments that show what the network sees."""
    sees = {"normalize": True, "measures": bool(interface.measures), "history": interface.windows}
    practice = Practice.of(task)
    return Practice(partial(practice.make_env, **sees), practice.context, practice.draw)


def play(
    practice: Practice,
    player: Player,
    seeds: Sequence[np.random.SeedSequence],
    windows: int,
    workers: int,
) -> list[Steps]:
    """An episode for each seed; the same ones on any number of workers."""
    chunks = [seeds[first : first + CHUNK] for first in range(0, len(seeds), CHUNK)]
    work = (delayed(_chunk)(practice, player, chunk, windows) for chunk in chunks)
    return [episode for chunk in processes(workers)(work) for episode in chunk]


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
