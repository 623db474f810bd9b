"""Effects of a model's parameters on its measures: each varied alone, from end to end of its plausible range."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.simulation.simulation import simulate
from pmtwin.sim.errors import InputError

MOST = 5
"""Number of parameters that are listed for each measure."""


@dataclass(frozen=True)
class Variation:
    """A parameter at both ends of its range.

    Args:
        parameter: name of the parameter.
        unit: unit of its values.
        value: present value.
        low, high: ends of the range.
        at_low, at_high: the scenario with the parameter at each end.
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
        measure: name of the measure.
        parameter, unit, value, low, high: as in `Variation`.
        measured: the measure at the present value.
        measured_low, measured_high: the measure with the parameter at the ends of its range.
        elasticity: percent of the measure per percent of the parameter, over the range (a ratio of logarithms); None if
            an end or its measure is 0, or nothing changes.
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
        """Logarithm of the ratio of the largest and the smallest of the three measured values; 0 if undefined."""
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
    """For each compared measure, the parameters with the largest effects, largest first.

    All runs have the same seed, so that they differ only by the parameter. A parameter is left out if the model refuses
    an end of its range.

    Args:
        variations: parameters to vary.
        run: scenario -> its environment, at the setting and context in question.
        scenario: scenario with the present values.
        windows: number of windows of each run.
        seed: seed of each run.
        on_step: called after each run.
        most: largest number of parameters for each measure.
    """

    def medians(varied: Scenario) -> dict[str, float | None]:
        result, _ = simulate(run(varied), windows, seed)
        on_step()
        return {measure.name: (result[measure.name] or {}).get("median") for measure in scenario.compared}

    base = medians(scenario)
    effects = [move for variation in variations for move in _moves_of(variation, base, medians)]
    ranked = sorted(effects, key=lambda move: -move.span)
    return tuple(
        move
        for measure in scenario.compared
        for move in [move for move in ranked if move.measure == measure.name and move.span > 0.0][:most]
    )


def _moves_of(variation: Variation, base: Mapping[str, float | None], medians: Callable) -> Iterator[Move]:
    try:
        low, high = medians(variation.at_low), medians(variation.at_high)
    except InputError:
        return
    ratio = _log_ratio(variation.high, variation.low)
    for measure, value in base.items():
        if value is None or low[measure] is None or high[measure] is None:
            continue
        change = _log_ratio(high[measure], low[measure])
        elasticity = None if ratio is None or change is None else change / ratio
        parameter = (variation.parameter, variation.unit, variation.value, variation.low, variation.high)
        yield Move(measure, *parameter, value, low[measure], high[measure], elasticity)


def _log_ratio(high: float, low: float) -> float | None:
    return math.log(high / low) if low > 0.0 and high > 0.0 and high != low else None
