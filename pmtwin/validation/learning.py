"""The options by which `pmtwin validate` lets a policy learn while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from pmtwin.policies import make_policy
from pmtwin.policies.grammar import written
from pmtwin.policies.online_limits import OnlineLimits
from pmtwin.policies.online_q import OnlineQ, OnlineQOptions
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.options import Options, option

POLICY = "online-q"
NAMES = {"learn_bounds": "bounds", "learn_step": "step", "fall_back_after": "", "resume_after": ""}
"""Option of the command -> option of the policy, where the policy's name would be unclear among other options."""
_LIMITS = {each.name: each for each in fields(OnlineLimits)}


def _limit(name: str) -> Any:
    """The option of the command that sets a limit of the policy, with the policy's default."""
    same = _LIMITS[NAMES[name] or name]
    about = replace(same.metadata["option"], formerly=NAMES[name])
    return field(default=same.default, metadata={"option": about})


@dataclass(frozen=True, kw_only=True)
class LearningOptions(Options):
    """A policy that learns during the run, and the limits of its learning."""

    learn: str = option(
        "",
        "policy that learns during the run (online-q), with its first and fall-back setting",
        metavar="FILE[@N,N]",
    )
    learnt: Path | None = option(
        None,
        "folder for the policies that --learn has trained on the real system, one file per run",
        metavar="DIR",
        recorded=False,
    )
    learn_bounds: tuple[tuple[int, ...], tuple[int, ...]] | None = _limit("learn_bounds")
    learn_step: int = _limit("learn_step")
    fall_back_after: int = _limit("fall_back_after")
    resume_after: int = _limit("resume_after")

    @property
    def limits(self) -> OnlineLimits:
        """The limits, under the policy's names of the options."""
        return OnlineLimits(**{NAMES[name] or name: getattr(self, name) for name in NAMES})

    @property
    def learning_specs(self) -> list[str]:
        """Specs of the policy `learn` with its limits; empty without `learn`."""
        return [written(POLICY, OnlineQOptions(file=self.learn, limits=self.limits))] if self.learn else []

    def learning_record(self, scenario: Scenario) -> dict:
        """Entry of the run's record: `learning`, spec -> limits; empty without `learn`."""
        policies = ((spec, make_policy(spec)) for spec in self.learning_specs)
        limits = {spec: _limits(each.options, scenario) for spec, each in policies if isinstance(each, OnlineQ)}
        return {"learning": limits}


def _limits(options: OnlineQOptions, scenario: Scenario) -> dict:
    """The limits of learning in this scenario, as plain values."""
    settings, limits = scenario.settings, options.limits
    return {
        "fall_back": list(options.fall_back or scenario.initial_setting),
        "bounds": [list(end) for end in limits.bounds or (settings.low, settings.high)],
        **{name: getattr(limits, name) for name in ("step", "fall_back_after", "resume_after")},
    }
