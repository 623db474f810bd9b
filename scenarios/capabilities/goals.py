"""Capability: goals, which are limits of measures; results then have the share of windows that keep all goals."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pmtwin.sim.control import Goal


class WithGoals:
    """A scenario whose operator has goals.

    Class attributes:
        goal_options: measure with a goal -> name of the option for its limit, for `--goal`.
    """

    goal_options: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @classmethod
    def values_beside_goals(cls, values: Mapping[str, Any], limits: Mapping[str, float]) -> Mapping[str, Any]:
        """Values of options, adapted to the limits of `--goal`: a goal may determine which system has to run.

        Args:
            values: values of options by name.
            limits: limits of `--goal` by measure.
        """
        return values

    @property
    def goals(self) -> tuple[Goal, ...]:
        """Goals of the operator; empty: policies are ranked by reward."""
        return ()
