"""Mistakes on the command line in the form of all errors: what is wrong, what is allowed; argparse's own words become
these."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

_NO_VALUE = re.compile(r"argument (?P<names>\S+): expected (one|at least one|\d+) arguments?")
_A_VALUE = re.compile(r"argument (?P<names>\S+): ignored explicit argument (?P<value>.*)", re.DOTALL)
_REQUIRED = re.compile(r"the following arguments are required: (?P<names>.*)")


def in_our_form(message: str, parser: argparse.ArgumentParser) -> str:
    """A message of argparse as the other errors are written; another message as it is."""
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
    """That these arguments are not given."""
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing"


def unknown(word: str, prog: str, hint: str = "") -> str:
    """That a word is no option of the command `prog`, or belongs to none; `hint`: what may be meant."""
    if word.startswith("-"):
        return f"option: {word!r} is unknown; allowed: those of {prog} --help-all{hint}"
    return f"word: {word!r} belongs to no option; allowed: the arguments of {prog} --help-all{hint}"


def misplaced(option: str, prog: str) -> str:
    """That an option of the command `prog` stands before the command."""
    return f"option: {option!r} stands before the command; allowed: behind it ({prog} {option})"


def _long(names: str) -> str:
    """The first long name of an option, or its only one."""
    options = names.split("/")
    return next((each for each in options if each.startswith("--")), options[0])
