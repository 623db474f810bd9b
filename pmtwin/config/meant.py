"""What a word of a command line is meant for that stands where nothing takes it: one form of hint for all commands."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path

from pmtwin.config.nouns import flag_of
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.scenario_named import scenario_of
from pmtwin.scenarios.registry import FORM, SHIPPED
from pmtwin.sim.options import leaves

OWNERS = {"policy": ("--policies", "--policy"), "directory": ("--path",)}
"""What a word is -> options that take it."""


def option_meant(word: str, flags: Collection[str]) -> str:
    """The end of an error: what a word is, and the option that takes it; empty if the command has none for it.

    Args:
        word: a policy, or a directory, without its option.
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
    return f"; a {kind} goes behind its option: {flag} {word}" if flag else ""


def scenario_meant(words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """The end of an error about `--scenario` where a word names the scenario; empty if the command runs none."""
    taking = (action for action in parser._actions if not action.option_strings)
    if not any(FORM in (action.help or "") for action in taking):
        return ""
    named = scenario_of(words) or next(iter(SHIPPED))
    return f"; a scenario is named without an option: {parser.prog} {named}"


def flags_of(config: type[ScenarioConfig]) -> set[str]:
    """Options of a command, without those of a scenario."""
    return {leaf.about.flag or flag_of(leaf.name) for leaf in leaves(config) if not leaf.about.positional}
