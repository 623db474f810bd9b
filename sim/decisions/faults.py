"""Errors of a user's functions inside a simulation, compiled or not: the function and line at fault, and why."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType
from typing import Any

from pmtwin.sim.decisions.frozen import nothing
from pmtwin.sim.decisions.kind import PointKind

COMPILABLE = "functions of declared arrays that numba compiles (docs/inline-policies.md)"
CALLED_FROM = ("decisions", "choice.py"), ("decisions", "state.py")
"""Folder and file from which Python calls the compiled functions: those of a choice, each from one of its own name,
and those of other kinds, by the name of the event."""

COMPILED_FUNCTION = "a compiled function"
MOST_SHOWN = 300

_LINE = re.compile(r'File "([^"]*)", line (\d+)')


def is_of_compiler(error: BaseException) -> bool:
    """Whether numba refuses to compile."""
    return any(cls.__module__ == "numba.core.errors" for cls in type(error).__mro__)


def compiler_fault(kind: PointKind, functions: Mapping[str, Callable], arrays: tuple) -> tuple[str, int, str] | None:
    """(event, line of the file, what numba says in one line) of the function that does not compile; None: all do.

    Each is compiled alone: numba's error about a whole kernel begins with what is ours.
    """
    import numba

    for event in kind.events:
        function = functions[event.name]
        if function is nothing:
            continue
        try:
            alone = numba.njit(function)  # noqa: TID251
            told = [_type_of(kind) for kind in event.told.values()]
            alone.compile((numba.typeof(arrays), *told))
            (compiled,) = alone.overloads.values()
            returned = compiled.signature.return_type  # type: ignore[attr-defined]  # numba sets it by its name
            whole = isinstance(returned, numba.types.Integer | numba.types.Boolean)
            if event.answer and (returned == numba.types.none or (event.whole and not whole)):
                what = "nothing" if returned == numba.types.none else returned
                return event.name, function.__code__.co_firstlineno, f"it returns {what}; allowed: {event.answer}"
        except (numba.core.errors.NumbaError, numba.core.errors.UnsupportedBytecodeError) as error:
            code = function.__code__
            name = Path(code.co_filename).name
            lines = [int(line) for file, line in _LINE.findall(str(error)) if Path(file).name == name]
            return event.name, lines[0] if lines else code.co_firstlineno, _said(str(error))
    return None


def at_fault(error: BaseException, file: str, kind: PointKind) -> tuple[str, str]:
    """(FILE:LINE of the last line of the file that ran before an error, its event); empty where they are not known."""
    for event in kind.events:
        if event.refusal and str(error) == event.refusal:
            return "", event.name
    every = traceback.extract_tb(error.__traceback__)
    frames = [each for each in every if Path(each.filename) == Path(file)]
    if not frames:
        calling = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if _calls_events(frame.f_code)]
        called = [frame.f_locals.get("event", frame.f_code.co_name) for frame in calling]
        return "", called[-1] if called else COMPILED_FUNCTION if _is_of_compiled_code(error) else ""
    last = frames[-1]
    return f"{last.filename}:{last.lineno}", last.name if last.name in kind.event_names else f"{last.name} of the file"


def _type_of(told: Any) -> Any:
    """The numba type of what an event tells: from its name, or from a value of that type."""
    import numba
    from numba.core.sigutils import normalize_signature

    return normalize_signature(f"void({told})")[0][0] if isinstance(told, str) else numba.typeof(told)


def _is_of_compiled_code(error: BaseException) -> bool:
    """Whether compiled code raised an error, which leaves no frame: the last one is of the line that called it."""
    from numba.core.dispatcher import Dispatcher

    *_, (last, _) = traceback.walk_tb(error.__traceback__)
    names = last.f_code.co_names
    values = [scope[name] for scope in (last.f_globals, last.f_locals) for name in scope if name in (*names, "self")]
    for _ in range(2):  # kernel.run, self.kernel.run
        values += [inspect.getattr_static(value, name, None) for value in values for name in names]
    return any(isinstance(value, Dispatcher) for value in values)


def _calls_events(code: CodeType) -> bool:
    return Path(code.co_filename).parts[-2:] in CALLED_FROM


def _said(text: str) -> str:
    """The first sentence that says something, with the call that it is about."""
    rows = [row.strip() for row in text.splitlines() if row.strip() and not row.startswith("Failed in")]
    said = " ".join(rows[:2]).replace(">>> ", "") if rows[0].endswith(":") else rows[0]
    return said[:MOST_SHOWN]
