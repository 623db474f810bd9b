"""From samples of the host's experiments to parameters of the twin, with intervals over rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pmtwin.scenarios.nvm_middleware.host.contention import contention_seen
from pmtwin.scenarios.nvm_middleware.host.device_part import slowdown_ns
from pmtwin.scenarios.nvm_middleware.host.experiments import EACH_POOL, IDLE, MIXES, SIZES, cells, handoff_name
from pmtwin.sim.device.payloads import ns_per_byte, payload_operation
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.parameters.values import PARAMETERS

TYPICAL = ("one client", "paced", IDLE)
"""Cells whose median over rounds counts. Of the others it is the mean rate: that is what throughput is made of."""
CROWDS = [(workers, mix) for workers in EACH_POOL for mix in MIXES]
"""Workers of each pool and share of writes, where several workers meet."""
REPLICATES, QUANTILES = 400, (0.025, 0.975)
INTERVAL = "95 % percentile bootstrap over rounds"

EXPERIMENTS = {
    "handoff_ns": f"saturated pools of {EACH_POOL} workers each over the store, gets and puts, less what one worker "
    "takes and by how much the twin says that accesses slow each other down; of gets",
    "handoff_contention_threads": "the same: growth with the number of workers",
    "worker_wakeup_ns": "median latency of single requests to a sleeping worker, less a hand-off",
    "cpu_noise_sigma": "quartiles of the latency of one client with one worker",
    "workers_poll": "processors that 64 idle workers take",
    **{
        f"{operation}_{name}": f"one worker, values of {SIZES} bytes, less a hand-off; {how}"
        for operation in ("get", "put")
        for name, how in {
            "software_ns": "few keys"
            + (", and what they take more than gets among several workers" if operation == "put" else ""),
            "copy_ns_per_byte": "few keys" if operation == "put" else "all keys, less what the profile says of bytes",
            "chain_accesses": "all keys over few, in accesses of the profile",
        }.items()
    },
    "put_write_factor": "growth with the size, all keys over few, in bytes of the profile",
}
"""Parameter -> where its value comes from."""

ASSUMED = {
    "client_wakeup_ns": (0.0, "the clients are no threads: the worker that answered submits the next request"),
    "spinning_clients": (0.0, "the clients are no threads"),
    "access_holds_cpu": (1.0, "loads and flushes keep their hardware thread until the memory has answered"),
    "kv_contention_threads": (
        1e6,
        "by how much the store's software slows down among threads is in hand-off and puts",
    ),
    "put_persists": (0.0, "not told from the software: what flushes and fences of hot lines take is in it"),
    "timeslice_ns": (0.0, "windows are as short as time slices: threads that wait are taken to share evenly"),
}
"""Parameter -> (value, reason): not measured, but set by how driver and processor work, or part of what is measured."""


def parameters(
    samples: Mapping[str, Sequence[float]],
    profile: Profile,
    cores: int,
    threads_per_core: int,
    on_crowd: Callable[[], object] = lambda: None,
) -> dict[str, dict]:
    """Every parameter that was measured, follows from the design, or is assumed otherwise than for the thesis' machine.

    Args:
        samples: of `pmtwin.scenarios.nvm_middleware.host.experiments`, as many of each.
        profile: of the memory that the store lies in. cores, threads_per_core: of this machine.
        on_crowd: called after each of `CROWDS`, which take most of the time (progress).

    Returns:
        name -> `value`; `low` and `high` where there is an interval; `origin`; `source`: the experiment or the reason.
    """
    rounds = np.array([samples[name] for name in samples])
    names = list(samples)
    count: int = rounds.shape[1]

    idle_ns = profile.idle_latency_ns["load", "random"]
    bytes_ns = {operation: _bytes_ns(profile, operation) for operation in ("get", "put")}

    def times_of(some: np.ndarray) -> dict[str, float]:
        return {name: _time(name, row[some]) for name, row in zip(names, rounds, strict=True)}

    def alone(times: Mapping[str, float]) -> dict[str, float]:
        fitted = _processors(times, cores)
        for operation in bytes_ns:
            fitted |= _operation(times, operation, bytes_ns[operation], idle_ns)
        return fitted

    def estimate(some: np.ndarray, slowdown: np.ndarray) -> dict[str, float]:
        times = times_of(some)
        handoff, put_more = _handoff(times, slowdown)
        fitted = alone(times) | handoff
        fitted["put_software_ns"] += put_more
        return _within_limits(fitted)

    everything = np.arange(count)
    fixed = {name: value for name, (value, _) in ASSUMED.items()}
    fixed |= {"cores": cores, "threads_per_core": threads_per_core}
    times = times_of(everything)
    slowdown = _slowdown(times, profile, fixed | _within_limits(alone(times)), on_crowd)
    estimated, rng = estimate(everything, slowdown), np.random.default_rng(0)
    replicates = [estimate(rng.integers(0, count, size=count), slowdown) for _ in range(REPLICATES)]
    entries: dict[str, dict] = {
        "cores": {"value": float(cores), "origin": "measured", "source": "this machine"},
        "threads_per_core": {"value": float(threads_per_core), "origin": "measured", "source": "this machine"},
    }
    for name, value in estimated.items():
        low, high = np.quantile([replicate[name] for replicate in replicates], QUANTILES)
        interval = {"low": min(float(low), value), "high": max(float(high), value)}
        source = "; ".join(filter(None, [EXPERIMENTS[name], contention_seen(name, value, interval["high"])]))
        entries[name] = {"value": value, **interval, "origin": "measured", "source": source}
    for name, (value, why) in ASSUMED.items():
        entries[name] = {"value": value, "origin": "assumed", "source": why}
    return entries


def _within_limits(values: Mapping[str, float]) -> dict[str, float]:
    return {name: float(np.clip(value, *PARAMETERS[name].limits)) for name, value in values.items()}


def mean_time(times: np.ndarray) -> np.ndarray:
    """Over the last axis, of rounds: the time at the mean rate."""
    return 1.0 / np.mean(1.0 / times, axis=-1)


def _time(name: str, values: np.ndarray) -> float:
    return float(np.median(values) if name in TYPICAL else mean_time(values))


def _processors(times: Mapping[str, float], cores: int) -> dict[str, float]:
    return {
        "worker_wakeup_ns": times["paced"] - times["alone:hot"],
        "cpu_noise_sigma": times["one client"],
        "workers_poll": float(times[IDLE] > 0.5 * cores),
    }


def _left(times: Mapping[str, float], slowdown: np.ndarray) -> np.ndarray:
    """Of each of `CROWDS`, in ns: without what the store takes alone, and its device among the others."""
    get, put = (
        np.mean([times[f"{operation}:{size}:cold"] for size in SIZES]) - times["alone:cold"]
        for operation in ("get", "put")
    )
    alone = np.array([mix * put + (1.0 - mix) * get for _, mix in CROWDS])
    return _whole(times) - alone - slowdown


def _whole(times: Mapping[str, float]) -> np.ndarray:
    return np.array([times[handoff_name(*crowd)] for crowd in CROWDS])


def _slowdown(
    times: Mapping[str, float], profile: Profile, values: Mapping[str, float], on_crowd: Callable[[], object]
) -> np.ndarray:
    """The device's part in ns, shape (crowds,), by the twin with what is known so far."""
    by_name = {cell.name: cell for cell in cells(2)}  # the twin has no keys
    left, slowdown = _left(times, np.zeros(len(CROWDS))), np.zeros(len(CROWDS))
    for mix in MIXES:
        places = [place for place, crowd in enumerate(CROWDS) if crowd[1] == mix]
        together = [by_name[handoff_name(*CROWDS[place])] for place in places]
        operations = ["get"] * (mix < 1.0) + ["put"] * (mix > 0.0)
        alone = [by_name[f"{operation}:{size}:cold"] for operation in operations for size in SIZES]
        slowdown[places] = slowdown_ns(together, alone, profile, values, left[places], on_crowd)
    return slowdown


def _handoff(times: Mapping[str, float], slowdown: np.ndarray) -> tuple[dict[str, float], float]:
    """handoff (1 + (n / contention)^2), not falling, and what a put takes beyond it in ns: least squares."""
    workers, mix = np.array(CROWDS).T
    left, scale = _left(times, slowdown), _whole(times)
    rows = np.column_stack([np.ones_like(mix), mix, (2.0 * workers) ** 2]) / scale[:, None]
    base, more, growth = np.linalg.lstsq(rows, left / scale, rcond=None)[0]
    if growth < 0.0:
        (base, more), growth = np.linalg.lstsq(rows[:, :2], left / scale, rcond=None)[0], 0.0
    handoff = {
        "handoff_ns": base,
        "handoff_contention_threads": (base / growth) ** 0.5 if base > 0.0 and growth > 0.0 else np.inf,
    }
    return handoff, float(more)


def _bytes_ns(profile: Profile, operation: str) -> np.ndarray:
    """What the profile says of moving the bytes of a value, of each size."""
    sizes = np.array(SIZES, dtype=float)
    instructions = np.array([payload_operation(operation == "put", size) for size in sizes])
    return sizes * ns_per_byte(profile, instructions, sizes, np.ones_like(sizes), usual_dimms(profile))


def _operation(times: Mapping[str, float], operation: str, bytes_ns: np.ndarray, idle_ns: float) -> dict[str, float]:
    """What all keys take is what the twin must say; few keys tell the software's part of it from the accesses'."""
    sizes = np.array(SIZES, dtype=float)
    hot, cold = (
        np.array([times[f"{operation}:{size}:{label}"] - times[f"alone:{label}"] for size in SIZES])
        for label in ("hot", "cold")
    )
    software, hot_copy = _line(sizes, hot, hot)
    if operation == "get":
        fixed, copy = _line(sizes, cold - bytes_ns, cold)
        fitted = {}
    else:
        copy = hot_copy
        fixed, factor = _line(bytes_ns, cold - copy * sizes, cold)
        fitted = {"put_write_factor": factor}
    software = min(software, fixed)
    return fitted | {
        f"{operation}_software_ns": software,
        f"{operation}_copy_ns_per_byte": copy,
        f"{operation}_chain_accesses": (fixed - software) / idle_ns,
    }


def _line(x: np.ndarray, y: np.ndarray, scale: np.ndarray) -> tuple[float, float]:
    """(intercept, slope) of least squares of errors relative to `scale`, neither below zero."""
    scale = np.maximum(scale, 1.0)
    rows, wanted = np.column_stack([np.ones_like(x), x]) / scale[:, None], y / scale
    intercept, slope = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    if slope < 0.0:
        return max(float(rows[:, 0] @ wanted / (rows[:, 0] @ rows[:, 0])), 0.0), 0.0
    if intercept < 0.0:
        return 0.0, max(float(rows[:, 1] @ wanted / (rows[:, 1] @ rows[:, 1])), 0.0)
    return float(intercept), float(slope)
