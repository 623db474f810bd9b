"""Errors of a user's functions inside a simulation, compiled or not: the function and line at fault, and why."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

COMPILABLE = "functions of declared arrays that numba compiles (docs/inline-policies.md)"
ASKED = {"victim": "the number of a line", "decide": "the number of an action"}
"""Event -> what its function returns, of those that are asked for something."""

OUT_OF_BOUNDS = "index is out of bounds"
"""What numba says of an index, without its place; the shipped functions do not check theirs."""

CALLED_FROM = ("decisions", "choice.py")
"""Folder and file from which Python calls the compiled functions of a choice, each from one of its own name."""

COMPILED_FUNCTION = "a compiled function"
MOST_SHOWN = 300

_LINE = re.compile(r'File "([^"]*)", line (\d+)')


def is_of_compiler(error: BaseException) -> bool:
    """Whether numba refuses to compile."""
    return any(cls.__module__ == "numba.core.errors" for cls in type(error).__mro__)


def compiler_fault(functions: Mapping[str, Callable], arrays: tuple) -> tuple[str, int, str] | None:
    """(event, line of the file, what numba says in one line) of the function that does not compile; None: all do.

    Each is compiled alone: numba's error about a whole kernel begins with what is ours.
    """
    import numba

    for event, function in functions.items():
        try:
            alone = numba.njit(function)  # noqa: TID251
            alone.compile((numba.typeof(arrays), *_arguments(event)))
            (compiled,) = alone.overloads.values()
            if event in ASKED and compiled.signature.return_type == numba.types.none:
                return event, function.__code__.co_firstlineno, f"it returns nothing; it returns {ASKED[event]}"
        except numba.core.errors.NumbaError as error:
            code = function.__code__
            name = Path(code.co_filename).name
            lines = [int(line) for file, line in _LINE.findall(str(error)) if Path(file).name == name]
            return event, lines[0] if lines else code.co_firstlineno, _said(str(error))
    return None


def at_fault(error: BaseException, file: str, events: Collection[str]) -> tuple[str, str]:
    """(FILE:LINE of the last line of the file that ran before an error, its event); empty where they are not known."""
    from pmtwin.policies.replacement.events import NO_VICTIM

    if str(error) == NO_VICTIM:
        return "", "victim"
    if isinstance(error, IndexError) and str(error) == OUT_OF_BOUNDS:
        return "", COMPILED_FUNCTION
    every = traceback.extract_tb(error.__traceback__)
    frames = [each for each in every if Path(each.filename) == Path(file)]
    if not frames:
        called = [each.name for each in every if Path(each.filename).parts[-2:] == CALLED_FROM]
        return "", called[-1] if called else ""
    last = frames[-1]
    return f"{last.filename}:{last.lineno}", last.name if last.name in events else f"{last.name} of the file"


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
