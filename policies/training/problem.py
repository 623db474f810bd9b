"""What a Q-learning training knows of a scenario: names of contexts, nouns, shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pmtwin.sim.control import LOG, observed_columns


@dataclass(frozen=True)
class Problem:
    """Nouns and shapes of the controlled system.

    Args:
        contexts: names of the training contexts, in order.
        log_columns: for each column of an observation, whether features use its logarithm (`linear_q.features`).
        context_noun: noun for a context in records and messages.
        setting_noun: noun for a setting; environments show the setting in `info` under this name.
        setting_size: number of numbers in a setting; 0 without settings.
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
