"""The cases that run on both sides: a policy and the contexts that it goes through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.policies import make_policy
from pmtwin.policies.fixed import Fixed
from pmtwin.scenarios.comparison.rollout import Block, Context, make_schedule
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting

Changes = tuple[tuple[str, object], ...]
"""Options of the scenario that differ in a case: (name of the field, value)."""


@dataclass(frozen=True)
class Case:
    """A policy (or a fixed setting, as a policy) and the schedule of contexts that it goes through.

    Args:
        policy: spec of `pmtwin.policies.registry`.
        schedule: from `pmtwin.scenarios.comparison.rollout`; one block of context `OWN` where options set the
            conditions.
        changes: scenario options that differ in this case.
        added: whether validation added the case by itself, to judge the leading measure at saturation.
    """

    policy: str
    schedule: tuple[Block, ...]
    changes: Changes = ()
    added: bool = False

    @property
    def windows(self) -> int:
        """Number of windows of one run."""
        return sum(block.steps for block in self.schedule)


def fixed_spec(setting: Setting) -> str:
    """The spec of the policy that always keeps `setting`."""
    return f"fixed:{','.join(map(str, setting))}"


def fixed_setting(spec: str, scenario: Scenario) -> Setting | None:
    """The setting of a `fixed` policy; None for any other policy."""
    policy = make_policy(spec, scenario)
    return policy.options.setting if isinstance(policy, Fixed) else None


def grid_cases(
    settings: Sequence[Setting], windows: int, contexts: Sequence[Context] = (OWN,), changes: Changes = ()
) -> list[Case]:
    """One case for each pair of setting and context."""
    blocks = [Block(context, windows) for context in contexts]
    return [Case(fixed_spec(setting), (block,), changes) for block in blocks for setting in settings]


def policy_cases(specs: Sequence[str], schedule: Sequence[Block]) -> list[Case]:
    """One case for each policy, all with the same schedule."""
    return [Case(spec, tuple(schedule)) for spec in specs]


def case_schedule(
    scenario: Scenario, kind: str, steps: int, context_steps: int, seed: int, contexts: Sequence[Context]
) -> tuple[Block, ...]:
    """The schedule of contexts (see `make_schedule`), or one block where options set the conditions."""
    if scenario.own_conditions is not None:
        return (Block(OWN, steps),)
    rng = np.random.default_rng(seed)
    return tuple(make_schedule(kind, steps, context_steps, rng, scenario.contexts, contexts))
