"""The task of a training: a policy to train in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from pmtwin.policies.grammar import joined_points
from pmtwin.policies.points import by_point, policy_for
from pmtwin.policies.training.policy_training import Task
from pmtwin.policies.trainings import trainee
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario


def task_of(scenario: Scenario, spec: str, seed: int) -> Task:
    """The task of training the policy of `spec` in a scenario with its options.

    Raises:
        InputError: if the spec names decision points that the scenario does not have.
    """
    trained, make_env = trainee(spec), partial(ControlEnv, scenario)
    beside: Mapping[str, Any] = {}
    if trained.beside:
        by_point(spec, scenario)
        beside = policy_for(joined_points(trained.beside), scenario).inline
        make_env = partial(_environment, scenario, beside)
    return Task(scenario, trained.policy, seed, make_env, partial(_play, scenario), beside)


def _environment(scenario: Scenario, inline: Mapping[str, Any], *chosen: Any, **named: Any) -> ControlEnv:
    """An environment in which the policies `inline` decide inside the windows."""
    env = ControlEnv(scenario, *chosen, **named)
    env.inline = inline
    return env


def _play(
    scenario: Scenario, policy: Any, context: Any, name: Any, windows: int, seed: int, **calls: Any
) -> np.ndarray:
    """Run a policy for some windows in context `name`; returns the rewards (see `Task.play`)."""
    env = ControlEnv(scenario, name or None, episode_steps=None, mode=policy.mode)
    return run_policy(policy, context, env, [Block(name, windows)], seed, **calls).reward
