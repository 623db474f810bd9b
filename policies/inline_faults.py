"""Errors of a user's functions inside a simulation, compiled or not: the function and line at fault, and why."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

COMPILABLE = "functions of declared arrays that numba compiles (docs/inline-policies.md)"
NO_VICTIM = "it names a line that is not of the cache, or is pinned"
MOST_SHOWN = 300

_LINE = re.compile(r'File "([^"]*)", line (\d+)')


def is_of_compiler(error: BaseException) -> bool:
    """Whether numba refuses to compile."""
    return any(cls.__module__ == "numba.core.errors" for cls in type(error).__mro__)


def compiler_fault(functions: Mapping[str, Callable], arrays: tuple, error: BaseException) -> tuple[str, int, str]:
    """(event, line of the file or 0, what numba says in one line) of the function that does not compile.

    Each is compiled alone: numba's error about a whole kernel begins with what is ours.
    """
    import numba

    for event, function in functions.items():
        try:
            numba.njit(_nrt=False)(function).compile((numba.typeof(arrays), *_arguments(event)))  # noqa: TID251
        except numba.core.errors.NumbaError as alone:
            code = function.__code__
            name = Path(code.co_filename).name
            lines = [int(line) for file, line in _LINE.findall(str(alone)) if Path(file).name == name]
            return event, lines[0] if lines else code.co_firstlineno, _said(str(alone))
    return "a function", 0, _said(str(error))


def at_fault(error: BaseException, file: str, functions: Mapping[str, Any]) -> tuple[str, str]:
    """(FILE:LINE, event) of the last line of the file that ran before an error; empty where that is not known."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if Path(each.filename) == Path(file)]
    if str(error) == NO_VICTIM:
        return "", "victim"
    if not frames:
        return "", ""
    last = frames[-1]
    return (
        f"{last.filename}:{last.lineno}",
        last.name if last.name in functions else f"{last.name} (a function of the file)",
    )


def _arguments(event: str) -> tuple:
    """Types of what an event is told, after the arrays."""
    from numba.core import types

    number, none = types.int64, types.none
    features, mask = types.Array(types.float64, 1, "C"), types.Array(types.boolean, 1, "C")
    return {
        "hit": (number,), "miss": (number,), "victim": (none,), "evict": (number, number), "admit": (number,),
        "decide": (features, mask), "observe": (features, number, types.float64),
    }[event]  # fmt: skip


def _said(text: str) -> str:
    """The first sentence that says something, with the call that it is about."""
    rows = [row.strip() for row in text.splitlines() if row.strip() and not row.startswith("Failed in")]
    said = " ".join(rows[:2]).replace(">>> ", "") if rows[0].endswith(":") else rows[0]
    return said[:MOST_SHOWN]
