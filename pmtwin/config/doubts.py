"""How many windows a real system may doubt before a result is not to be used: `--doubted-share`, and its exit code."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.output import message
from pmtwin.scenarios.doubts import DOUBTED_PERCENT, sentences
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import option


@dataclass(frozen=True, kw_only=True)
class Doubting(ScenarioConfig):
    """The configuration of a command whose system may be a real one.

    Raises:
        InputError: for a share that is given to a twin, which doubts nothing.
    """

    doubted_share: float = option(
        DOUBTED_PERCENT,
        "windows that a real system itself may doubt, in percent; more: exit code 1",
        low=0.0,
        high=100.0,
        unit="%",
        metavar="PERCENT",
    )

    def __post_init__(self):
        super().__post_init__()
        if self.doubted_share != DOUBTED_PERCENT and not self.scenario.sequential:
            raise InputError("doubted_share", self.doubted_share, "only of a real system")


def doubts_exit_code(found: dict) -> int:
    """Tells what is doubted, of `scenarios.doubts.doubted`, on standard error; 1 where it is too much, or else 0."""
    for sentence in sentences(found["reasons"]):
        message(f"take care: {sentence}")
    if found["passed"]:
        return 0
    message(
        f"not to be used: {found['doubted']} of {found['windows']} windows are doubted ({found['percent']:.3g} %, "
        f"allowed {found['allowed_percent']:g} %)"
    )
    return 1
