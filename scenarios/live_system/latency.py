"""An objective that a long latency lowers, in the place of a live system's own (`pmtwin.sim.control.tradeoff`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pmtwin.scenarios.live_system.declaration import Indicators, Live
from pmtwin.sim.control import Column
from pmtwin.sim.control.tradeoff import Tradeoff
from pmtwin.sim.errors import InputError

FIELD = "latency"


def named(live: Live, latency: str, weight: float) -> Live:
    """The system under another name, so that no replay database of its own objective is gone on with.

    Raises:
        InputError: for a system whose objective is no indicator.
    """
    if live.indicator is None:
        raise InputError(FIELD, latency, f"for a system whose objective is the name of an indicator; not {live.name}")
    written = repr(weight).removesuffix(".0")  # reads back to the same number
    return replace(live, name=f"{live.name} less {written} x {latency}")


def tradeoff_of(live: Live, columns: Sequence[Column], latency: str, weight: float) -> Tradeoff:
    """The objective, with references from the bounds of the columns, which a replay database keeps.

    A reference is the geometric mean of the least and the greatest value of the first ticks.

    Raises:
        InputError: unless objective and latency are indicators above 0.
    """
    bounds = {column.name: (column.low, column.high) for column in columns if column.name not in live.settings.names}
    for field, name in ((f"{live.name}: objective", str(live.indicator)), (FIELD, latency)):
        if name not in bounds or bounds[name][0] <= 0.0:
            positive = ", ".join(other for other, (low, _) in bounds.items() if low > 0.0)
            raise InputError(field, name, f"an indicator that is above 0 in the first ticks: {positive or 'none'}")
    served, waited = (math.sqrt(low * high) for low, high in (bounds[str(live.indicator)], bounds[latency]))
    return Tradeoff(served, waited, weight)


def traded(live: Live, tradeoff: Tradeoff, latency: str) -> Live:
    """The system with the objective."""

    def objective(indicators: Indicators) -> float:
        return tradeoff(indicators[str(live.indicator)], indicators[latency])

    return replace(live, objective=objective)
