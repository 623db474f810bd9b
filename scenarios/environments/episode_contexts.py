"""Contexts of an environment's episodes: choice and conditions of the context at each reset and change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError, check_range

Drawn = tuple[int | str, Any]
"""(name of a context, conditions of the system)."""


class EpisodeContexts:
    """Chooses the contexts of an environment.

    Args:
        scenario, context, context_steps, drawn_share: as in `ControlEnv`.

    Attributes:
        names: contexts that resets and changes draw from; empty if there is one context.

    Raises:
        InputError: naming the argument that is not accepted.
    """

    def __init__(
        self,
        scenario: Scenario,
        context: int | str | Sequence[int | str] | None,
        context_steps: int | None,
        drawn_share: float,
    ):
        self._scenario, self._drawn_share = scenario, drawn_share
        self.names = tuple(context) if isinstance(context, (list, tuple)) else ()
        if self._draws_conditions():
            self.names = self.names or (scenario.trained_contexts if context is None else (context,))
        if context_steps is not None:
            check_range("context_steps", context_steps, 1, 10**9)
            if len(self.names) < 2 and not drawn_share:
                allowed = f"with two {scenario.contexts.plural} or more, or a drawn_share above 0"
                raise InputError("context_steps", context_steps, allowed)
        for name in self.names:
            scenario.contexts.check(name)
        self._first = self.names[0] if self.names else context

    def first(self, rng: np.random.Generator) -> Drawn:
        """The context before the first reset."""
        return self.conditions_of(self._first, rng)

    def of_reset(self, present: Drawn, rng: np.random.Generator) -> Drawn:
        """The context of an episode for which `reset` has no context: a new draw, or the present context."""
        if self.names:
            return self.draw(rng)
        name, _ = present
        return self.conditions_of(name, rng) if name in self._scenario.contexts.families else present

    def draw(self, rng: np.random.Generator) -> Drawn:
        """One of the contexts, or conditions drawn from ranges in its place."""
        name, conditions = self._scenario.drawn_context(self.names, self._drawn_share, rng)
        return self.conditions_of(name, rng, conditions)

    def conditions_of(self, context: object, rng: np.random.Generator, conditions: Any = None) -> Drawn:
        """A context with its conditions.

        Args:
            context: name of the context; None: the scenario's first.
            rng: draws the conditions of a family of contexts.
            conditions: drawn conditions that replace those of the context; None: none.

        Raises:
            InputError: for an unknown context, or any context if the options replace all contexts.
        """
        replaced, contexts = self._scenario.own_conditions, self._scenario.contexts
        if replaced is not None:
            if context not in (None, OWN):
                raise self._scenario.refused_contexts(contexts.noun, context)
            return OWN, replaced
        name = contexts.names[0] if context is None else contexts.check(context)
        if conditions is None and name in contexts.families:
            conditions = contexts.families[name](rng)
        return name, name if conditions is None else conditions

    def _draws_conditions(self) -> bool:
        """Whether some conditions are drawn from ranges.

        Raises:
            InputError: if the scenario, with its options, has no ranges.
        """
        share, scenario = self._drawn_share, self._scenario
        check_range("drawn_share", share, 0.0, 1.0)
        if share and scenario.drawn_conditions(np.random.default_rng(0)) is None:
            allowed = f"0: scenario {scenario.name} with these options has no ranges to draw conditions from"
            raise InputError("drawn_share", share, allowed)
        return share > 0.0
