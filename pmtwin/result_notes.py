"""Sentences beside a result: what its measures are, where it is extrapolated, which goals no setting can keep."""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import Measure

TOO_LITTLE = "clients offer less than a goal asks for in every window: no setting keeps it; give another with --goal"


def extrapolation(scenario: Scenario, contexts: Sequence[int | str], extrapolated: bool) -> str:
    """Where results in these contexts are extrapolated; empty where they are not.

    Args:
        extrapolated: whether any window is, as results say.
    """
    clause = scenario.unmeasured(contexts)
    if clause:
        return f"warning: extrapolated: the device profile was not fitted on {clause}"
    if not extrapolated:
        return ""
    beyond = scenario.extrapolated_beyond(contexts)
    if beyond:
        return f"extrapolated: above {beyond}; the device profile was fitted on no more"
    return "extrapolated: some windows rest on points outside the data that the model was fitted on"


def measures_explained(measures: Sequence[Measure]) -> str:
    """What the measures are: "NAME: description; ..."."""
    return "; ".join(f"{measure.name}: {measure.description}" for measure in measures)
