"""Saturation: a load above a system's capacity. Below capacity, a system only completes what is offered."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pmtwin.scenarios.comparison.rollout import Block
from pmtwin.validation.cases import Case, fixed_setting, fixed_spec
from pmtwin.validation.measured import MeasuredSide, compared_measures
from pmtwin.validation.plan import MEASURED, ValidationPlan
from pmtwin.validation.windows import Windows

SATURATED = 0.95
"""A case saturates if a side reaches less than this share of the offered load, or if the load is unbounded."""


def saturates(offered: float | None, reached: float | None) -> bool:
    """Whether an offered load (None: unbounded) exceeds the load that was reached (None: unknown), in the same unit."""
    return offered is None or (reached is not None and reached < SATURATED * offered)


def saturating_case(
    plan: ValidationPlan, side: MeasuredSide, measured: Sequence[Sequence[Windows]], transfer: Collection[Case] = ()
) -> Case | None:
    """The case to add so that the leading measure is known at saturation, once the named cases are measured.

    The case has the largest named fixed setting (without one: the initial setting), the first context, clients that
    never pause, and as many windows as the first case.

    Args:
        measured: runs of each case.
        transfer: cases that only a transfer compares.

    Returns:
        None if a named case saturates, if the plan is a transfer alone, if the medium does not judge saturation, or if
        the scenario's clients always pause.
    """
    changes, asked = side.saturating(), [case for case in plan.cases if case not in transfer]
    if not (changes and asked and side.media[side.medium].at_saturation):
        return None
    if any(_saturated(plan, case, runs) for case, runs in zip(plan.cases, measured, strict=True) if case in asked):
        return None
    settings = [setting for case in asked if (setting := fixed_setting(case.policy, plan.predicted))]
    largest = max(settings, key=sum, default=plan.predicted.initial_setting)
    first = asked[0]
    return Case(fixed_spec(largest), (Block(first.schedule[0].context, first.windows),), changes, added=True)


def _saturated(plan: ValidationPlan, case: Case, runs: Sequence[Windows]) -> bool:
    """Whether the real system was saturated in any context of the case."""
    scenario = plan.scenario(MEASURED, case)
    lead = compared_measures(type(scenario))[0].name
    for context in dict.fromkeys(block.context for block in case.schedule):
        means = [float(run.measures[lead][run.context == context].mean()) for run in runs]
        if saturates(scenario.offered_load(context), sum(means) / len(means)):
            return True
    return False
