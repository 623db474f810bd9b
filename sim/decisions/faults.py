"""Errors of a user's functions inside a simulation, compiled or not: function, line and reason."""

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
"""(folder, file) of the code from which Python calls compiled functions: `choice.py` in a function with the name of the
event, `state.py` in one with a variable `event`."""

COMPILED_FUNCTION = "a compiled function"
LONGEST_REASON = 300
"""Characters of a compiler's message that an error repeats."""

_LINE = re.compile(r'File "([^"]*)", line (\d+)')


def is_of_compiler(error: BaseException) -> bool:
    """Whether numba's compiler raised the error."""
    return any(cls.__module__ == "numba.core.errors" for cls in type(error).__mro__)


def compiler_fault(kind: PointKind, functions: Mapping[str, Callable], arrays: tuple) -> tuple[str, int, str] | None:
    """(event, line, reason in one line) of the first function that does not compile; None: all compile.

    Each function is compiled alone: numba's error about a kernel begins with the kernel's own code.

    Args:
        kind: declares the argument types and the answer of each event.
        functions: event -> plain function. arrays: the first argument of each function.
    """
    import numba

    for event in kind.events:
        function = functions[event.name]
        if function is nothing:
            continue
        try:
            dispatcher = numba.njit(function)  # noqa: TID251
            argument_types = [_type_of(declared) for declared in event.told.values()]
            dispatcher.compile((numba.typeof(arrays), *argument_types))
            (compiled,) = dispatcher.overloads.values()
            returned = compiled.signature.return_type  # type: ignore[attr-defined]  # numba sets it by its name
            is_whole = isinstance(returned, numba.types.Integer | numba.types.Boolean)
            if event.answer and (returned == numba.types.none or (event.whole and not is_whole)):
                result = "nothing" if returned == numba.types.none else returned
                return event.name, function.__code__.co_firstlineno, f"it returns {result}; allowed: {event.answer}"
        except (numba.core.errors.NumbaError, numba.core.errors.UnsupportedBytecodeError) as error:
            code = function.__code__
            name = Path(code.co_filename).name
            lines = [int(line) for file, line in _LINE.findall(str(error)) if Path(file).name == name]
            return event.name, lines[0] if lines else code.co_firstlineno, _first_sentence(str(error))
    return None


def at_fault(error: BaseException, file: str, kind: PointKind) -> tuple[str, str]:
    """(FILE:LINE of the last line of `file` that ran before an error, event); "" for what is not known."""
    for event in kind.events:
        if event.refusal and str(error) == event.refusal:
            return "", event.name
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == Path(file)]
    if not frames:
        callers = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if _calls_events(frame.f_code)]
        events = [frame.f_locals.get("event", frame.f_code.co_name) for frame in callers]
        return "", events[-1] if events else COMPILED_FUNCTION if _is_of_compiled_code(error) else ""
    final = frames[-1]
    function = final.name if final.name in kind.event_names else f"{final.name} of the file"
    return f"{final.filename}:{final.lineno}", function


def _type_of(declared: Any) -> Any:
    """The numba type of an argument: from its name in numba's notation, or from a value of that type."""
    import numba
    from numba.core.sigutils import normalize_signature

    return normalize_signature(f"void({declared})")[0][0] if isinstance(declared, str) else numba.typeof(declared)


def _is_of_compiled_code(error: BaseException) -> bool:
    """Whether compiled code raised an error. It leaves no frame, so the last frame is that of its caller."""
    from numba.core.dispatcher import Dispatcher

    *_, (caller, _) = traceback.walk_tb(error.__traceback__)
    names, scopes = caller.f_code.co_names, (caller.f_globals, caller.f_locals)
    values = [scope[name] for scope in scopes for name in scope if name in (*names, "self")]
    for _ in range(2):  # kernel.run, self.kernel.run
        values += [inspect.getattr_static(value, name, None) for value in values for name in names]
    return any(isinstance(value, Dispatcher) for value in values)


def _calls_events(code: CodeType) -> bool:
    return Path(code.co_filename).parts[-2:] in CALLED_FROM


def _first_sentence(text: str) -> str:
    """The reason in numba's message: its first line after the heading, joined with the next if that is a call."""
    rows = [row.strip() for row in text.splitlines() if row.strip() and not row.startswith("Failed in")]
    sentence = " ".join(rows[:2]).replace(">>> ", "") if rows[0].endswith(":") else rows[0]
    return sentence[:LONGEST_REASON]
