"""Sentences beside a result: its measures, where it is extrapolated, a device taken as known, goals out of reach."""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.control import Measure

TOO_LITTLE = "clients offer less than a goal asks for in every window: no setting keeps it; give another with --goal"


def extrapolation(
    scenario: Scenario, contexts: Sequence[int | str], extrapolated: bool, settings: Sequence[Setting] | None = None
) -> str:
    """Where results in these contexts are extrapolated; empty where they are not.

    Args:
        extrapolated: whether any window may be, as results say.
        settings: at which windows ran; None: any.
    """
    clause = scenario.unmeasured(contexts)
    if clause:
        return f"warning: extrapolated: the device profile was not fitted on {clause}"
    if not extrapolated:
        return ""
    where = scenario.extrapolated_where(contexts, settings)
    if where is None:
        return "extrapolated: some windows rest on points outside the data that the model was fitted on"
    return f"extrapolated where {where}: not measured for all accesses" if where else ""


def known_device(scenario: Scenario) -> str | None:
    """That the device is taken as known, and why (`Scenario.known_device`); None where it is not."""
    return f"the device is taken as known: {scenario.known_device}" if scenario.known_device else None


def too_little(share: float) -> str:
    """How often clients do not offer enough for a goal; empty for never.

    Args:
        share: of the windows, each judged by its own rate and not by a mean.
    """
    if share == 1.0:
        return f"warning: {TOO_LITTLE}"
    if not share:
        return ""
    return (
        f"In {percent(share)} of the windows clients offer less than a goal asks for: the rate in a window may be far "
        "below the mean of all windows. Such a window keeps the goal only by chance."
    )


def measures_explained(measures: Sequence[Measure]) -> str:
    """What the measures are: "NAME: description; ..."."""
    return "; ".join(f"{measure.name}: {measure.description}" for measure in measures)
