"""Contexts of an environment's episodes: the context of each reset or change, and its conditions."""

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
    """The contexts that an environment is in.

    Args:
        scenario, context, context_steps, drawn_share: as `ControlEnv` takes them.

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
        """The context before any reset."""
        return self.conditions_of(self._first, rng)

    def of_reset(self, present: Drawn, rng: np.random.Generator) -> Drawn:
        """The context of an episode for which none is given: drawn anew, or the present one."""
        if self.names:
            return self.draw(rng)
        name, _ = present
        return self.conditions_of(name, rng) if name in self._scenario.contexts.families else present

    def draw(self, rng: np.random.Generator) -> Drawn:
        """One of the contexts, or conditions from the stated ranges in its place."""
        name, conditions = self._scenario.drawn_context(self.names, self._drawn_share, rng)
        return self.conditions_of(name, rng, conditions)

    def conditions_of(self, context: object, rng: np.random.Generator, conditions: Any = None) -> Drawn:
        """A context with its conditions.

        Args:
            context: its name; None: the scenario's first. rng: for a family of contexts.
            conditions: those of a draw; None: the context's own.

        Raises:
            InputError: for an unknown context, or one beside conditions that replace all contexts.
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
        """Whether conditions come from stated ranges too.

        Raises:
            InputError: where the scenario, with its options, states none.
        """
        share, scenario = self._drawn_share, self._scenario
        check_range("drawn_share", share, 0.0, 1.0)
        if share and scenario.drawn_conditions(np.random.default_rng(0)) is None:
            allowed = f"0: scenario {scenario.name} with these options has no ranges to draw conditions from"
            raise InputError("drawn_share", share, allowed)
        return share > 0.0
