"""Run of one fixed setting, window by window, and its summary, which `pmtwin simulate` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import System
from pmtwin.scenarios.validity_warnings import WARNED_PERCENT, reasons, warned_windows
from pmtwin.scenarios.windows import offers_too_little
from pmtwin.sim.files.writing import write_atomically
from pmtwin.sim.numerics.latency_tail import REQUEST_INTERVAL, LatencyTail
from pmtwin.sim.numerics.statistics import FEWEST, NORMAL_95, quartiles, share_interval, wilson_interval

OVER_WINDOWS = "as if windows were independent; what neighbours share, and other seeds, are not in it"
OVER_SAMPLES = "over the samples, by Student's t"
"""Meanings of the 95 % interval of `attainment`, in results."""


def simulate(
    env: ControlEnv,
    windows: int,
    seed: int,
    keep_latencies: bool = False,
    on_window: Callable[[], object] | None = None,
    warned_share: float = WARNED_PERCENT,
) -> tuple[dict, dict[str, np.ndarray]]:
    """Run windows at the setting that an environment begins with, after its warm-up; closes the environment.

    Without settings nothing is decided between the windows. Each sampled system runs the same number of windows, with
    the same seed.

    Args:
        env: environment of the scenario.
        windows: number of windows.
        seed: seed of the environment.
        keep_latencies: whether to return the latency of every request.
        on_window: called after every window.
        warned_share: largest share of windows with a validity warning, in percent.

    Returns:
        (result, requests). `result` has:

        - `engine`, `windows`, `configuration`, `extrapolated`;
        - `validity_warnings`: result of `scenarios.validity_warnings.warned_windows`;
        - with goals `attainment` (share of windows that keep all goals), `attainment_interval` (`low`, `high`, and
          `over`: `OVER_WINDOWS` or `OVER_SAMPLES`; None without values) and `short_share` (share of windows in which
          clients offer less than a goal asks for);
        - minimum, quartiles and maximum of the reward and of each measure of the scenario. A window that cannot show a
          measure, since it has no request of a class, is left out of that measure, of the reward and of the goals;
          without other windows the values are None;
        - with classes of requests `latency` (class -> percentiles over all requests up to the 99.999th, see
          `sim.LatencyTail.summary`) and `interval` (meaning of their intervals);
        - with sampled systems `attainment_by_sample`, and `median_by_sample` of the reward and of each measure.

        `requests` is empty unless `keep_latencies`; otherwise it has arrays `window` (int32), `class` (uint8, number of
        the class) and `latency_us`, in order of completion.
    """
    measures = _Measures(env.scenario, keep_latencies)
    samples = env.scenario.devices
    with closing(env):
        for sample in range(max(samples, 1)):
            env.reset(seed=seed, options={"device": sample} if samples else {})
            setting = list(env.setting)
            measures.begin()
            for _ in range(windows):
                _, reward, _, _, info = env.carry_out(tuple(setting))
                measures.add(reward, info, env.running())
                if on_window is not None:
                    on_window()
    result = {
        "engine": env.scenario.engine,
        "extrapolated": measures.extrapolated,
        "validity_warnings": warned_windows(
            reasons([measures.validity_warnings]), windows * max(samples, 1), warned_share
        ),
        **measures.summary(by_sample=bool(samples)),
        "windows": windows,
        "configuration": _configuration(env, setting, seed),
    }
    return result, measures.requests()


class _Measures:
    """Collects the measures of windows, and summarises them."""

    def __init__(self, scenario: Scenario, keep_latencies: bool):
        self._goals, self._keep = scenario.goals, keep_latencies
        self._series: dict[str, list[float]] = {
            name: [] for name in ("reward", *(measure.name for measure in scenario.measures))
        }
        self._tails = {name: LatencyTail() for name in scenario.request_classes}
        self._met: list[bool] = []
        self._scenario, self._short = scenario, 0
        self._began: list[dict[str, int]] = []
        self._requests: list[tuple[np.ndarray, ...]] = []
        self.extrapolated = False
        self.validity_warnings: list[str] = []

    def begin(self) -> None:
        """Begin the next sampled system."""
        self._began.append({name: len(values) for name, values in self._series.items()} | {"met": len(self._met)})

    def add(self, reward: float, info: Mapping, system: System) -> None:
        validity = system.validity()
        missing = validity.missing | {name for name in self._series if name != "reward" and np.isnan(info[name])}
        self.extrapolated = self.extrapolated or validity.extrapolated
        self.validity_warnings.append(validity.validity_warning)
        self._short += offers_too_little(self._scenario, system.offered())
        requests = system.requests()
        if self._tails and requests is not None:
            classes, latency_us = requests
            for number, tail in enumerate(self._tails.values()):
                tail.add(latency_us[classes == number])
            if self._keep:
                window = np.full(len(classes), len(self.validity_warnings) - 1, dtype=np.int32)
                self._requests.append((window, classes.copy(), latency_us.copy()))
        for name, values in self._series.items():
            if name not in missing and not (name == "reward" and missing):
                values.append(reward if name == "reward" else info[name])
        if not missing:
            self._met.append(all(info[f"met_{goal.name}"] for goal in self._goals))

    def summary(self, by_sample: bool) -> dict:
        """Attainment, reward, measures and latencies, as `simulate` returns them."""
        tails = {name: tail.summary() for name, tail in self._tails.items()}
        attainment = sum(self._met) / len(self._met) if self._met else None
        short = self._short / len(self.validity_warnings)
        by_goals = {"attainment": attainment, "attainment_interval": self._over_windows(), "short_share": short}
        result: dict[str, Any] = {
            **(by_goals if self._goals else {}),
            **{name: quartiles(np.array(values)) if values else None for name, values in self._series.items()},
            **({"interval": REQUEST_INTERVAL, "latency": tails} if tails else {}),
        }
        if by_sample:
            if self._goals:
                shares = result["attainment_by_sample"] = self._by_sample("met", self._met, np.mean)
                result["attainment_interval"] = _over_samples([share for share in shares if share is not None])
            for name, values in self._series.items():
                if result[name] is not None:
                    result[name]["median_by_sample"] = self._by_sample(name, values, np.median)
        return result

    def _over_windows(self) -> dict | None:
        if not self._met:
            return None
        low, high = wilson_interval(sum(self._met), len(self._met), NORMAL_95)
        return {"low": low, "high": high, "over": OVER_WINDOWS}

    def _by_sample(self, name: str, values: list, summary: Callable[[list], float]) -> list[float | None]:
        ends = [began[name] for began in self._began[1:]] + [len(values)]
        parts = [values[began[name] : end] for began, end in zip(self._began, ends, strict=True)]
        return [float(summary(part)) if part else None for part in parts]

    def requests(self) -> dict[str, np.ndarray]:
        """Arrays of all requests by name; empty unless latencies are kept."""
        columns = zip(*self._requests, strict=True)
        return {
            name: np.concatenate(column)
            for name, column in zip(("window", "class", "latency_us"), columns, strict=False)
        }


def _over_samples(shares: list[float]) -> dict | None:
    if len(shares) < FEWEST:
        return None
    ends = share_interval(shares)
    return {"low": ends["low"], "high": ends["high"], "over": OVER_SAMPLES}


def _configuration(env: ControlEnv, setting: list[int], seed: int) -> dict:
    """Configuration of the run."""
    scenario = env.scenario
    return {
        **scenario.context_record(env.context),
        **({scenario.settings.noun: setting if env.mode == scenario.modes[0] else None} if scenario.settings else {}),
        "mode": env.mode,
        "seed": seed,
        "warmup_windows": env.warmup_windows,
        **scenario.record_in([env.context]),
    }


def write_latencies(path: str | Path, requests: dict[str, np.ndarray]) -> Path:
    """Write the requests of `simulate` as a compressed npz file, atomically.

    Raises:
        InputError: if the file cannot be written.
    """
    return write_atomically(
        path,
        lambda file: np.savez_compressed(file, **requests),  # type: ignore[arg-type]  # none is `allow_pickle`
        mode="wb",
        field="--dump-latencies",
    )
