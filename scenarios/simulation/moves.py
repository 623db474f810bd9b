"""Effects of a model's parameters on its measures: one at a time, from end to end of the plausible range."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.simulation.simulation import simulate
from pmtwin.sim.errors import InputError

MOST = 5
"""Parameters that are listed for each measure."""


@dataclass(frozen=True)
class Variation:
    """A parameter at both ends of its range.

    Args:
        parameter: name. unit: of its values. value: the present value.
        low, high: ends of the range. at_low, at_high: the scenario with the parameter at each.
    """

    parameter: str
    unit: str
    value: float
    low: float
    high: float
    at_low: Scenario
    at_high: Scenario


@dataclass(frozen=True)
class Move:
    """Effect of one parameter on one measure; the measure is a median over windows.

    Args:
        measure, parameter, unit, value, low, high: as in `Variation`.
        measured: at the present value. measured_low, measured_high: with the parameter at the ends of its range.
        elasticity: percent of the measure per percent of the parameter, over the range (of logarithms); None where
            an end is 0.
    """

    measure: str
    parameter: str
    unit: str
    value: float
    low: float
    high: float
    measured: float
    measured_low: float
    measured_high: float
    elasticity: float | None

    @property
    def span(self) -> float:
        """Distance of the measure between both ends, as a logarithm."""
        values = self.measured, self.measured_low, self.measured_high
        return _log_ratio(max(values), min(values)) or 0.0


def moves(
    variations: Iterable[Variation],
    run: Callable[[Scenario], ControlEnv],
    scenario: Scenario,
    windows: int,
    seed: int,
    on_step: Callable[[], object],
    most: int = MOST,
) -> tuple[Move, ...]:
    """Parameters that move each compared measure most, the first of them most.

    All runs have the same seed, so that they differ by the parameter alone. A parameter is left out where the model
    refuses an end of its range beside the other values.

    Args:
        run: the environment of a scenario at the setting and context in question.
        windows: of each run.
        most: parameters for each measure.
    """

    def medians(which: Scenario) -> dict[str, float | None]:
        result, _ = simulate(run(which), windows, seed)
        on_step()
        return {measure.name: (result[measure.name] or {}).get("median") for measure in scenario.compared}

    base = medians(scenario)
    every = [move for each in variations for move in _moves_of(each, base, medians)]
    ranked = sorted(every, key=lambda move: -move.span)
    return tuple(
        move
        for measure in scenario.compared
        for move in [move for move in ranked if move.measure == measure.name and move.span > 0.0][:most]
    )


def _moves_of(each: Variation, base: Mapping[str, float | None], medians: Callable) -> Iterator[Move]:
    try:
        low, high = medians(each.at_low), medians(each.at_high)
    except InputError:
        return
    ratio = _log_ratio(each.high, each.low)
    for measure, value in base.items():
        if value is None or low[measure] is None or high[measure] is None:
            continue
        change = _log_ratio(high[measure], low[measure])
        elasticity = None if ratio is None or change is None else change / ratio
        about = (each.parameter, each.unit, each.value, each.low, each.high)
        yield Move(measure, *about, value, low[measure], high[measure], elasticity)


def _log_ratio(high: float, low: float) -> float | None:
    return math.log(high / low) if low > 0.0 and high > 0.0 and high != low else None
