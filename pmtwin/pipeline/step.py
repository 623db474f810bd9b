"""Steps of a pipeline: their declaration, their input, and the key of everything that their values depend on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pmtwin.pipeline import fingerprint
from pmtwin.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Setting:
    """Setting of all steps of a run.

    Args:
        scenario: the scenario with its options.
        campaign: sizes of the steps: a dataclass with `name` and `to_dict`.
        seed: seed of all random numbers.
        jobs: number of processes; no result depends on it.
        data: folder of real measurements, or None.
    """

    scenario: Scenario
    campaign: Any
    seed: int
    jobs: int
    data: Path | None


@dataclass(frozen=True)
class Work:
    """Input of a step: the setting, values and folders of the steps it needs, its own folder, and progress."""

    setting: Setting
    results: dict[str, dict]
    folders: dict[str, Path]
    folder: Path
    progress: Callable[..., Any]


@dataclass(frozen=True)
class Step:
    """A step of a pipeline.

    Args:
        name: name for the entries of figures.
        title: text that is printed while it runs.
        needs: names of the steps that must come first.
        settings: fields of the campaign that it depends on.
        module: dotted name of the module of its code; the key covers everything that this imports.
        windows: function setting -> number of simulated windows, for the estimate of its duration.
        fixed_s: approximate further seconds.
        parallel: whether `jobs` makes it faster.
        compute: function work -> values.
        data_files: files in the folder of measurements that it reads.
        window_s: seconds of a window, for a step whose windows are not the twin's.
        native: whether it runs the built middleware.
        lasting: function values -> whether later runs may use them from the cache.
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
        """Digest of everything that the values depend on."""
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
