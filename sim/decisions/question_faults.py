"""Errors of the functions of a question: station, function, line and reason."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from pmtwin.sim.decisions.faults import COMPILABLE, compiler_fault, is_of_compiler
from pmtwin.sim.decisions.kind import Event, PointKind
from pmtwin.sim.decisions.pending import ACTED, CONSULTED, NO_QUESTION, REWARDED
from pmtwin.sim.decisions.question import Left, Question, Seen, branch_by, consult, reward_of
from pmtwin.sim.errors import FAILURES, InputError, PmtwinError

NEVER_FAILS = "a function that fails for no argument"
LINE_BY_SIMPY = f"{NEVER_FAILS}; engine simpy names the line"

_COUNTS = np.zeros(1, np.int64)
_SEEN = Seen(0.0, _COUNTS, _COUNTS, np.zeros((1, 1), np.int64), _COUNTS, 0, 0, 0.0)
_LEFT = Left(0.0, 0.0, 0.0, 0, 0, 0.0)

QUESTION = PointKind(
    "question",
    "what a station that asks shows, allows, does and rewards",
    "pmtwin.sim.decisions.Question",
    (
        Event("show", {"seen": _SEEN, "features": "float64[::1]"}),
        Event("allow", {"seen": _SEEN, "action": "int64"}, "whether the action is possible"),
        Event("act", {"seen": _SEEN, "action": "int64"}, "the number of a branch", whole=True),
        Event("reward", {"features": "float64[::1]", "action": "int64", "left": _LEFT}, "a number"),
    ),
)
"""The functions of a question, with their arguments and answers."""

EVENTS = {CONSULTED: ("show", "allow"), ACTED: ("act",), REWARDED: ("reward",)}
"""Call under way, as `pmtwin.sim.decisions.pending` numbers it -> names of the functions."""

CALLS = {consult.__code__: CONSULTED, branch_by.__code__: ACTED, reward_of.__code__: REWARDED}
"""Code from which engine `simpy` calls the functions -> number of the call."""


@contextmanager
def question_calls(
    questions: Mapping[str, Question], states: Mapping[str, Any], called: Callable[[], Mapping[str, int]]
) -> Iterator[None]:
    """Context manager: an error of a question's functions becomes an `InputError` with station, function and line.

    Args:
        questions: station -> its question. states: station -> the question's state in the run.
        called: gives station -> number of the call that compiled code was making, a key of `EVENTS`, or `NO_QUESTION`.
    """
    try:
        yield
    except (PmtwinError, KeyboardInterrupt):
        raise
    except FAILURES as error:
        fault = _of_compiler(questions) if is_of_compiler(error) else _of_run(questions, states, called(), error)
        if fault is None:
            raise
        raise fault from error


def _of_compiler(questions: Mapping[str, Question]) -> InputError | None:
    for station, question in questions.items():
        functions = {event: getattr(question, event) for event in QUESTION.event_names}
        fault = compiler_fault(QUESTION, functions, question.state().arrays)
        if fault is not None:
            event, line, reason = fault
            place = f"{functions[event].__code__.co_filename}:{line}"
            return InputError(
                _field(event, station), functions[event].__name__, COMPILABLE, place, f"does not compile: {reason}"
            )
    return None


def _of_run(
    questions: Mapping[str, Question], states: Mapping[str, Any], called: Mapping[str, int], error: BaseException
) -> InputError | None:
    reason = f"failed: {type(error).__name__}: {error}"
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code in CALLS:
            values = frame.f_locals
            station = next((name for name in questions if values["question"] is states[name]), None)
            if station is not None:
                return _of_call(station, questions[station], values, CALLS[frame.f_code], reason, error)
    for station, question in questions.items():
        if (call := called.get(station, NO_QUESTION)) != NO_QUESTION:
            return _of_functions(station, question, call, LINE_BY_SIMPY, reason)
    return None


def _of_call(
    station: str, question: Question, values: Mapping, call: int, reason: str, error: BaseException
) -> InputError:
    """The error of a call with these values; its line is known if the call fails in plain Python as well."""
    event, line = _repeated(question, values, call, error)
    if not line:  # the first call has changed the arrays
        return _of_functions(station, question, call, NEVER_FAILS, reason)
    function = getattr(question, event)
    place = f"{function.__code__.co_filename}:{line}"
    return InputError(_field(event, station), function.__name__, NEVER_FAILS, place, reason)


def _of_functions(station: str, question: Question, call: int, allowed: str, reason: str) -> InputError:
    """The error of a call, with all of its functions that the scenario has declared, since the line is not known."""
    declared = [event for event in EVENTS[call] if getattr(question, event) is not getattr(Question, event)]
    names = " or ".join(getattr(question, event).__name__ for event in declared)
    place = _place(getattr(question, declared[0]))
    return InputError(_field(" or ".join(declared), station), names, allowed, place, reason)


def _repeated(question: Question, values: Mapping, call: int, error: BaseException) -> tuple[str, int]:
    """(event, line) of the same error when the call is repeated in plain Python; line 0: another error, or none."""
    arrays, event = values["question"].arrays, EVENTS[call][0]
    by_zero = isinstance(error, ZeroDivisionError)  # numpy's numbers give infinity instead
    expected = (ZeroDivisionError, FloatingPointError) if by_zero else type(error)
    try:
        with np.errstate(divide="raise" if by_zero else "ignore"):
            if call == REWARDED:
                question.reward(arrays, values["features"], np.int64(values["action"]), values["left"])
            elif call == ACTED:
                question.act(arrays, values["seen"], np.int64(values["action"]))
            else:
                question.show(arrays, values["seen"], values["features"])
                event = "allow"
                for action in range(values["mask"].size):
                    question.allow(arrays, values["seen"], action)
    except FAILURES as repetition:
        file = getattr(question, event).__code__.co_filename
        lines = [line.lineno for line in traceback.extract_tb(repetition.__traceback__) if line.filename == file]
        return event, (lines[-1] or 0) if lines and isinstance(repetition, expected) else 0
    return event, 0


def _place(function: Callable) -> str:
    """FILE:LINE where a function begins."""
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"


def _field(event: str, station: str) -> str:
    return f"{event} of the question of {station}"
