"""Usage errors of the command line in the project's form, in the place of argparse's messages."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_NO_VALUE = re.compile(r"argument (?P<names>\S+): expected (one|at least one|\d+) arguments?")
_A_VALUE = re.compile(r"argument (?P<names>\S+): ignored explicit argument (?P<value>.*)", re.DOTALL)
_REQUIRED = re.compile(r"the following arguments are required: (?P<names>.*)")


def in_our_form(message: str, parser: argparse.ArgumentParser) -> str:
    """A message of argparse in the project's form; other messages stay unchanged."""
    if match := _REQUIRED.fullmatch(message):
        return missing_arguments(match["names"].split(", "))
    if match := _NO_VALUE.fullmatch(message):
        name = _long(match["names"])
        action = parser._option_string_actions[name]
        return f"the value of {name} is missing: {name} {action.metavar}{' ...' if action.nargs in ('+', '*') else ''}"
    if match := _A_VALUE.fullmatch(message):
        name = _long(match["names"])
        return f"{name}: {match['value']} is not accepted; allowed: {name} alone, which takes no value"
    return message


def missing_arguments(names: Sequence[str]) -> str:
    """Message: these arguments are missing."""
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing"


def unknown(option: str, prog: str, hint: str = "") -> str:
    """Message: command `prog` has no such option; hint: end of the message."""
    return f"option: {option!r} is unknown; allowed: those of {prog} --help-all{hint}"


def left_over(rest: Sequence[str], words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """Message: words belong to no option, or follow an option that takes one value.

    Args:
        rest: words that no argument takes.
        words: the whole command line.
        parser: parser of the command.
    """
    for action, more in _beyond_one_value(words, parser):
        if rest[0] in more:
            about = "" if action.help in (None, argparse.SUPPRESS) else f" ({action.help})"  # --help-all has it
            allowed = f"{action.option_strings[-1]} {action.metavar}{about}"
            return f"{_named(more)} after {action.option_strings[-1]}, which takes one value; allowed: {allowed}"
    belong = "belongs" if len(rest) == 1 else "belong"
    return f"{_named(rest)} {belong} to no option; allowed: the arguments of {parser.prog} --help-all"


def _named(words: Sequence[str]) -> str:
    return f"{'word' if len(words) == 1 else 'words'}: {', '.join(map(repr, words))}"


def _beyond_one_value(
    words: Sequence[str], parser: argparse.ArgumentParser
) -> Iterator[tuple[argparse.Action, list[str]]]:
    """(option that takes one value, words between its value and the next option)."""
    options = [place for place, word in enumerate(words) if word.startswith("-")]
    for place, end in pairwise([*options, len(words)]):
        name, joined, _ = words[place].partition("=")
        action = parser._option_string_actions.get(name)
        if action is not None and action.nargs is None:
            yield action, list(words[place + (1 if joined else 2) : end])


def misplaced(option: str, prog: str) -> str:
    """Message: an option of command `prog` stands before the command."""
    return f"option: {option!r} stands before the command; allowed: after it ({prog} {option})"


def _long(names: str) -> str:
    """The first long name of an option, or its only one."""
    options = names.split("/")
    return next((option for option in options if option.startswith("--")), options[0])
