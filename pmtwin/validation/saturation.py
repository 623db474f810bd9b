"""Where the load is more than a system can do: below that, what it completes is what was offered, and shows nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pmtwin.scenarios.comparison.rollout import Block
from pmtwin.validation.cases import Case, fixed_setting, fixed_spec
from pmtwin.validation.measured import MeasuredSide, compared_measures
from pmtwin.validation.plan import MEASURED, ValidationPlan
from pmtwin.validation.windows import Windows

SATURATED = 0.95
"""A case saturates where a side reaches less than this share of the offered load, or the load has no bound."""


def saturates(offered: float | None, reached: float) -> bool:
    """Whether a load (None: as much as the system takes) is more than what was reached, in the same unit."""
    return offered is None or reached < SATURATED * offered


def saturating_case(
    plan: ValidationPlan, side: MeasuredSide, measured: Sequence[Sequence[Windows]], transfer: Collection[Case] = ()
) -> Case | None:
    """The case to add after the named ones were measured, so that the leading measure at saturation is known.

    It has the largest of the named fixed settings (the initial one without any) in the first context, clients that
    never pause, and as many windows as the first case.

    Args:
        measured: of each case, its runs.
        transfer: cases that are there for a transfer alone, and are asked for that alone.

    Returns:
        None if a named case saturates, if nothing but a transfer is asked, where the medium does not ask for it, or
        where clients cannot do without pauses.
    """
    changes, asked = side.saturating(), [case for case in plan.cases if case not in transfer]
    if not (changes and asked and side.media[side.medium].at_saturation):
        return None
    if any(_saturated(plan, case, runs) for case, runs in zip(plan.cases, measured, strict=True) if case in asked):
        return None
    settings = [setting for case in asked if (setting := fixed_setting(case.policy))]
    largest = max(settings, key=sum, default=plan.predicted.initial_setting)
    first = asked[0]
    return Case(fixed_spec(largest), (Block(first.schedule[0].context, first.windows),), changes, added=True)


def _saturated(plan: ValidationPlan, case: Case, runs: Sequence[Windows]) -> bool:
    """Whether the real system did, in any context."""
    scenario = plan.scenario(MEASURED, case)
    lead = compared_measures(type(scenario))[0].name
    for context in dict.fromkeys(block.context for block in case.schedule):
        means = [float(run.measures[lead][run.context == context].mean()) for run in runs]
        if saturates(scenario.offered_load(context), sum(means) / len(means)):
            return True
    return False
