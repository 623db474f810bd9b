"""Capability: evidence behind results, for readers: options, parameters, device profile, extrapolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pmtwin.scenarios.capabilities.goals import WithGoals
from pmtwin.scenarios.system import Setting
from pmtwin.sim.options import Options, plain


class WithEvidence(WithGoals):
    """A scenario that states the evidence behind its results."""

    options: Options

    def record(self) -> dict:
        """The options as plain values, for the record of a run."""
        return plain(self.options)

    def parameters(self) -> dict[str, list]:
        """Entries for the record of a run: `parameters` of the model with their origins, and `warnings` about them."""
        return {}

    def derived(self) -> dict[str, str]:
        """Values that differ from their defaults because of another option: name -> value and reason, for a reader."""
        return {}

    def results_beside(self, evaluation: Any) -> dict:
        """Entries of an evaluation's result that only this scenario has."""
        return {}

    def setup(self, contexts: Sequence[int | str]) -> dict[str, str]:
        """Basis and goals of results in these contexts, for a reader: name -> a few words."""
        return {"goals": "; ".join(map(str, self.goals))} if self.goals else {}

    @property
    def setup_options(self) -> frozenset[str]:
        """Names of options whose values `setup` shows under other names, so that they need no row of their own."""
        return frozenset(self.goal_options.values())

    def rests_on_profile(self) -> bool:
        """Whether results depend on a device profile, and are extrapolated outside its data."""
        return True

    def unmeasured(self, contexts: Sequence[int | str]) -> str:
        """A clause: what these contexts ask of the device that its profile was not fitted to; empty if nothing."""
        return ""

    def extrapolated_where(
        self, contexts: Sequence[int | str], settings: Sequence[Setting] | None = None
    ) -> str | None:
        """The states of the system in which results in these contexts are extrapolated.

        Args:
            settings: settings at which windows ran; None: any.

        Returns:
            A clause; empty if there are no such states, None if the scenario does not know.
        """
        return None
