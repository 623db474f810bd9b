"""The task of a training: a policy to train in a scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from pmtwin.policies.action_rules import ActionRules
from pmtwin.policies.grammar import joined_points
from pmtwin.policies.points import by_point, policy_for
from pmtwin.policies.training.policy_training import Task
from pmtwin.policies.trainings import trainee
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.environments.checked_environment import CheckedEnv
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.rules import behind_rules
from pmtwin.scenarios.scenario import Scenario


def task_of(scenario: Scenario, spec: str, seed: int, rules: ActionRules | None = None) -> Task:
    """The task of training the policy of `spec` in a scenario with its options; rules: of the action checker.

    Raises:
        InputError: if the spec names decision points that the scenario does not have.
    """
    trained, checked = trainee(spec), partial(behind_rules, scenario, rules)
    make_env = partial(ControlEnv, scenario) if rules is None else partial(CheckedEnv, rules, scenario)
    beside: Mapping[str, Any] = {}
    if trained.beside:
        by_point(spec, scenario)
        beside = policy_for(joined_points(trained.beside), scenario).inline
        make_env = partial(_environment, make_env, beside)
    return Task(scenario, trained.policy, seed, make_env, partial(_play, scenario, checked), beside, checked)


def _environment(make: Callable[..., ControlEnv], inline: Mapping[str, Any], *chosen: Any, **named: Any) -> ControlEnv:
    """An environment in which the policies `inline` decide inside the windows."""
    env = make(*chosen, **named)
    env.inline = inline
    return env


def _play(
    scenario: Scenario,
    checked: Callable[[Any], Any],
    policy: Any,
    context: Any,
    name: Any,
    windows: int,
    seed: int,
    **calls: Any,
) -> np.ndarray:
    """Run a policy for some windows in context `name`; returns the rewards (see `Task.play`)."""
    env = ControlEnv(scenario, name or None, episode_steps=None, mode=policy.mode)
    return run_policy(checked(policy), context, env, [Block(name, windows)], seed, **calls).reward
