"""Run one fixed setting window by window and summarise it: what `pmtwin simulate` prints."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

from pmtwin.scenarios.doubts import DOUBTED_PERCENT, doubted, doubts
from pmtwin.scenarios.environment import ControlEnv
from pmtwin.sim.files import write_atomically
from pmtwin.sim.latency_tail import REQUEST_INTERVAL, LatencyTail
from pmtwin.sim.statistics import quartiles


def simulate(
    env: ControlEnv,
    windows: int,
    seed: int,
    keep_latencies: bool = False,
    on_window: Callable[[], object] | None = None,
    doubted_share: float = DOUBTED_PERCENT,
) -> tuple[dict, dict[str, np.ndarray]]:
    """Run `windows` windows after the warm-up of the environment, at the setting that it begins with; closes it.

    Args:
        doubted_share: percent of the windows that a real system may doubt.

    Returns:
        (result, requests). `result` has `engine`, `extrapolated`, `doubts` (of `pmtwin.scenarios.doubts.doubted`),
        `sla_attainment` (share of windows that meet all goals), min, quartiles and max of the reward and of each of the
        scenario's measures, `latency` (class -> percentiles over all requests of all windows up to the 99.999th, see
        `sim.LatencyTail.summary`) with `interval` (what theirs is), where requests have classes, `windows`, and
        `configuration`. A window that cannot show a measure (no request of a class was made) is left out of it, of the
        reward and of the goals, which are None if there are no other windows. `requests` is empty unless
        `keep_latencies`: arrays `window` (int32), `class` (uint8, number of the class) and `latency_us`, in completion
        order.
    """
    scenario = env.scenario
    with closing(env):
        env.reset(seed=seed)
        setting = list(env.setting)
        names = ("reward", *(measure.name for measure in scenario.measures))
        series: dict[str, list[float]] = {name: [] for name in names}
        met, extrapolated, requests, doubt = [], False, [], []
        tails = {name: LatencyTail() for name in scenario.request_classes}
        for window in range(windows):
            _, reward, _, _, info = env.step(tuple(setting))
            validity = env.system.validity()
            extrapolated = extrapolated or validity.extrapolated
            doubt.append(validity.doubt)
            if tails:
                classes, latency_us = env.system.requests()
                for number, tail in enumerate(tails.values()):
                    tail.add(latency_us[classes == number])
                if keep_latencies:
                    requests.append((np.full(len(classes), window, dtype=np.int32), classes.copy(), latency_us.copy()))
            for name in names:
                if name not in validity.missing and not (name == "reward" and validity.missing):
                    series[name].append(reward if name == "reward" else info[name])
            if not validity.missing:
                met.append(all(info[f"met_{goal.name}"] for goal in scenario.goals))
            if on_window is not None:
                on_window()
    latency = {"interval": REQUEST_INTERVAL, "latency": {name: tail.summary() for name, tail in tails.items()}}
    result = {
        "engine": scenario.engine,
        "extrapolated": extrapolated,
        "doubts": doubted(doubts([doubt]), windows, doubted_share),
        "sla_attainment": sum(met) / len(met) if met else None,
        **{name: quartiles(np.array(values)) if values else None for name, values in series.items()},
        **(latency if tails else {}),
        "windows": windows,
        "configuration": _configuration(env, setting, seed),
    }
    columns = zip(*requests, strict=True)
    names = ("window", "class", "latency_us")
    return result, {name: np.concatenate(column) for name, column in zip(names, columns, strict=False)}


def _configuration(env: ControlEnv, setting: list[int], seed: int) -> dict:
    """What was run."""
    scenario = env.scenario
    return {
        **scenario.context_record(env.context),
        scenario.settings.noun: setting if env.mode == scenario.modes[0] else None,
        "mode": env.mode,
        "seed": seed,
        "warmup_windows": env.warmup_windows,
        **scenario.record(),
    }


def write_latencies(path: str | Path, requests: dict[str, np.ndarray]) -> Path:
    """Write the requests of `simulate` as a compressed npz file, atomically.

    Raises:
        InputError: if the file cannot be written.
    """
    return write_atomically(
        path, lambda file: np.savez_compressed(file, **requests), mode="wb", field="--dump-latencies"
    )
