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
    """A class called with one of its own errors returns it, as Gymnasium calls it with an error of a worker process."""

    def __call__(cls, *parts, **named):
        if len(parts) == 1 and not named and isinstance(parts[0], cls):
            return parts[0]
        return super().__call__(*parts, **named)


class PmtwinError(Exception, metaclass=_MadeOnce):
    """Base of all errors that are reported without a traceback.

    `args` are the arguments of the constructor: pickle (for a worker process) and SimPy make copies of an error with
    them.
    """

    exit_code = 1

    def _say(self, message: str, *args: object) -> None:
        self._message, self.args = message, args

    def __str__(self) -> str:
        return getattr(self, "_message", None) or super().__str__()


FAILURES = (Exception, SystemExit)
"""Exceptions of a user's code that count as its errors; an interrupt does not."""


class CheckFailedError(PmtwinError):
    """A check ran and did not pass, such as a diverged training or a profile that its data does not reproduce."""

    exit_code = 1


class InputError(PmtwinError, ValueError):
    """Bad input: names the field, its value, and the allowed values.

    Args:
        field: the user's name of the field: a column, an option, a key of a file. Several missing fields: all names,
            separated by commas.
        value: the value given; None: the field is missing.
        allowed: a phrase that completes "allowed: ..." or, for a missing field, "is missing: ...".
        where: file, or file and line, of the value.
        wrong: what is wrong with the value ("names no file of Python"); empty: "is not accepted".
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
        """The same error with the name, the place and the value that the user knows."""
        return type(self)(field, self.value if value is None else value, self.allowed, where, self.wrong)


class ConflictError(InputError):
    """An option that is useless with the other options; `allowed` completes "FIELD VALUE ...": "belongs to --kv"."""

    def _sentence(self) -> str:
        written = isinstance(self.value, str | int | float | PurePath) and not isinstance(self.value, bool)
        value = f" {str(self.value)[:MOST_SHOWN]}" if written else ""
        return f"{self.field}{value} {self.allowed}"


class AnswerError(InputError):
    """An answer of a policy inside a simulation that is not possible.

    Args:
        point: name of the decision point. what: what the answer names, such as "action". value: the answer.
        allowed: as for `InputError`. policy: spec of the policy; empty: not known where the error is raised.
    """

    def __init__(self, point: str, what: str, value: object, allowed: str, policy: str = ""):
        super().__init__(f"policy {policy}: " * bool(policy) + f"{what} at point {point}", value, allowed)
        self.point, self.what = point, what
        self._say(str(self), point, what, value, allowed, policy)

    def by(self, policy: str) -> AnswerError:
        """The same error with the spec of the policy, which names a user's file and class."""
        return AnswerError(self.point, self.what, self.value, self.allowed, policy)

    def renamed(self, field: str, where: str | None = None, value: object = None) -> InputError:
        return InputError(field, self.value if value is None else value, self.allowed, where)


MOST_SHOWN = 200
"""Characters of a value that an error shows."""


def _shown(value: object) -> str:
    """A value as a user writes it, shortened."""
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
    """An error of a user's code in one line: its type and its message."""
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return ": ".join(filter(None, (type(error).__name__, " ".join(message.split()))))


_MESSAGE = re.compile(r"(?P<field>[^:]+): '(?P<value>.*)' (?P<wrong>[^;']+); allowed: (?P<allowed>.*)")
_MISSING = re.compile(r"(?P<field>[^:]+) is missing: (?P<allowed>.*)")


def input_error_of(text: str) -> InputError | None:
    """The error whose text a native program of pmtwin printed; None for a text of another form."""
    if missing := _MISSING.fullmatch(text):
        return InputError(missing["field"], None, missing["allowed"])
    match = _MESSAGE.fullmatch(text)
    return InputError(match["field"], match["value"], match["allowed"], wrong=match["wrong"]) if match else None


class PolicyError(PmtwinError):
    """A user's policy failed: names the policy, the method, the window, and the line at fault.

    Args:
        policy: spec of the policy.
        method: the method, or the failed part in words.
        window: number of the window, from 1; None: before a run.
        place: file and line.
        reason: the error that was raised.
    """

    exit_code = 2

    def __init__(self, policy: str, method: str, window: int | None, place: str, reason: str):
        self.policy, self.method, self.window, self.place, self.reason = policy, method, window, place, reason
        when = "" if window is None else f" in window {window}"
        subject = f"{method}()" if method.isidentifier() else method
        message = f"policy {policy}: {subject} failed{when}: {reason} ({place})"
        self._say(message, policy, method, window, place, reason)


class ScenarioError(PmtwinError):
    """A user's scenario failed: names the scenario, the method, and the line at fault.

    Args:
        scenario: its name. method: the failed method. place: file and line. reason: the error that was raised.
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
    """An `InputError` for an unknown name; it lists the known names and suggests the nearest one.

    Args:
        known: the known names. shown: what to list instead of them. The other arguments are those of `InputError`.
    """
    names = sorted(known)
    by_letters = {name.lower(): name for name in names}
    matches = difflib.get_close_matches(str(value).lower(), by_letters, n=1) if value is not None else ()
    hint = f" (did you mean {by_letters[matches[0]]!r}?)" if matches else ""
    return InputError(field, value, ", ".join(names if shown is None else shown) + hint, where, wrong)


def check_range(field: str, value: float, low: float, high: float, unit: str = "", where: str | None = None) -> None:
    """Raise `InputError` unless `low <= value <= high`; NaN never passes."""
    if not low <= value <= high:
        bounds = f"at least {in_full(low)}" if high == math.inf else f"{in_full(low)} to {in_full(high)}"
        raise InputError(field, value, f"{bounds}{' ' + unit if unit else ''}", where)


def in_full(value: float) -> str:
    """A bound as text: a large whole number with all its digits, as 9,223,372,036,854,775,807."""
    return f"{int(value):,}" if abs(value) >= 10_000 and value == value // 1 else f"{value:g}"
