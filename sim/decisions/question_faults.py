"""Errors of the functions of a station's question: which station asks, the function and line at fault, and why."""

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

LASTING = "a function that fails for nothing that it is told"
LINE_BY_SIMPY = f"{LASTING}; engine simpy names the line"

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
"""The functions of a question, as the two engines call them."""

EVENTS = {CONSULTED: ("show", "allow"), ACTED: ("act",), REWARDED: ("reward",)}
"""What compiled code was calling -> the functions."""


@contextmanager
def question_calls(
    questions: Mapping[str, Question], states: Mapping[str, Any], called: Callable[[], Mapping[str, int]]
) -> Iterator[None]:
    """Context manager: an error of a question's functions is one line that names station, file, line and function.

    Args:
        questions: of the stations that have one. states: of the same stations in the run.
        called: station -> what compiled code was calling of its question when it failed (`CALLED`
            of `pmtwin.sim.decisions.pending`).
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
            event, line, said = fault
            place = f"{functions[event].__code__.co_filename}:{line}"
            return InputError(
                _field(event, station), functions[event].__name__, COMPILABLE, place, f"does not compile: {said}"
            )
    return None


def _of_run(
    questions: Mapping[str, Question], states: Mapping[str, Any], called: Mapping[str, int], error: BaseException
) -> InputError | None:
    reason = f"failed: {type(error).__name__}: {error}"
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code in (consult.__code__, branch_by.__code__, reward_of.__code__):
            told = frame.f_locals
            for station, question in questions.items():
                if told["question"] is states[station]:
                    event, place = _again(question, told)
                    return InputError(_field(event, station), getattr(question, event).__name__, LASTING, place, reason)
    for station, question in questions.items():
        if (what := called.get(station, NO_QUESTION)) != NO_QUESTION:
            given = [event for event in EVENTS[what] if getattr(question, event) is not getattr(Question, event)]
            names = " or ".join(getattr(question, event).__name__ for event in given)
            place = _place(getattr(question, given[0]))
            return InputError(_field(" or ".join(given), station), names, LINE_BY_SIMPY, place, reason)
    return None


def _again(question: Question, told: Mapping) -> tuple[str, str]:
    """(event, FILE:LINE) of a call that failed: it is made again in plain Python, which knows the line."""
    arrays, event = told["question"].arrays, "reward"
    try:
        with np.errstate(divide="raise", invalid="raise"):
            if "left" in told:
                question.reward(arrays, told["features"], np.int64(told["action"]), told["left"])
            elif "branches" in told:
                event = "act"
                question.act(arrays, told["seen"], np.int64(told["action"]))
            else:
                event = "show"
                question.show(arrays, told["seen"], told["features"])
                event = "allow"
                for action in range(told["mask"].size):
                    question.allow(arrays, told["seen"], action)
    except FAILURES as error:
        file = getattr(question, event).__code__.co_filename
        lines = [line.lineno for line in traceback.extract_tb(error.__traceback__) if line.filename == file]
        if lines:
            return event, f"{file}:{lines[-1]}"
    return event, _place(getattr(question, event))


def _place(function: Callable) -> str:
    """FILE:LINE where a function begins."""
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"


def _field(event: str, station: str) -> str:
    return f"{event} of the question of {station}"
