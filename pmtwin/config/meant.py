"""Hints for words of a command line without their option: the option that a word was probably meant for."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path

from pmtwin.config.scenario_named import scenario_of
from pmtwin.scenarios.registry import FORM, SHIPPED

OWNERS = {"policy": ("--policies", "--policy"), "directory": ("--path",)}
"""Kind of a word -> options that take it."""


def option_meant(word: str, flags: Collection[str]) -> str:
    """End of an error: the kind of a word, and the option that takes it; empty if no option of the command does.

    Args:
        word: word without its option: a policy, or a directory.
        flags: options of the command.
    """
    from pmtwin.policies.registry import is_registered

    if is_registered(word.partition(":")[0]):
        kind = "policy"
    elif Path(word).is_dir():
        kind = "directory"
    else:
        return ""
    flag = next((flag for flag in OWNERS[kind] if flag in flags), None)
    return f"; a {kind} goes after its option: {flag} {word}" if flag else ""


def scenario_meant(words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """End of an error about `--scenario` in a command that takes the scenario as a word; empty in other commands."""
    positional = (action for action in parser._actions if not action.option_strings)
    if not any(FORM in (action.help or "") for action in positional):
        return ""
    scenario = scenario_of(words) or next(iter(SHIPPED))
    return f"; a scenario is named without an option: {parser.prog} {scenario}"
