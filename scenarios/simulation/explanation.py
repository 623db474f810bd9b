"""Explanation of a result, for any scenario: time of requests by station, the limiting station, causes of change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pmtwin.scenarios.environments.environment import ControlEnv
    from pmtwin.scenarios.simulation.moves import Move


@dataclass(frozen=True)
class StationTime:
    """Time of the requests of a class at one station, in us a request and in percent of their latency.

    Args:
        mean_us, percent: mean over all requests.
        slowest_us, slowest_percent: mean over the slowest hundredth of them.
    """

    mean_us: float
    percent: float
    slowest_us: float
    slowest_percent: float


@dataclass(frozen=True)
class ClassTime:
    """Time of the requests of one class; the stations add up to the latency.

    Args:
        requests: how many were answered.
        mean_us: mean latency. slowest_us: mean latency of the slowest hundredth.
        stations: name -> time there, in the order of a request's way.
    """

    requests: int
    mean_us: float
    slowest_us: float
    stations: Mapping[str, StationTime]


@dataclass(frozen=True)
class Use:
    """Mean utilisation of a station: `percent` of its capacity, above 100 where requests wait for it. `meaning`: what
    the number counts."""

    percent: float
    meaning: str


@dataclass(frozen=True)
class Explanation:
    """Explanation of one setting by a scenario.

    Args:
        windows: that were traced, the first of the run.
        time: class of requests -> where their time goes.
        use: station -> how busy it is.
        limits: the station that limits. because: the reason, one sentence.
        moves: effects of the model's parameters on the measures (`pmtwin.scenarios.simulation.moves`).
        moved_windows: over which the medians of `moves` are, the first of the run.
    """

    windows: int
    time: Mapping[str, ClassTime]
    use: Mapping[str, Use]
    limits: str
    because: str
    moves: tuple[Move, ...] = ()
    moved_windows: int = 0

    def with_moves(self, moves: tuple[Move, ...], windows: int) -> Explanation:
        """A copy with the moves of the result."""
        return replace(self, moves=moves, moved_windows=windows)


OnStep = Callable[[], object]
"""Called after every window that was traced and every run of `moves`."""

Explain = Callable[["ControlEnv", int, int, OnStep], Explanation]
"""(environment, windows of the run, seed, after each step) -> explanation: what `Scenario.explained` names."""
