"""The options of `pmtwin simulate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pmtwin.config.rules import RulesConfig
from pmtwin.config.shared import Printed, Replacing, Seeded
from pmtwin.config.validity_warnings import ValidityConfig
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import option


@dataclass(frozen=True, kw_only=True)
class Config(RulesConfig, ValidityConfig, Seeded, Printed, Replacing):
    """Options of `pmtwin simulate`.

    A setting of () stands for the scenario's initial setting, None for its second mode, which has no settings.
    """

    command: ClassVar[str] = "simulate"
    everyday: ClassVar[tuple[str, ...]] = (
        "context",
        "setting",
        "goal",
        "windows",
        "dump_latencies",
        "explain",
        "json",
        "seed",
    )
    context: int | str | None = option(None, "{context} to simulate (default: the first)")
    setting: tuple[int, ...] | None = option((), "{setting} of every window (default: {initial}){without}")
    windows: int = option(200, "number of measured windows", low=1, high=10**7, metavar="N")
    warmup_windows: int = option(
        5, "number of windows before the measured ones, discarded", low=0, high=10**6, metavar="N"
    )
    dump_latencies: Path | None = option(
        None, "output file: window, class and latency_us of every request", metavar="FILE.npz", recorded=False
    )
    explain: bool = option(
        False, "print where the time goes, which station limits, and what moves the result", recorded=False
    )

    def __post_init__(self):
        super().__post_init__()
        if self.explain and not self.scenario.explained:
            raise ConflictError(
                "explain", True, f"does not go with scenario {self.scenario.name}, which cannot say where its time goes"
            )
        if self.setting is None and len(self.scenario.modes) < 2:
            raise InputError("setting", None, f"a setting: scenario {self.scenario.name} has no mode without")
        if self.dump_latencies and not self.scenario.request_classes:
            raise InputError("dump_latencies", str(self.dump_latencies), "a scenario that has classes of requests")

    def without_use(self) -> Mapping[str, str]:
        """Rules, in the mode without settings."""
        reasons = super().without_use()
        return {**reasons, "rules": "has no use without a setting; remove it"} if self.setting is None else reasons

    def scenario_without_use(self) -> Mapping[str, str]:
        """As the scenario declares for the context that runs."""
        return self.scenario.options_without_use_in(() if self.context is None else (self.context,))

    def environment(self):
        """The environment of the run, a `pmtwin.scenarios.ControlEnv`.

        Raises:
            InputError: if the environment or the rules do not accept the context or the setting.
        """
        from pmtwin.scenarios.environments.environment import ControlEnv

        uncontrolled, initial = self.setting is None, self.scenario.initial_setting
        if rules := self.action_rules:
            rules.check_start(initial, self.setting or initial, self.scenario.settings.noun)
        return ControlEnv(
            self.scenario,
            self.context,
            self.scenario.settings.low if uncontrolled else (self.setting or None),
            episode_steps=None,
            warmup_windows=self.warmup_windows,
            mode=self.scenario.modes[1] if uncontrolled else None,
        )
