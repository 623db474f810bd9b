"""`pmtwin bench engine`: requests per second of the engines, and of many replicas of the compiled one in a batch."""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case, show
from pmtwin.bench.timing import Work
from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.replicas import Replicas
from pmtwin.scenarios.nvm_middleware.model.window_stats import WindowStats
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim.engines import exact_engine_names
from pmtwin.sim.errors import CheckFailedError

__all__ = ["measure", "show"]


class Setting(NamedTuple):
    """A load on the middleware: a phase of the thesis' Appendix C, and pools."""

    phase: int
    pools: tuple[int, int]
    mode: str = "middleware"


SETTINGS = (Setting(1, (10, 10)), Setting(1, (15, 15)), Setting(3, (10, 10)), Setting(1, (1, 1), "direct"))
WARM_UP_WINDOWS = 3
REPLICAS = 16
"""Number of systems, each with another seed, of the contender `replicas`."""


def measure(request: Request) -> dict:
    """Time both engines in turn, and replicas.

    Raises:
        CheckFailedError: if their simulations differ.
    """
    return race.measure("requests", _cases(), request, several_cores=True)


def _cases() -> list[Case]:
    """Both engines on the same settings and seeds, after a warm-up that also checks that they agree."""
    cases = []
    for setting in SETTINGS:
        engines = {name: _warm_middleware(setting, name) for name in sorted(exact_engine_names())}
        last = {name: middleware.get_stats() for name, middleware in engines.items()}
        if len(set(last.values())) != 1:
            raise CheckFailedError(f"the engines disagree: {last}")
        pools = "no middleware" if setting.mode == "direct" else f"pools {setting.pools[0]},{setting.pools[1]}"
        contenders = {name: _window_of(middleware) for name, middleware in engines.items()}
        contenders["replicas"] = _windows_of_replicas(setting, last["compiled"])
        cases.append(Case(f"phase {setting.phase}, {pools}", contenders))
    return cases


def _warm_middleware(setting: Setting, engine: str) -> Middleware:
    middleware = _middleware(setting, engine, SEED)
    for _ in range(WARM_UP_WINDOWS):
        middleware.run_window()
    return middleware


def _middleware(setting: Setting, engine: str, seed: int) -> Middleware:
    middleware = Middleware(phase_workload(setting.phase), engine=engine, seed=seed, mode=setting.mode)
    middleware.start(*setting.pools)
    return middleware


def _windows_of_replicas(setting: Setting, alone: WindowStats) -> Work:
    """A window of each replica, on all processors; `alone`: statistics of the first replica run alone."""
    middlewares = [_middleware(setting, "compiled", SEED + number) for number in range(REPLICAS)]
    replicas = Replicas()
    for _ in range(WARM_UP_WINDOWS):
        replicas.run_windows(middlewares)
    if middlewares[0].get_stats() != alone:
        raise CheckFailedError(f"replicas disagree with one: {middlewares[0].get_stats()}, {alone}")
    return lambda: int(replicas.run_windows(middlewares)[0].completed.sum())


def _window_of(middleware: Middleware) -> Work:
    return lambda: int(middleware.run_window().completed)
