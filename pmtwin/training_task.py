"""The task of a training in a scenario."""

from __future__ import annotations

from functools import partial

from pmtwin.policies.training.policy_training import Task
from pmtwin.scenarios.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario


def task_of(scenario: Scenario, policy: str, seed: int) -> Task:
    """The task of training a policy, by name or spec, in the scenario with its options."""
    return Task(scenario, policy, seed, partial(ControlEnv, scenario))
