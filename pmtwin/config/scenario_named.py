"""The scenario that a command line names; found before the options are known, since they depend on the scenario."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from pmtwin.config.arguments import words_taken
from pmtwin.config.files import read_config
from pmtwin.config.keys import RESERVED
from pmtwin.config.nouns import flag_of, noun_of
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.scenarios.registry import SHIPPED, load_scenario
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import leaves

SCENARIO_FLAG = "--scenario"


def scenario_named(words: Sequence[str], config: type[ScenarioConfig]) -> str | None:
    """The scenario's spec; None if nothing names a scenario.

    It comes from the words, from the file of `--config`, or from an option that only one scenario has. In a command
    with `--scenario` that option names it. In other commands it is the first word, unless that is an option; otherwise
    a word that is a scenario's name or FILE.py:NAME and does not belong to an option with several values.

    Args:
        words: words after the command.
        config: dataclass of the command's options.

    Raises:
        InputError: for a file that cannot be read, or a scenario's name without the option `--scenario`.
    """
    spec = _scenario_behind_flag(words) if config.scenario_flag else _scenario_word(words, config)
    if spec is None and (file := _value_of("--config", words)):
        spec = read_config(Path(file)).scenario
    return spec or _scenario_of_options(words, config)


def _value_of(flag: str, words: Sequence[str]) -> str | None:
    """The word after an option, anywhere in the command line."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(flag, nargs="?", dest="value")
    return parser.parse_known_args(words)[0].value


def scenario_of(words: Sequence[str]) -> str | None:
    """The value of `--scenario`, even if the command does not have the option."""
    return _value_of(SCENARIO_FLAG, words)


def _scenario_behind_flag(words: Sequence[str]) -> str | None:
    for previous, word in zip(["", *words], words, strict=False):
        if word in SHIPPED and not previous.startswith("-"):
            raise InputError("scenario", word, f"{SCENARIO_FLAG} {word}", wrong="stands without its option")
    return scenario_of(words)


def _scenario_of_options(words: Sequence[str], config: type[ScenarioConfig]) -> str | None:
    """The scenario that is the only one with an option among the words, such as `--workload`; None unless unique."""
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    owners = [scenarios_with(flag, config) for flag in given.difference(RESERVED, flags_of(config))]
    unique = {name for names in owners if len(names) == 1 for name in names}
    return unique.pop() if len(unique) == 1 else None


def scenarios_with(flag: str, config: type[ScenarioConfig]) -> list[str]:
    """Names of the command's scenarios that have a flag, such as `--workload`."""
    return [name for name in config.scenarios() if flag in flags(load_scenario(name), config)]


def flags_of(config: type[ScenarioConfig]) -> set[str]:
    """Flags of a command, without those of a scenario."""
    return {leaf.about.flag or flag_of(leaf.name) for leaf in leaves(config) if not leaf.about.positional}


def flags(scenario: type[Scenario], config: type[ScenarioConfig]) -> set[str]:
    """Flags of a scenario in a command: its options, options it adds to the command, and options under its nouns."""
    of_scenario = [leaf for leaf in leaves(scenario.Options) if leaf.name not in config.replaced]
    names = {leaf.name for leaf in leaves(config)}
    nouns = {name: noun_of(name, scenario) for name in names}
    module = config.module_of(scenario)
    added = [leaf for leaf in leaves(module.Config) if leaf.name not in names] if module else []
    options = {leaf.about.flag or flag_of(leaf.name) for leaf in (*of_scenario, *added)}
    return options | {flag_of(noun) for name, noun in nouns.items() if noun != name}


def scenario_first(words: Sequence[str]) -> list[str]:
    """The words of a command, with a shipped scenario's name moved to the front.

    In `--policies threshold nvm-middleware` the last word would otherwise be a value of the option. A name directly
    after an option is its value. Nothing is moved if the first word is no option.
    """
    words = list(words)
    if not words or not words[0].startswith("-"):
        return words
    for place in range(2, len(words)):
        if words[place] in SHIPPED and not words[place - 1].startswith("-"):
            return [words[place], *words[:place], *words[place + 1 :]]
    return words


def _scenario_word(words: Sequence[str], config: type[ScenarioConfig]) -> str | None:
    if words and not words[0].startswith("-"):
        return words[0]
    with_several = {leaf.about.flag or flag_of(leaf.name) for leaf in leaves(config) if words_taken(leaf)}
    option = ""
    for previous, word in zip(["", *words], words, strict=False):
        if word.startswith("-"):
            option = word
        elif option not in with_several and (word in SHIPPED or (".py:" in word and not previous.startswith("-"))):
            return word
    return None
