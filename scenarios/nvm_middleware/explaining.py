"""Time of the middleware's requests, station by station: engine `simpy` with a trace.

The offered load limits where nearly all of it is answered. Otherwise the pool does whose workers are nearly always
busy; a worker keeps its request until the device is done with it, so that the station that limits is the one where the
workers spend most of their time. docs/where-time-goes.md says more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware.model.engines.traced import STATIONS, Levels, Trace, TracedEngine
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.system import MiddlewareSystem
from pmtwin.scenarios.simulation.explanation import ClassTime, Explanation, OnStep, StationTime, Use
from pmtwin.scenarios.simulation.moves import Variation, moves
from pmtwin.sim.engines import exact_engine_names
from pmtwin.sim.errors import InputError
from pmtwin.sim.load.workload import CLASSES
from pmtwin.sim.parameters.values import PARAMETERS, resolve

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.middleware import EngineFactory


TRACED_REQUESTS = 40_000
"""Least number of traced requests, if the run has as many: some seconds."""

LONGEST_WINDOW_SECONDS = 0.1
LARGEST_WINDOW_REQUESTS = 20_000

MOVED_WINDOWS = 8
"""Windows of each run with another parameter."""

BUSY = 0.95
"""Share of the time that workers of a pool are busy, from which the pool limits."""

ANSWERED = 0.95
"""Share of the offered load that is answered, from which the load limits."""

OFFERED_LOAD = "offered load"
SLOWEST = 0.01


class _Traced(NvmMiddleware):
    """The scenario on an engine that records where requests spend their time."""

    trace: Trace

    def system(
        self, conditions: Any, seed: int, device: int = 0, mode: str | None = None, engine: EngineFactory | None = None
    ) -> MiddlewareSystem:
        traced = engine or partial(TracedEngine, trace=self.trace)
        return super().system(conditions, seed, device, mode, engine=traced)


def _scenario_of(env: ControlEnv) -> NvmMiddleware:
    """The scenario of a run that is explained here."""
    if not isinstance(env.scenario, NvmMiddleware):
        raise TypeError(f"scenario {env.scenario.name} is explained elsewhere")
    return env.scenario


def check(scenario: NvmMiddleware) -> None:
    """Raise `InputError` for an engine that simulates no requests: the real middleware, or formulas."""
    simulators = exact_engine_names()
    if scenario.engine not in simulators:
        raise InputError("engine", scenario.engine, f"a simulator with --explain: {' or '.join(simulators)}")


def explain(env: ControlEnv, windows: int, seed: int, on_step: OnStep) -> Explanation:
    """The explanation of a run at the setting and in the context that `env` begins with; closes nothing of it.

    Windows of more than `LARGEST_WINDOW_REQUESTS` or `LONGEST_WINDOW_SECONDS` are shortened to that.

    Raises:
        InputError: for an engine that simulates no requests: the real middleware, or formulas.
    """
    check(_scenario_of(env))
    traced = explain_time(env, windows, seed, on_step)
    again = partial(_environment, env)
    count = min(MOVED_WINDOWS, windows)
    moved = moves(_variations(env), again, env.scenario, count, seed, on_step)
    return traced.with_moves(moved, count)


def steps(scenario: NvmMiddleware, windows: int) -> int:
    """Number of calls of `on_step` in `explain`."""
    return _windows(_short_windows(scenario), windows) + 1 + 2 * len(PARAMETERS)


def explain_time(env: ControlEnv, windows: int, seed: int, on_step: OnStep = lambda: None) -> Explanation:
    """Explanation without `moves`: one run."""
    short, trace = _short_windows(_scenario_of(env)), Trace()
    scenario, count = _Traced(short.options), _windows(short, windows)
    scenario.trace = trace
    with closing(_environment(env, scenario)) as run:
        run.reset(seed=seed)
        trace.clear()
        for _ in range(count):
            run.carry_out(tuple(run.setting))
            on_step()
    classes, times_us = trace.times_ns()
    times_us *= 1e-3
    direct, levels = env.mode != scenario.modes[0], trace.levels()
    answered = 1e9 * classes.size / trace.duration_ns / levels.offered_ops
    limits, because = _limit(classes, times_us, _pools(levels, direct), answered)
    time = {name: _class_time(times_us[classes == c]) for c, name in enumerate(CLASSES) if np.any(classes == c)}
    return Explanation(count, time, _uses(levels, direct), limits, because)


def _environment(env: ControlEnv, scenario: NvmMiddleware) -> ControlEnv:
    """Another environment that differs by the scenario alone."""
    context = None if scenario.own_conditions is not None else env.context
    return ControlEnv(scenario, context, env.first_setting, None, env.warmup_windows, env.mode)


def _with_twin(scenario: NvmMiddleware, **changes) -> NvmMiddleware:
    return NvmMiddleware(replace(scenario.options, twin=replace(scenario.options.twin, **changes)))


def _short_windows(scenario: NvmMiddleware) -> NvmMiddleware:
    window = scenario.options.twin.window()
    if window.seconds is not None:
        return _with_twin(scenario, drain=False, window_seconds=min(window.seconds, LONGEST_WINDOW_SECONDS))
    return _with_twin(scenario, requests_per_window=min(window.requests, LARGEST_WINDOW_REQUESTS))


def _windows(scenario: NvmMiddleware, windows: int) -> int:
    """Windows that are traced."""
    window = scenario.options.twin.window()
    requests = window.requests if window.seconds is None else TRACED_REQUESTS
    return min(windows, max(TRACED_REQUESTS // requests, 1))


def _variations(env: ControlEnv) -> Iterator[Variation]:
    """Parameters of the model, each at both ends of its plausible range."""
    scenario = _scenario_of(env)
    given, values = scenario.options.twin.parameters, resolve(scenario.offer(env.conditions)[1])
    for name, parameter in PARAMETERS.items():
        ends = [_with_twin(scenario, parameters={**given, name: end}) for end in (parameter.low, parameter.high)]
        yield Variation(name, parameter.unit, float(values[name]), parameter.low, parameter.high, *ends)


def _class_time(times_us: np.ndarray) -> ClassTime:
    """Times of one class's requests; `times_us` has shape (n, stations)."""
    latency = times_us.sum(axis=1)
    slowest = np.argsort(latency)[-max(round(SLOWEST * latency.size), 1) :]
    mean, tail = times_us.mean(axis=0), times_us[slowest].mean(axis=0)
    rows = zip(mean, 100.0 * mean / mean.sum(), tail, 100.0 * tail / tail.sum(), strict=True)
    stations = {name: StationTime(*map(float, row)) for name, row in zip(STATIONS, rows, strict=True)}
    return ClassTime(latency.size, float(mean.sum()), float(tail.sum()), stations)


def _pools(levels: Levels, direct: bool) -> dict[str, float]:
    """Name of each pool and how busy its workers are."""
    if direct:
        return {"direct accesses": levels.workers}
    return dict(zip((f"{name} workers" for name in CLASSES), levels[:2], strict=True))


def _uses(levels: Levels, direct: bool) -> Mapping[str, Use]:
    pools = {name: Use(100.0 * busy, "busy with a request") for name, busy in _pools(levels, direct).items()}
    return pools | {
        "hardware threads": Use(100.0 * levels.hardware_threads, "wanted, by polling and spinning threads as well"),
        "processors": Use(100.0 * levels.processors, "work for requests, of what all cores can do"),
        "device accesses": Use(100.0 * levels.device, "hardware threads that access the device"),
        "device media": Use(100.0 * levels.media, f"busy; {levels.streams:.3g} operations stream their values at once"),
    }


def _limit(classes: np.ndarray, times_us: np.ndarray, pools: Mapping[str, float], answered: float) -> tuple[str, str]:
    """(station that limits, why); `answered` is the share of the offered load."""
    if answered >= ANSWERED:
        return OFFERED_LOAD, f"{100.0 * answered:.0f} % of it are answered"
    least = min(BUSY, max(pools.values()))
    full = [name for name, busy in pools.items() if busy >= least]
    served = np.isin(classes, [c for c, name in enumerate(pools) if name in full]) | (len(pools) == 1)
    work = times_us[served][:, 1:].sum(axis=0)
    most, share = int(work.argmax()), 100.0 * work.max() / work.sum()
    workers, limiting = " and ".join(full), STATIONS[1 + most]
    busy = f"{workers} are busy for at least {100.0 * least:.0f} % of the time, and {share:.0f} % of that goes to it"
    return limiting, busy
