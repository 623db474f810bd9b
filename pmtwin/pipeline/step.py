"""What a step of the loop is, what it is given, and the key of what its values depend on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pmtwin.pipeline import fingerprint
from pmtwin.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Setting:
    """What all steps of a run share.

    Args:
        scenario: with its options.
        campaign: how much is run: a dataclass with `name` and `to_dict`.
        seed: root of all random numbers.
        jobs: processes; no result depends on it.
        data: folder of real measurements, or None.
    """

    scenario: Scenario
    campaign: Any
    seed: int
    jobs: int
    data: Path | None


@dataclass(frozen=True)
class Work:
    """What a step is given: the setting, the values and folders of the steps it needs, its own folder, progress."""

    setting: Setting
    results: dict[str, dict]
    folders: dict[str, Path]
    folder: Path
    progress: Callable[..., Any]


@dataclass(frozen=True)
class Step:
    """One step.

    Args:
        name: as the entries of figures need it.
        title: what a reader sees while it runs.
        needs: steps that come first.
        settings: the part of the campaign that it depends on (field names).
        module: where its code begins, in dotted names; all that this imports belongs to the key.
        windows: setting -> windows that it simulates, for the estimate of its time.
        fixed_s: seconds that it takes besides them, roughly.
        parallel: whether `jobs` makes it faster.
        compute: work -> values.
        data_files: those of the folder of measurements that it reads.
        window_s: seconds of a window, of a step whose windows are not the twin's.
        native: whether it runs the built middleware.
        lasting: values -> whether they hold for later runs too; others are computed again.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    settings: tuple[str, ...]
    module: str
    windows: Callable[[Setting], int]
    fixed_s: float
    parallel: bool
    compute: Callable[[Work], dict]
    data_files: tuple[str, ...] = ()
    window_s: float | None = None
    native: bool = False
    lasting: Callable[[dict], bool] = lambda values: True

    def key(self, setting: Setting, needed: dict[str, str]) -> str:
        """Content key: everything that the values depend on."""
        campaign = setting.campaign.to_dict()
        parts = {
            "scenario": [setting.scenario.name, setting.scenario.record(), *self._declaring(setting.scenario)],
            "step": self.name,
            "settings": {name: campaign[name] for name in self.settings},
            "seed": setting.seed,
            "needs": {name: needed[name] for name in self.needs},
            "code": self._code(setting.scenario),
            "versions": fingerprint.versions(),
        }
        if self.data_files:
            parts["data"] = fingerprint.data(None if setting.data is None else str(setting.data), self.data_files)
        if self.native:
            parts["native"] = fingerprint.native()
        return fingerprint.digest(parts)

    def _code(self, scenario: Scenario) -> list:
        """What declares all steps, figures and the report imports far more than a step does: its own source counts."""
        left_out = scenario.named_modules(measured=not self.native)
        declared = [fingerprint.source(scenario.figures)] if scenario.figures else []
        return [fingerprint.code(self.module, left_out), *declared]

    def _declaring(self, scenario: Scenario) -> list:
        """Code behind a scenario; one that declares steps of its own has it in the code of these."""
        if scenario.figures:
            return []
        return [fingerprint.scenario(scenario), fingerprint.policies(scenario.baselines, scenario)]
