"""Run one fixed setting window by window and summarise it: what `pmtwin simulate` prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from pmtwin.scenarios.doubts import DOUBTED_PERCENT, doubt_of, doubted, doubts
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.scenarios.statistics import quartiles
from pmtwin.sim.files import write_atomically
from pmtwin.sim.latency_tail import REQUEST_INTERVAL, LatencyTail
from pmtwin.sim.percentiles import split_by_class
from pmtwin.sim.workload import CLASSES

MEASURES = ("reward", "p99_us", "throughput_ops", "interactive_ops", "batch_ops")
"""Summarised over windows; p99 of interactive requests, throughput of both classes and of each."""

OF_LATENCY = ("reward", "p99_us")
"""Of them, what a window without interactive requests has not."""


def simulate(
    env: NvmMiddlewareEnv,
    windows: int,
    seed: int,
    keep_latencies: bool = False,
    on_window: Callable[[], object] | None = None,
    doubted_share: float = DOUBTED_PERCENT,
) -> tuple[dict, dict[str, np.ndarray]]:
    """Run `windows` windows after the warm-up of the environment, pools as it begins with.

    Args:
        doubted_share: percent of the windows that a real middleware may doubt.

    Returns:
        (result, requests). `result` has `engine`, `extrapolated`, `doubts` (of `pmtwin.scenarios.doubts.doubted`),
        `sla_attainment` (share of windows that meet both goals), min, quartiles and max of each of `MEASURES`,
        `latency` (class -> percentiles over all requests of all
        windows up to p99.999, see `sim.LatencyTail.summary`), `interval` (what theirs is), `windows`, and
        `configuration`. Where no interactive request was made there is no p99 and hence neither reward nor SLA:
        such windows are left out of these, which are None if there are no others. `requests` is empty
        unless `keep_latencies`: arrays `window` (int32), `class` (uint8, 0 interactive, 1 batch) and `latency_us`, in
        completion order.
    """
    env.reset(seed=seed)
    pools = list(env.pools)
    series: dict[str, list[float]] = {name: [] for name in MEASURES}
    met, extrapolated, requests, doubt = 0, False, [], []
    tails = {name: LatencyTail() for name in CLASSES}
    for window in range(windows):
        _, reward, _, _, info = env.step(0)
        extrapolated = extrapolated or info["extrapolated"]
        doubt.append(doubt_of(env.middleware))
        classes, latency_us = env.middleware.latencies()
        split = split_by_class(classes, latency_us)[0]
        for tail, values in zip(tails.values(), split, strict=True):
            tail.add(values)
        judged = bool(split[0].size or info["p99_us"])  # p99 of starved requests: see NvmMiddlewareEnv
        for name in MEASURES:
            if judged or name not in OF_LATENCY:
                series[name].append(reward if name == "reward" else info[name])
        met += judged and info["met_latency"] and info["met_throughput"]
        if keep_latencies:
            requests.append((np.full(len(classes), window, dtype=np.int32), classes.copy(), latency_us.copy()))
        if on_window is not None:
            on_window()
    env.close()
    result = {
        "engine": env.twin.engine,
        "extrapolated": extrapolated,
        "doubts": doubted(doubts([doubt]), windows, doubted_share),
        "sla_attainment": met / len(series["p99_us"]) if series["p99_us"] else None,
        **{name: quartiles(np.array(values)) if values else None for name, values in series.items()},
        "interval": REQUEST_INTERVAL,
        "latency": {name: tail.summary() for name, tail in tails.items()},
        "windows": windows,
        "configuration": _configuration(env, pools, seed),
    }
    names = ("window", "class", "latency_us")
    columns = zip(*requests, strict=True)
    return result, {name: np.concatenate(column) for name, column in zip(names, columns, strict=False)}


def _configuration(env: NvmMiddlewareEnv, pools: list[int], seed: int) -> dict:
    """What was run."""
    return {
        "workload": env.workload.name,
        "pools": None if env.twin.mode == "direct" else pools,
        "seed": seed,
        "warmup_windows": env.warmup_windows,
        "offered_ops": {"interactive": env.workload.interactive.rate_ops, "batch": env.workload.batch.rate_ops},
        "twin": {name: value for name, value in env.twin.to_dict().items() if name != "engine"},
        "reward": env.reward_parameters.to_dict(),
    }


def write_latencies(path: str | Path, requests: dict[str, np.ndarray]) -> Path:
    """Write the requests of `simulate` as a compressed npz file, atomically.

    Raises:
        InputError: if the file cannot be written.
    """
    return write_atomically(
        path, lambda file: np.savez_compressed(file, **requests), mode="wb", field="--dump-latencies"
    )
