"""Notes beside a result: measures, extrapolation, a device taken as known, goals out of reach."""

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
    """A note on where results in these contexts are extrapolated; empty if they are not.

    Args:
        extrapolated: whether any window is extrapolated, by the result.
        settings: settings at which windows ran; None: any.
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
    """A note that the device is taken as known, and why (`Scenario.known_device`); None if it is not."""
    return f"the device is taken as known: {scenario.known_device}" if scenario.known_device else None


def too_little(share: float) -> str:
    """A note on how often clients offer less than a goal asks for; empty if never.

    Args:
        share: share of such windows, each judged by its rate, not by the mean rate.
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
    """The descriptions of measures: "NAME: description; ..."."""
    return "; ".join(f"{measure.name}: {measure.description}" for measure in measures)
