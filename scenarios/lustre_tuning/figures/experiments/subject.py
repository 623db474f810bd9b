"""The scenario of the command."""

from __future__ import annotations

from pmtwin.pipeline.step import Work
from pmtwin.scenarios.lustre_tuning.scenario import LustreTuning


def subject(work: Work) -> LustreTuning:
    """The scenario that the figures are about."""
    scenario = work.setting.scenario
    assert isinstance(scenario, LustreTuning)  # its pipeline is declared there
    return scenario
