"""Shell completion: one parser of the whole command line, from which shtab writes the script for a shell."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Mapping, Sequence
from importlib import import_module

from pmtwin.config.arguments import destination
from pmtwin.config.command_words import build_parser
from pmtwin.config.door import HELP_ALL
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import CommandConfig
from pmtwin.config.summaries import SUMMARIES, module_of


def completion_script(shell: str) -> str:
    """Script with which a shell completes commands, scenarios, options, files, and values with names.

    Args:
        shell: bash, fish, tcsh or zsh.
    """
    import shtab

    parser = argparse.ArgumentParser("pmtwin")
    commands = parser.add_subparsers()
    for command, summary in SUMMARIES.items():
        below = commands.add_parser(command, help=summary, add_help=False)
        for action in _arguments(command):
            below._add_action(action)
    return shtab.complete(parser, shell)


def parsers(command: str) -> Mapping[str, argparse.ArgumentParser]:
    """Scenario -> parser of a command for it; only "" -> parser for a command without scenarios."""
    config = import_module(module_of(command)).Config
    scenarios: Sequence[str] = config.scenarios() if issubclass(config, ScenarioConfig) else ("",)
    return {name: _subparser(build_parser(command, [*_naming(config, name), HELP_ALL]), command) for name in scenarios}


def _arguments(command: str) -> list[argparse.Action]:
    """Arguments of a command over all its scenarios; the names of their values are the union over the scenarios."""
    arguments: dict[str, argparse.Action] = {}
    of_scenarios = parsers(command)
    for parser in of_scenarios.values():
        names = {**_names(parser), "scenario": [*of_scenarios]}
        for action in parser._actions:
            _add(arguments, action)
            argument = arguments[next(iter(action.option_strings), action.dest)]
            argument.choices = [*dict.fromkeys([*(argument.choices or ()), *names.get(action.dest, ())])] or None
    return [*dict.fromkeys(arguments.values())]


def _add(arguments: dict[str, argparse.Action], action: argparse.Action) -> None:
    """Add a copy of an argument under those of its flags that are not yet taken, or under its name."""
    import shtab

    flags = action.option_strings or [action.dest]
    new = [flag for flag in flags if flag not in arguments]
    if not new:
        return
    argument = copy.copy(action)
    argument.option_strings = new if action.option_strings else []
    for word, kind in (("DIR", shtab.DIRECTORY), ("FILE", shtab.FILE)):
        if word in str(action.metavar):
            argument.complete = kind  # type: ignore[attr-defined]  # where shtab looks for it
    arguments |= dict.fromkeys(new, argument)


def _names(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Argument -> names of its values."""
    keys = [key for key in parser.get_default("door").keys if not key.leaf.about.open]
    return {destination(key): [str(name) for name in key.leaf.about.names()] for key in keys}


def _naming(config: type[CommandConfig], scenario: str) -> list[str]:
    if not issubclass(config, ScenarioConfig):
        return []
    return ["--scenario", scenario] if config.scenario_flag else [scenario]


def _subparser(parser: argparse.ArgumentParser, command: str) -> argparse.ArgumentParser:
    actions = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return next(actions).choices[command]
