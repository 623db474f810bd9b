"""Which scenario a command line names, before it is known which options there are: its own are among them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from pmtwin.config.arguments import words_taken
from pmtwin.config.files import read_config
from pmtwin.config.nouns import flag_of, noun_of
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.scenarios.registry import SHIPPED, load_scenario
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import leaves

WORKLOAD, SCENARIO_FLAG = "--workload", "--scenario"


def scenario_named(words: Sequence[str], config: type[ScenarioConfig]) -> str | None:
    """The scenario's spec, from the words or from the file of `--config`; None if neither names one, nor an option that
    one scenario alone has.

    Args:
        words: what follows the command.
        config: of the command: whether `--scenario` names it; otherwise a word does: the first, if that is no option,
            or else one that is a scenario's name or FILE.py:NAME and does not belong to an option of several words.

    Raises:
        InputError: for a file that cannot be read, or a scenario without the option that names it.
    """
    spec = _scenario_behind_flag(words) if config.scenario_flag else _scenario_word(words, config)
    if spec is None and (file := _value_of("--config", words)):
        spec = read_config(Path(file)).scenario
    return spec or _scenario_of_options(words, config)


def _value_of(flag: str, words: Sequence[str]) -> str | None:
    """The word behind an option, wherever that stands."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(flag, nargs="?", dest="value")
    return parser.parse_known_args(words)[0].value


def scenario_of(words: Sequence[str]) -> str | None:
    """The value of `--scenario`, whether or not the command has the option."""
    return _value_of(SCENARIO_FLAG, words)


def _scenario_behind_flag(words: Sequence[str]) -> str | None:
    for before, word in zip(["", *words], words, strict=False):
        if word in SHIPPED and not before.startswith("-"):
            raise InputError("scenario", word, f"{SCENARIO_FLAG} {word}", wrong="stands without its option")
    return scenario_of(words)


def _scenario_of_options(words: Sequence[str], config: type[ScenarioConfig]) -> str | None:
    """The scenario that alone has an option among the words, such as `--workload`: no other can be meant."""
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    having = [scenarios_with(flag, config) for flag in given]
    named = {name for names in having if len(names) == 1 for name in names}
    return named.pop() if len(named) == 1 else None


def scenarios_with(flag: str, config: type[ScenarioConfig]) -> list[str]:
    """Names of the command's scenarios that have an option, such as `--workload`."""
    return [name for name in config.scenarios() if flag in flags(load_scenario(name), config)]


def flags(scenario: type[Scenario], config: type[ScenarioConfig]) -> set[str]:
    """Options of a scenario in a command, those it adds to the command, and those that go by its nouns."""
    of_scenario = [leaf for leaf in leaves(scenario.Options) if leaf.name not in config.replaced]
    names = {leaf.name for leaf in leaves(config)}
    nouns = {name: noun_of(name, scenario) for name in names}
    module = config.module_of(scenario)
    added = [leaf for leaf in leaves(module.Config) if leaf.name not in names] if module else []
    options = {leaf.about.flag or flag_of(leaf.name) for leaf in (*of_scenario, *added)}
    return options | {flag_of(noun) for name, noun in nouns.items() if noun != name}


def scenario_first(words: Sequence[str]) -> list[str]:
    """The words of a command, with a scenario's name moved to the front that an option of several words would take.

    Of `--policies threshold nvm-middleware` the last word is the scenario. A name right behind an option is its value,
    and nothing is moved where the first word is no option.
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
    long = {leaf.about.flag or flag_of(leaf.name) for leaf in leaves(config) if words_taken(leaf)}
    option = ""
    for before, word in zip(["", *words], words, strict=False):
        if word.startswith("-"):
            option = word
        elif option not in long and (word in SHIPPED or (".py:" in word and not before.startswith("-"))):
            return word
    return None
