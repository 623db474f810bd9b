"""The conditions under which a scenario's policies are trained: its contexts, and what it draws."""

from __future__ import annotations

from functools import partial

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.training.drawn_episodes import DRAWN, Practice
from pmtwin.scenarios.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario


def practice_of(scenario: Scenario) -> Practice:
    """What a training of `pmtwin.policies.training` plays in the scenario, with its options."""
    make_env = partial(ControlEnv, scenario, episode_steps=None)
    draw = partial(scenario.drawn_context, scenario.trained_contexts, DRAWN)
    return Practice(make_env, PolicyContext.of(scenario), draw)
