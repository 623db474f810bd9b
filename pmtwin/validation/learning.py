"""The options by which `pmtwin validate` lets a policy learn while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pmtwin.policies import make_policy
from pmtwin.policies.grammar import written
from pmtwin.policies.online_q import OnlineQOptions
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option, own

POLICY = "online-q"
LIMITS = {
    "learn_bounds": "bounds",
    "learn_step": "step",
    "fall_back_after": "fall_back_after",
    "resume_after": "resume_after",
}
"""Option -> the policy's own one."""


def _limit(name: str) -> Any:
    """The policy's option, to be given or not."""
    leaf = own(OnlineQOptions, name)
    about = {each: getattr(leaf.about, each) for each in ("low", "high", "unit", "metavar", "parse", "written")}
    return option(None, f"for --learn: {leaf.about.help}", **about)


@dataclass(frozen=True, kw_only=True)
class LearningOptions(Options):
    """A policy that goes on learning, and its limits.

    Raises:
        InputError: for a limit that is not accepted, or one without `learn`.
    """

    learn: str = option(
        "",
        "also a policy that goes on learning (online-q), and the setting to begin with and fall back to",
        metavar="FILE[@N,N]",
    )
    learnt: Path | None = option(
        None,
        "for --learn: what it has learnt on the real system, a file for each run",
        metavar="DIR",
        recorded=False,
    )
    learn_bounds: tuple[tuple[int, ...], tuple[int, ...]] | None = _limit("bounds")
    learn_step: int | None = _limit("step")
    fall_back_after: int | None = _limit("fall_back_after")
    resume_after: int | None = _limit("resume_after")

    def __post_init__(self):
        super().__post_init__()
        for name in ("learnt", *LIMITS):
            value = getattr(self, name)
            if value is not None and not self.learn:
                raise InputError(name, str(value), "only with --learn: nothing else learns")

    @property
    def learning_specs(self) -> list[str]:
        """The policy of `learn` with its limits, or nothing."""
        if not self.learn:
            return []
        given = {name: getattr(self, chosen) for chosen, name in LIMITS.items()}
        limits = {name: value for name, value in given.items() if value is not None}
        return [written(POLICY, OnlineQOptions(file=self.learn, **limits))]

    def learning_record(self, scenario: Scenario) -> dict:
        """For the record of a run: `learning`, spec -> limits; empty without `learn`."""
        return {"learning": {spec: _limits(make_policy(spec).options, scenario) for spec in self.learning_specs}}


def _limits(options: OnlineQOptions, scenario: Scenario) -> dict:
    """The limits in this scenario, as plain values."""
    settings = scenario.settings
    return {
        "fall_back": list(options.fall_back or scenario.initial_setting),
        "bounds": [list(end) for end in options.bounds or (settings.low, settings.high)],
        **{name: getattr(options, name) for name in ("step", "fall_back_after", "resume_after")},
    }
