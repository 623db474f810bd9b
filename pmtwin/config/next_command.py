"""The command that comes next, in the last line of one that ends: under the conditions of what was done."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from operator import attrgetter

from pmtwin.config.keys import Key
from pmtwin.config.nouns import flag_of
from pmtwin.scenarios.comparison.options import EvaluationOptions
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.options import Leaf, leaves
from pmtwin.sim.options.text import written_value


def next_line(command: str, *words: object) -> str:
    """The line; words with blanks are quoted."""
    return f"next: {shlex.join(['pmtwin', command, *map(str, words)])}"


def scenario_words(scenario: Scenario, without: Collection[str] = (), others: bool = False) -> list[str]:
    """A scenario with its options, as a command line names them.

    Options at their defaults are left out, but for those that say which samples are drawn.

    Args:
        without: names of options that the line has of its own.
        others: whether other samples are drawn than the scenario's.
    """
    words = [scenario.spec or scenario.name]
    for leaf, given in _given(scenario, without):
        draws = others and leaf.name in scenario.drawn_by
        value = other_seed(given) if draws and isinstance(given, int) else given
        key = Key(True, leaf)
        if leaf.about.open and isinstance(value, Mapping):
            words += [word for name, each in value.items() for word in ("--set", f"{name}={each:.15g}")]
        elif not leaf.about.shown:
            words += ["--set", f"{key.path}={written_value(leaf, value)}"]
        else:
            words += [key.flags[0]] if isinstance(value, bool) else [key.flag, written_value(leaf, value)]
    return words


def _given(scenario: Scenario, without: Collection[str]) -> Iterator[tuple[Leaf, object]]:
    """Options that are not as by default, with their values."""
    for leaf in leaves(type(scenario.options)):
        try:
            value = attrgetter(".".join(leaf.path))(scenario.options)
        except AttributeError:  # below a group that is not there
            continue
        usual = value == leaf.default or (leaf.default is None and isinstance(value, Mapping) and not value)
        if leaf.name not in without and (not usual or leaf.name in scenario.drawn_by):
            yield leaf, value


def other_seed(seed: int) -> int:
    """A seed that draws others than this one."""
    return (seed + 1) % 2**63


def evaluation_words(scenario: Scenario, seed: int) -> list[str]:
    """`scenario_words` of an evaluation that meets other samples and other runs than a training did.

    As many seeds as there are samples are asked for, where there are more than seeds by default.

    Args:
        seed: of the training.
    """
    words = scenario_words(scenario, others=True)
    if scenario.draws:
        words += [flag_of("seed"), str(other_seed(seed))]
    return [*words, *([flag_of("seeds"), str(scenario.devices)] if scenario.devices > EvaluationOptions.seeds else [])]
