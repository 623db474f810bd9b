"""The scenario that a step is about."""

from __future__ import annotations

from pmtwin.pipeline.step import Work
from pmtwin.scenarios.numa_threads.scenario import NumaThreads


def subject(work: Work) -> NumaThreads:
    """The scenario with the options of the command."""
    scenario = work.setting.scenario
    assert isinstance(scenario, NumaThreads)  # its pipeline is declared there
    return scenario
