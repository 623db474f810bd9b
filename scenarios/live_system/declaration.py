"""Declaration of a live system in a user's file: `store = live(collect, control, parameters, objective, tick_s)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pmtwin.sim.common.user_files import place_of
from pmtwin.sim.control import Settings
from pmtwin.sim.errors import FAILURES, InputError, PmtwinError, ScenarioError, check_range, fault_of

Indicators: TypeAlias = Mapping[str, float]
Collect: TypeAlias = Callable[[], Indicators | None]
Control: TypeAlias = Callable[[dict[str, int]], None]

NOUN = "setting"
LONGEST_TICK_S = 3600.0


@dataclass(frozen=True)
class Live:
    """A live system; made by `live`.

    Args:
        collect: returns the indicators of the last tick by name, or None if the tick is lost.
        control: sets the parameters, given by name.
        start: parameter -> value that the system has now.
        settings: the parameters, their values, and the actions: 0 changes nothing, 2k + 1 and 2k + 2 move parameter k
            to its next higher and next lower value.
        objective: function: indicators -> number that is to be raised.
        tick_s: seconds from tick to tick; 0: `collect` is called without waiting.
        name: name of the system.
        indicator: name of the indicator that is the objective; None: the objective is a function of several.
    """

    collect: Collect
    control: Control
    start: Mapping[str, int]
    settings: Settings
    objective: Callable[[Indicators], float]
    tick_s: float
    name: str = "live"
    indicator: str | None = None

    @property
    def initial(self) -> tuple[int, ...]:
        """The setting that the system has now."""
        return tuple(self.start[name] for name in self.settings.names)

    def collected(self) -> dict[str, float] | None:
        """The indicators of a tick as floats; None for a lost tick.

        Raises:
            InputError: for an answer that is no mapping of names to finite numbers.
            ScenarioError: if the function of the user's file fails.
        """
        answer = self._call("collect", self.collect)
        if answer is None:
            return None
        field, allowed = f"{self.name}: collect()", "a mapping: name -> finite number, or None for a lost tick"
        if not isinstance(answer, Mapping) or not answer or not all(isinstance(name, str) for name in answer):
            raise InputError(field, answer if isinstance(answer, str | int | float) else repr(answer), allowed)
        for name, value in answer.items():
            if isinstance(value, bool) or not _is_finite(value):
                raise InputError(f"{field}: {name}", str(value), "a finite number")
        return {name: float(value) for name, value in answer.items()}

    def level(self, indicators: Indicators) -> float:
        """The objective of a tick.

        Raises:
            InputError: for an objective that is no finite number. ScenarioError: if the user's function fails.
        """
        value = self._call("objective", self.objective, indicators)
        if not _is_finite(value):
            raise InputError(f"{self.name}: objective", str(value), "a finite number")
        return float(value)

    def set(self, setting: Sequence[int]) -> None:
        """Set the parameters.

        Raises:
            ScenarioError: if the function of the user's file fails.
        """
        self._call("control", self.control, dict(zip(self.settings.names, setting, strict=True)))

    def _call(self, method: str, function: Callable, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except PmtwinError:
            raise
        except FAILURES as error:
            raise ScenarioError(self.name, method, place_of(error, None, function), fault_of(error)) from error


def live(
    collect: Collect,
    control: Control,
    parameters: Mapping[str, tuple[int, Sequence[int]]],
    objective: str | Callable[[Indicators], float],
    tick_s: float,
    name: str = "live",
) -> Live:
    """A live system for `pmtwin tune FILE.py:NAME`.

    Args:
        collect: function without arguments that returns the indicators of the last tick by name, or None if the tick is
            lost. It may take its time: a load that it runs itself is a tick too, with `tick_s=0`.
        control: function that sets the parameters, given as a dictionary by name.
        parameters: name -> (value that the system has now, list of its values in rising order), whole numbers.
        objective: name of the indicator that is to be raised, or a function of the indicators.
        tick_s: seconds from tick to tick; 0 does not wait.
        name: name of the system in results.

    Raises:
        InputError: for an argument that is not accepted, such as a start outside its values.
    """
    for field, function in (("collect", collect), ("control", control)):
        if not callable(function):
            raise InputError(f"{name}: {field}", repr(function), "a function")
    if not isinstance(objective, str) and not callable(objective):
        raise InputError(f"{name}: objective", repr(objective), "the name of an indicator, or a function of them")
    if isinstance(tick_s, bool) or not _is_finite(tick_s):
        raise InputError(f"{name}: tick_s", repr(tick_s), "a number of seconds")
    check_range(f"{name}: tick_s", tick_s, 0.0, LONGEST_TICK_S, "s")
    start, values = _parameters(name, parameters)
    settings = Settings.of(NOUN, values, moves=_moves(len(values)))
    raised = (lambda indicators: _indicator(name, objective, indicators)) if isinstance(objective, str) else objective
    indicator = objective if isinstance(objective, str) else None
    return Live(collect, control, start, settings, raised, float(tick_s), name, indicator)


def _parameters(name: str, parameters: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Sequence[int]]]:
    """(start, values) of each parameter."""
    allowed = "a mapping: name -> (value now, list of whole numbers in rising order)"
    if not isinstance(parameters, Mapping) or not parameters:
        raise InputError(f"{name}: parameters", repr(parameters), allowed)
    start: dict[str, int] = {}
    values: dict[str, Sequence[int]] = {}
    for parameter, stated in parameters.items():
        field = f"{name}: parameters: {parameter}"
        try:
            now, listed = stated
            values[parameter] = listed if isinstance(listed, range) else tuple(listed)
        except (TypeError, ValueError) as error:
            raise InputError(field, repr(stated), "(value now, list of its values)") from error
        settings = Settings.of(NOUN, {parameter: values[parameter]})
        if isinstance(now, bool) or not isinstance(now, int) or not settings.contains((now,)):
            raise InputError(f"{field}: start", now, settings.allowed.partition("), ")[2], wrong="is outside the range")
        start[parameter] = now
    return start, values


def _moves(parameters: int) -> tuple[tuple[int, ...], ...]:
    still = (0,) * parameters
    steps = [tuple(step * (k == number) for k in range(parameters)) for number in range(parameters) for step in (1, -1)]
    return (still, *steps)


def _indicator(name: str, objective: str, indicators: Indicators) -> float:
    if objective not in indicators:
        raise InputError(f"{name}: objective", objective, f"one of the indicators: {', '.join(indicators)}")
    return indicators[objective]


def _is_finite(value: object) -> bool:
    try:
        return math.isfinite(value)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False
