"""`pmtwin evaluate hybrid-storage`: each workload is as long as the part of it that is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pmtwin.commands import evaluate
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.options import option_again

run = evaluate.run

WORDS = " (default here: the measured part of each workload, once)"


@dataclass(frozen=True, kw_only=True)
class Lengths(evaluate.Config):
    """Options whose defaults depend on the workloads; a base class, so that help lists `Config`'s first."""

    steps: int = option_again(evaluate.Config, "steps", words=WORDS)
    context_steps: int = option_again(evaluate.Config, "context_steps", words=WORDS)


@dataclass(frozen=True, kw_only=True)
class Config(Lengths):
    """Options of `pmtwin evaluate hybrid-storage`."""

    @classmethod
    def of_scenario(
        cls, scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, object]:
        entries = super().of_scenario(scenario, values, given)
        system = entries["scenario"]
        if not isinstance(system, HybridStorage):
            return entries
        windows = windows_of(system)
        contexts = 1 if system.options.trace else len(given.get("contexts") or system.contexts.names)
        of_context = given.get("context_steps", windows)
        steps = of_context * contexts if isinstance(of_context, int) else windows
        usual = {"context_steps": windows, "steps": steps}
        return {name: value for name, value in usual.items() if name not in given} | entries


def windows_of(scenario: HybridStorage) -> int:
    """Whole windows of the measured part of a workload, at least one."""
    options = scenario.options
    count = options.shape.length
    if options.trace is not None:
        from pmtwin.scenarios.hybrid_storage.system import trace_requests

        count = len(trace_requests(options.trace, options.volumes).first)
    return max(round(options.measured * count) // options.requests_per_window, 1)
