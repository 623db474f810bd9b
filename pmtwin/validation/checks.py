"""Checks of a plan before anything runs: runs of the real system take minutes or hours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace

from pmtwin.policies import Policy, PolicyContext, make_policy
from pmtwin.policies.grammar import FIELD
from pmtwin.scenarios.comparison.rollout import PolicyCalls
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.sim.errors import InputError, MissingDependencyError
from pmtwin.validation.cases import Case
from pmtwin.validation.measured import MeasuredSide
from pmtwin.validation.plan import MEASURED, SIDES, ValidationPlan


def check_plan(plan: ValidationPlan, side: MeasuredSide) -> None:
    """Start every policy in its context, make every environment, and start and stop the real system.

    `require_built` checks later whether the real system is built: bad input is thus reported on any machine.

    Raises:
        InputError, PolicyError: for the first setting, option or policy that is not accepted.
    """
    modes = {}
    for case in plan.cases:
        for name in SIDES:
            scenario = plan.scenario(name, case)
            policy = make_policy(case.policy, scenario)
            modes[case] = policy.mode
            for inline in policy.inline.values():
                inline.check_engine(scenario.engine)
            _check_policy(policy, case, PolicyContext.of(scenario, seed=plan.seeds_of(0)[1]))
    for name in SIDES:
        for env in _environments(plan, name, modes):
            with closing(env), suppress(MissingDependencyError):
                env.check_engine()
    _check_starts(plan, side)


def _check_policy(policy: Policy, case: Case, context: PolicyContext) -> None:
    try:
        with PolicyCalls(policy).call("start"):
            policy.start(context)
    except InputError as error:
        if case.policy in (error.field, error.value):
            raise
        allowed = f"a policy that can start here; {error.field}: {error.allowed}"
        raise InputError(FIELD, case.policy, allowed) from error


def require_built(plan: ValidationPlan) -> None:
    """Raise `MissingDependencyError` if the real system is not built."""
    with closing(plan.environment(MEASURED, plan.cases[0])) as env:
        env.check_engine()


def _check_starts(plan: ValidationPlan, side: MeasuredSide) -> None:
    """Start and stop the real system under all conditions of the plan; leaves no files behind.

    Raises:
        InputError: if a store cannot be opened, a processor does not exist, ...
    """
    plan = replace(plan, measured=side.preflight())
    with side.holding(), suppress(MissingDependencyError):
        for env in _environments(plan, MEASURED, dict.fromkeys(plan.cases)):
            with closing(env.scenario.system(env.conditions, 0)) as system:
                system.start(env.scenario.settings.low)


def _environments(plan: ValidationPlan, side: str, modes: dict[Case, str | None]) -> Iterator[ControlEnv]:
    """One environment for all cases with the same options, mode and context."""
    known = set()
    for case, mode in modes.items():
        for block in case.schedule:
            what = (case.changes, mode, block.context)
            if what not in known:
                known.add(what)
                yield plan.environment(side, case, mode, block.context)
