"""Errors that a user can mend; each names the field, the value and the allowed values.

The command line turns them into one line on standard error and an exit code; nothing else is caught.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import PurePath


class _MadeOnce(type):
    """An error made of an error of its own kind is that error: so Gymnasium raises what a worker process sent."""

    def __call__(cls, *parts, **named):
        if len(parts) == 1 and not named and isinstance(parts[0], cls):
            return parts[0]
        return super().__call__(*parts, **named)


class PmtwinError(Exception, metaclass=_MadeOnce):
    """Base of all errors that are reported without a traceback.

    `args` are what the class was called with: pickle, for a worker process, and SimPy make another of its kind of them.
    """

    exit_code = 1

    def _say(self, message: str, *args: object) -> None:
        self._message, self.args = message, args

    def __str__(self) -> str:
        return getattr(self, "_message", None) or super().__str__()


FAILURES = (Exception, SystemExit)
"""Exceptions of a user's code that count as its errors; an interrupt does not."""


class CheckFailedError(PmtwinError):
    """A check ran and did not pass (a diverged training, a profile that its data does not give again)."""

    exit_code = 1


class InputError(PmtwinError, ValueError):
    """Bad input: names the field, its value, and the allowed values.

    Args:
        field: the user's name of it (a column, an option, a key of a file); of several that are missing: all, with
            commas.
        value: the value given; None: the field is missing.
        allowed: a phrase that completes "allowed: ..." or, without a value, "is missing: ...".
        where: the file, or file and line, if the value came from one.
        wrong: what is wrong with the value, where that is more than that it is not among the allowed ones.
    """

    exit_code = 2

    def __init__(self, field: str, value: object, allowed: str, where: str | None = None, wrong: str = ""):
        self.field, self.value, self.allowed, self.where, self.wrong = field, value, allowed, where, wrong
        self._say(f"{where}: {self._sentence()}" if where else self._sentence(), field, value, allowed, where, wrong)

    def _sentence(self) -> str:
        if self.value is None:
            return f"{self.field} {'are' if ', ' in self.field else 'is'} missing: {self.allowed}"
        return f"{self.field}: {_shown(self.value)} {self.wrong or 'is not accepted'}; allowed: {self.allowed}"

    def renamed(self, field: str, where: str | None = None, value: object = None) -> InputError:
        """The same error for a field, and a value, that the user knows in another form."""
        return type(self)(field, self.value if value is None else value, self.allowed, where, self.wrong)


class ConflictError(InputError):
    """An option that the other options leave without use; `allowed` completes "FIELD VALUE ...": "belongs to --kv"."""

    def _sentence(self) -> str:
        written = isinstance(self.value, str | int | float | PurePath) and not isinstance(self.value, bool)
        value = f" {str(self.value)[:MOST_SHOWN]}" if written else ""
        return f"{self.field}{value} {self.allowed}"


MOST_SHOWN = 200
"""Characters of a value in an error; a whole list of measurements is no clearer than its beginning."""


def _shown(value: object) -> str:
    """A value as a user writes it."""
    text = _written(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, Real):  # NumPy's too
        return str(value)
    if isinstance(value, PurePath) or hasattr(value, "isoformat"):  # a date of TOML
        return repr(str(value))
    return repr(value)


def fault_of(error: BaseException) -> str:
    """An error of a user's code in one line: its kind and its message."""
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return ": ".join(filter(None, (type(error).__name__, " ".join(message.split()))))


_MESSAGE = re.compile(r"(?P<field>[^:]+): '(?P<value>.*)' (?P<wrong>[^;']+); allowed: (?P<allowed>.*)")
_MISSING = re.compile(r"(?P<field>[^:]+) is missing: (?P<allowed>.*)")


def input_error_of(text: str) -> InputError | None:
    """The error that a program of ours in another language wrote in these words; None for other words."""
    if missing := _MISSING.fullmatch(text):
        return InputError(missing["field"], None, missing["allowed"])
    match = _MESSAGE.fullmatch(text)
    return InputError(match["field"], match["value"], match["allowed"], wrong=match["wrong"]) if match else None


class PolicyError(PmtwinError):
    """A user's policy failed: names the policy, the method, the window, and the line at fault.

    Args:
        policy: its spec.
        method: the method, or in words what failed.
        window: number of the window, from 1; None before a run.
        place: file and line.
        reason: the error it raised.
    """

    exit_code = 2

    def __init__(self, policy: str, method: str, window: int | None, place: str, reason: str):
        self.policy, self.method, self.window, self.place, self.reason = policy, method, window, place, reason
        when = "" if window is None else f" in window {window}"
        called = f"{method}()" if method.isidentifier() else method
        said = f"policy {policy}: {called} failed{when}: {reason} ({place})"
        self._say(said, policy, method, window, place, reason)


class ScenarioError(PmtwinError):
    """A user's scenario failed: names the scenario, the method, and the line at fault.

    Args:
        scenario: its name. method: the method called. place: file and line. reason: the error it raised.
    """

    exit_code = 2

    def __init__(self, scenario: str, method: str, place: str, reason: str):
        self.scenario, self.method, self.place, self.reason = scenario, method, place, reason
        self._say(f"scenario {scenario}: {method} failed: {reason} ({place})", scenario, method, place, reason)


class MissingDependencyError(PmtwinError):
    """Hardware or software that the request needs is not on this machine."""

    exit_code = 3


def unknown_name(
    field: str,
    value: str | None,
    known: Iterable[str],
    where: str | None = None,
    shown: Iterable[str] | None = None,
    wrong: str = "",
) -> InputError:
    """An `InputError` for a name outside a known set, with the nearest known one suggested; `shown`: their forms."""
    names = sorted(known)
    by_letters = {name.lower(): name for name in names}
    near = difflib.get_close_matches(str(value).lower(), by_letters, n=1) if value is not None else ()
    hint = f" (did you mean {by_letters[near[0]]!r}?)" if near else ""
    return InputError(field, value, ", ".join(names if shown is None else shown) + hint, where, wrong)


def check_range(field: str, value: float, low: float, high: float, unit: str = "", where: str | None = None) -> None:
    """Raise `InputError` unless `low <= value <= high`; NaN never passes."""
    if not low <= value <= high:
        bounds = f"at least {in_full(low)}" if high == math.inf else f"{in_full(low)} to {in_full(high)}"
        raise InputError(field, value, f"{bounds}{' ' + unit if unit else ''}", where)


def in_full(value: float) -> str:
    """A bound to be read: large whole numbers in full, as 9,223,372,036,854,775,807."""
    return f"{int(value):,}" if abs(value) >= 10_000 and value == value // 1 else f"{value:g}"
