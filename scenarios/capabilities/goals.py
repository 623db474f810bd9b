"""Capability: goals, limits of measures; results then tell the share of windows that keep them all (attainment)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pmtwin.sim.control import Goal


class WithGoals:
    """A scenario whose operator has goals.

    Class attributes:
        goal_options: measure with a goal -> name of the option that has its limit, for `--goal`.
    """

    goal_options: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @classmethod
    def values_beside_goals(cls, values: Mapping[str, Any], limits: Mapping[str, float]) -> Mapping[str, Any]:
        """The values of options beside limits of `--goal`, by measure: a goal may tell which system has to run."""
        return values

    @property
    def goals(self) -> tuple[Goal, ...]:
        """Goals of the operator; empty: policies are ranked by reward."""
        return ()
