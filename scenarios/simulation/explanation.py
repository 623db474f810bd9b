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
    """Time of a class of requests at one station, in us per request and in percent of the latency.

    Args:
        mean_us, percent: mean over all requests.
        slowest_us, slowest_percent: mean over the slowest 1 % of the requests.
    """

    mean_us: float
    percent: float
    slowest_us: float
    slowest_percent: float


@dataclass(frozen=True)
class ClassTime:
    """Time of the requests of one class; the times at the stations add up to the latency.

    Args:
        requests: number of answered requests.
        mean_us: mean latency.
        slowest_us: mean latency of the slowest 1 % of the requests.
        stations: station -> time there, in the order in which a request visits them.
    """

    requests: int
    mean_us: float
    slowest_us: float
    stations: Mapping[str, StationTime]


@dataclass(frozen=True)
class Use:
    """Mean utilisation of a station.

    Args:
        percent: percent of its capacity; above 100 if requests wait for it.
        meaning: what the number counts, in words.
    """

    percent: float
    meaning: str


@dataclass(frozen=True)
class Explanation:
    """Explanation of one setting by a scenario.

    Args:
        windows: number of windows that were traced, from the beginning of the run.
        time: class of requests -> its time at the stations.
        use: station -> its utilisation.
        limits: the limiting station.
        because: the reason why it limits, in one sentence.
        moves: effects of the model's parameters on the measures (`pmtwin.scenarios.simulation.moves`).
        moved_windows: number of windows, from the beginning of the run, for the medians of `moves`.
    """

    windows: int
    time: Mapping[str, ClassTime]
    use: Mapping[str, Use]
    limits: str
    because: str
    moves: tuple[Move, ...] = ()
    moved_windows: int = 0

    def with_moves(self, moves: tuple[Move, ...], windows: int) -> Explanation:
        """A copy with `moves` and the number of their windows."""
        return replace(self, moves=moves, moved_windows=windows)


OnStep = Callable[[], object]
"""Called after every traced window and after every run of `moves`."""

Explain = Callable[["ControlEnv", int, int, OnStep], Explanation]
"""(environment, number of windows of the run, seed, `OnStep`) -> explanation; `Scenario.explained` names such one."""
