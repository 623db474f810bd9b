"""Capability: what results rest on: options, parameters, a device profile and where it is left; for readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pmtwin.scenarios.capabilities.goals import WithGoals
from pmtwin.scenarios.system import Setting
from pmtwin.sim.options import Options, plain


class WithEvidence(WithGoals):
    """A scenario that says what its results rest on."""

    options: Options

    def record(self) -> dict:
        """The options as plain values, for the record of a run."""
        return plain(self.options)

    def parameters(self) -> dict[str, list]:
        """`parameters` of the model, each with its origin, and `warnings` about them, for the record of a run."""
        return {}

    def derived(self) -> dict[str, str]:
        """Values that are not as by default because of another option: name -> the value and why, for a reader."""
        return {}

    def results_beside(self, evaluation: Any) -> dict:
        """Entries of an evaluation's result that only this scenario has."""
        return {}

    def setup(self, contexts: Sequence[int | str]) -> dict[str, str]:
        """What results in these contexts rest on and are judged by, for a reader: name -> a few words."""
        return {"goals": "; ".join(map(str, self.goals))} if self.goals else {}

    @property
    def setup_options(self) -> frozenset[str]:
        """Names of options whose values `setup` says under another name: a reader who sees it needs no row of them."""
        return frozenset(self.goal_options.values())

    def rests_on_profile(self) -> bool:
        """Whether results rest on a device profile, outside of which they are extrapolated."""
        return True

    def unmeasured(self, contexts: Sequence[int | str]) -> str:
        """A clause: what is asked of the device in these contexts that its profile was not fitted on; or empty."""
        return ""

    def extrapolated_where(
        self, contexts: Sequence[int | str], settings: Sequence[Setting] | None = None
    ) -> str | None:
        """A clause: the states of the system in which results in these contexts are extrapolated; empty: none.

        Args:
            settings: at which windows ran; None: any.

        Returns:
            None: the scenario cannot say.
        """
        return None
