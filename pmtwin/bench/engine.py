"""`pmtwin bench engine`: how many requests the engines simulate."""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case, show
from pmtwin.bench.timing import Work
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim.engines import engine_names
from pmtwin.sim.errors import CheckFailedError
from pmtwin.sim.middleware import Middleware

__all__ = ["measure", "show"]


class Setting(NamedTuple):
    """One load on the middleware: a phase of the thesis' Appendix C and the pools."""

    phase: int
    pools: tuple[int, int]
    mode: str = "middleware"


SETTINGS = (Setting(1, (10, 10)), Setting(1, (15, 15)), Setting(3, (10, 10)), Setting(1, (1, 1), "direct"))
WARM_UP_WINDOWS = 3


def measure(request: Request) -> dict:
    """Time both engines in turn.

    Raises:
        CheckFailedError: they disagree about what they simulate.
    """
    return race.measure("requests", _cases(), request)


def _cases() -> list[Case]:
    """Both engines on the same settings and seeds, past their warm-up, which also shows that they agree."""
    cases = []
    for setting in SETTINGS:
        engines = {name: _warm_middleware(setting, name) for name in sorted(engine_names())}
        last = {name: middleware.get_stats() for name, middleware in engines.items()}
        if len(set(last.values())) != 1:
            raise CheckFailedError(f"the engines disagree: {last}")
        pools = "no middleware" if setting.mode == "direct" else f"pools {setting.pools[0]},{setting.pools[1]}"
        contenders = {name: _window_of(middleware) for name, middleware in engines.items()}
        cases.append(Case(f"phase {setting.phase}, {pools}", contenders))
    return cases


def _warm_middleware(setting: Setting, engine: str) -> Middleware:
    middleware = Middleware(phase_workload(setting.phase), engine=engine, seed=SEED, mode=setting.mode)
    middleware.start(*setting.pools)
    for _ in range(WARM_UP_WINDOWS):
        middleware.run_window()
    return middleware


def _window_of(middleware: Middleware) -> Work:
    return lambda: middleware.run_window().completed
