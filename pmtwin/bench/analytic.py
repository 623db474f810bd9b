"""`pmtwin bench analytic`: deviations of the formulas from engine `compiled` over random settings, and their time.

Settings: a phase, a device, a host, pools of 1 to 32 threads, tied classes or separate traces, and for each class a
load of 0.1 to 1.2 of its throughput with saturating requests of both classes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pmtwin.bench import SEED, Request
from pmtwin.console.output import print_table
from pmtwin.console.progress import progress
from pmtwin.scenarios.nvm_middleware.model.analytic.predict import Predictor, predict
from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.model_cache import cached_model
from pmtwin.scenarios.nvm_middleware.model.pools import POOL_MAX, POOL_MIN
from pmtwin.scenarios.nvm_middleware.phases import phase_numbers, phase_workload
from pmtwin.sim.device.profile import DEFAULT_PROFILE, Profile, load_profile
from pmtwin.sim.device.sampling import sample_profiles
from pmtwin.sim.host.file import DEFAULT_HOST, sample_hosts, shipped_host
from pmtwin.sim.load.workload import CLASSES, Workload
from pmtwin.sim.parameters.values import resolve

SETTINGS = 500
WINDOWS_A_REPEAT = 40
"""Windows of 5,000 requests of each setting, for each of the command's repeats, after `WARM_UP_WINDOWS`."""

WARM_UP_WINDOWS = 8
LOADS = 0.1, 1.2
SAMPLES = 3, 6
"""Numbers of sampled devices and hosts, in addition to the shipped ones."""

BATCHES = 10
"""Number of batches of windows for the standard errors of the simulation (method of batch means)."""

SATURATING_OPS = 1e8
CALLS = 200

QUANTITIES = ("throughput", "mean", "p50", "p99")
WANTED = {"throughput": (1.0, 4.0), "mean": (1.0, 4.0), "p99": (5.0, 15.0)}
"""Wanted median and 90th percentile of the absolute errors, in percent."""


class Setting(NamedTuple):
    """A random setting; `device` and `host` are indices of lists."""

    phase: int
    device: int
    host: int
    pools: tuple[int, int]
    loads: tuple[float, float]
    tied: bool
    seed: int


def measure(request: Request) -> dict:
    """Errors over all settings and by region, and times of a call.

    Returns:
        `errors_percent`: for each region `classes` (number of classes) and for each quantity `median` and `p90` of the
        absolute error, `bias` (median of the signed error), and `simulation_median` and `simulation_p90` of the
        standard error of the simulation; `us_per_call`, `ms_per_1024_pools`: minimum and median.
    """
    devices, hosts = _devices(), _hosts()
    rows = []
    with progress(desc="settings", total=SETTINGS) as bar:
        for setting in sorted(_settings(len(devices), len(hosts))):
            rows += _compared(setting, devices[setting.device], hosts[setting.host], request.repeats)
            bar.update()
    whole = _region(rows, lambda row: True)
    return {
        "settings": SETTINGS,
        "windows": WINDOWS_A_REPEAT * request.repeats,
        "wanted_percent": {name: {"median": low, "p90": high} for name, (low, high) in WANTED.items()},
        "reached": all(whole[name]["median"] <= low and whole[name]["p90"] <= high for name, (low, high) in
                       WANTED.items()),
        "errors_percent": {"all": whole} | {name: _region(rows, belongs) for name, belongs in _regions().items()},
        **_times(hosts[1]),
    }  # fmt: skip


def show(report: dict) -> None:
    """Print the errors by region, and the times."""
    rows = []
    for name, region in report["errors_percent"].items():
        cells = [f"{region[q]['median']:.2f} / {region[q]['p90']:.2f}" for q in QUANTITIES] if region["classes"] else []
        rows.append((name, region["classes"], *(cells or ["-"] * len(QUANTITIES))))
    print(f"error beside engine compiled in %, median / 90th percentile; {report['windows']} windows a setting")
    print_table(rows, ("region", "classes", *QUANTITIES))
    whole = report["errors_percent"]["all"]
    noise = [f"{q} {whole[q]['simulation_median']:.2f} / {whole[q]['simulation_p90']:.2f}" for q in QUANTITIES]
    print("standard error of the simulation itself in %, median / 90th percentile:", ", ".join(noise))
    call, pools = report["us_per_call"], report["ms_per_1024_pools"]
    print(f"a call: {call['min']:.1f} us at least, {call['median']:.1f} in the median")
    print(f"1,024 pools: {pools['min']:.1f} ms at least, {pools['median']:.1f} in the median")
    print(f"set-up of a model: {report['ms_set_up']:.0f} ms")
    wanted = ", ".join(f"{q} {bound['median']:g} / {bound['p90']:g}" for q, bound in report["wanted_percent"].items())
    print(f"wanted of all, median / 90th percentile: {wanted}: {'reached' if report['reached'] else 'not reached'}")


def _settings(devices: int, hosts: int) -> Iterator[Setting]:
    generator = np.random.default_rng(SEED)
    for number in range(SETTINGS):
        place = generator.integers(len(phase_numbers())), generator.integers(devices), generator.integers(hosts)
        pools = generator.integers(POOL_MIN, POOL_MAX + 1, 2).tolist()
        loads = generator.uniform(*LOADS, 2).tolist()
        phase, device, host = (int(index) for index in place)
        yield Setting(phase_numbers()[phase], device, host, tuple(pools), tuple(loads), bool(number % 2), number)


def _devices() -> list[Profile]:
    default = load_profile(DEFAULT_PROFILE)
    others = [load_profile(name) for name in ("dram-ddr4", "optane-dcpmm-100-256gb")]
    return [default, *others, *sample_profiles(default, SAMPLES[0], SEED)]


def _hosts() -> list[dict[str, float]]:
    """Parameters of the assumed host, of the inferred one, and of samples of the latter."""
    inferred = shipped_host(DEFAULT_HOST)
    return [{}, inferred.values, *sample_hosts(inferred, SAMPLES[1], SEED)]


def _compared(setting: Setting, device: Profile, host: dict[str, float], repeats: int) -> list[dict]:
    """A row for each class: the setting, and relative errors of `QUANTITIES`."""
    saturated = replace(phase_workload(setting.phase, SATURATING_OPS, SATURATING_OPS), tied=False)
    middleware = Middleware(saturated, device, seed=setting.seed, parameters=host)
    middleware.start(*setting.pools)
    middleware.run_window()
    most = middleware.run_window()
    rates = [load * rate for load, rate in zip(setting.loads, (most.interactive_ops, most.batch_ops), strict=True)]
    workload = replace(phase_workload(setting.phase, *rates), tied=setting.tied)
    simulated = _simulated(workload, setting, device, host, repeats)
    model = cached_model(device, workload, workload.kinds, resolve(host), False)[0]
    prediction = predict(model, setting.pools)
    rows = []
    for c, (name, (values, standard_errors)) in enumerate(zip(CLASSES, simulated, strict=True)):
        predicted = np.array([prediction.ops[0, c], prediction.mean_us[0, c], *prediction.percentile_us[0, c]])
        errors = dict(zip(QUANTITIES, 100.0 * (predicted / values - 1.0), strict=True))
        noise = dict(zip(QUANTITIES, 100.0 * standard_errors / values, strict=True))
        place = {"class": name, "load": setting.loads[c], "workers": setting.pools[c], "threads": sum(setting.pools)}
        rows.append({**place, "tied": setting.tied, "host": setting.host, "errors": errors, "noise": noise})
    return rows


def _simulated(
    workload: Workload, setting: Setting, device: Profile, host: dict[str, float], repeats: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """(`QUANTITIES`, their standard errors) of each class: answers per second, latencies in us."""
    middleware = Middleware(workload, device, seed=setting.seed, parameters=host)
    middleware.start(*setting.pools)
    for _ in range(WARM_UP_WINDOWS):
        middleware.run_window()
    seconds, latencies = [], []
    for _ in range(WINDOWS_A_REPEAT * repeats):
        seconds.append(middleware.run_window().duration_s)
        classes, latency = middleware.latencies()
        latencies.append([latency[classes == c] for c in range(len(CLASSES))])
    return [_with_errors(np.array(seconds), [window[c] for window in latencies]) for c in range(len(CLASSES))]


def _with_errors(seconds: np.ndarray, latencies: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(`QUANTITIES` of all windows, their standard errors by the method of batch means)."""
    batches = np.array_split(np.arange(len(latencies)), min(BATCHES, len(latencies)))
    values = np.array([_quantities(seconds[batch], [latencies[w] for w in batch]) for batch in batches])
    return _quantities(seconds, latencies), values.std(axis=0, ddof=1) / math.sqrt(len(batches))


def _quantities(seconds: np.ndarray, latencies: list[np.ndarray]) -> np.ndarray:
    """`QUANTITIES` of windows of one class."""
    together = np.concatenate(latencies)
    return np.array([together.size / seconds.sum(), together.mean(), *np.percentile(together, [50.0, 99.0])])


def _regions() -> dict[str, Callable[[dict], bool]]:
    """Name of a region -> function that tells whether a row belongs to it."""
    regions: dict[str, Callable[[dict], bool]] = {name: _equal("class", name) for name in CLASSES}
    regions |= {"own traces": _equal("tied", False), "tied": _equal("tied", True)}
    for low, high in ((0.1, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.05), (1.05, 1.2)):
        regions[f"load {low} to {high}"] = _load_within(low, high)
    for fewest, most in ((1, 1), (2, 3), (4, 8), (9, 16), (17, 32)):
        regions[f"{fewest} to {most} workers"] = _workers_within(fewest, most)
    regions["at most 48 threads"] = lambda row: row["threads"] <= 48
    regions["more than 48 threads"] = lambda row: row["threads"] > 48
    regions |= {"host assumed": lambda row: row["host"] == 0, "other hosts": lambda row: row["host"] > 0}
    return regions


def _equal(name: str, value: object) -> Callable[[dict], bool]:
    return lambda row: row[name] == value


def _load_within(low: float, high: float) -> Callable[[dict], bool]:
    return lambda row: low <= row["load"] < high


def _workers_within(fewest: int, most: int) -> Callable[[dict], bool]:
    return lambda row: fewest <= row["workers"] <= most


def _region(rows: list[dict], belongs: Callable[[dict], bool]) -> dict:
    inside = [row for row in rows if belongs(row)]
    region: dict = {"classes": len(inside)}
    for name in QUANTITIES if inside else ():
        errors, noise = (np.array([row[each][name] for row in inside]) for each in ("errors", "noise"))
        (median, p90), (noise_median, noise_p90) = (np.percentile(v, [50.0, 90.0]) for v in (np.abs(errors), noise))
        values = {
            "median": median, "p90": p90, "bias": np.median(errors), "simulation_median": noise_median,
            "simulation_p90": noise_p90,
        }  # fmt: skip
        region[name] = {key: round(float(value), 3) for key, value in values.items()}
    return region


def _times(host: dict[str, float]) -> dict:
    """Times of one call and of all pools of a phase, without the set-up, whose time is a field of its own."""
    workload = replace(phase_workload(1), tied=False)
    model = cached_model(load_profile(DEFAULT_PROFILE), workload, workload.kinds, resolve(host), False)[0]
    vars(model).pop("demands", None)
    started = time.perf_counter()
    _ = model.demands
    set_up = time.perf_counter() - started
    predictor, every = Predictor(model), range(POOL_MIN, POOL_MAX + 1)
    pools = np.array([(first, second) for first in every for second in every])
    rates = np.full(pools.shape, 1.5e-4)
    calls = [_seconds(lambda: predictor(pools[:1], rates[:1])) for _ in range(CALLS)]
    whole = [_seconds(lambda: predictor(pools, rates)) for _ in range(math.ceil(CALLS / 10))]
    return {
        "us_per_call": {"min": 1e6 * min(calls), "median": 1e6 * float(np.median(calls))},
        "ms_per_1024_pools": {"min": 1e3 * min(whole), "median": 1e3 * float(np.median(whole))},
        "ms_set_up": 1e3 * set_up,
    }


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
