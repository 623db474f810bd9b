"""The scenario as training sees it: names of its contexts, nouns, forms of its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pmtwin.sim.control import LOG, observed_columns


@dataclass(frozen=True)
class Problem:
    """Nouns and shapes of the controlled system.

    Args:
        contexts: the conditions that a policy is trained under, by name, in order.
        log_columns: which columns of an observation enter features as logarithms (`linear_q.features`).
        context_noun: noun for a context in records and messages.
        setting_noun: noun for a setting; environments show the one in force in `info` under this name.
        setting_size: how many numbers a setting has; 0 without settings.
    """

    contexts: tuple[int | str, ...]
    log_columns: tuple[bool, ...]
    context_noun: str = "context"
    setting_noun: str = "setting"
    setting_size: int = 1

    @classmethod
    def from_scenario(cls, scenario: Any) -> Problem:
        """The problem of a scenario (a class or an object of `pmtwin.scenarios.Scenario`)."""
        contexts, settings = scenario.contexts, scenario.settings
        return cls(
            contexts=tuple(contexts.names) or tuple(contexts.families),
            log_columns=tuple(column.scale == LOG for column in observed_columns(scenario.columns)),
            context_noun=contexts.noun,
            setting_noun=settings.noun,
            setting_size=len(settings.names),
        )
