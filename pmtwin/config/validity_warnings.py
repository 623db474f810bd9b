"""`--warned-share`: largest share of windows with a validity warning in a usable result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pmtwin.config.goals import GoalConfig
from pmtwin.console.output import message
from pmtwin.scenarios.validity_warnings import WARNED_PERCENT, sentences
from pmtwin.sim.options import option


@dataclass(frozen=True, kw_only=True)
class ValidityConfig(GoalConfig):
    """The configuration of a command that may run a real system."""

    warned_share: float = option(
        WARNED_PERCENT,
        "maximum share of windows with a validity warning of the real system, in percent; exit code 1 above it",
        low=0.0,
        high=100.0,
        unit="%",
        metavar="PERCENT",
    )

    def without_use(self) -> Mapping[str, str]:
        """`warned_share` has no use for a twin, whose windows have no validity warnings."""
        reasons = super().without_use()
        if self.scenario.sequential:
            return reasons
        return {**reasons, "warned_share": "belongs to a real system (--engine native); remove it"}


def validity_exit_code(counted: dict) -> int:
    """Print a result of `scenarios.validity_warnings.warned_windows` to standard error; 1 for too many, else 0."""
    for sentence in sentences(counted["reasons"]):
        message(f"warning: {sentence}")
    if counted["passed"]:
        return 0
    message(
        f"not to be used: {counted['warned']} of {counted['windows']} windows have a validity warning "
        f"({counted['percent']:.3g} %, allowed {counted['allowed_percent']:g} %)"
    )
    return 1
