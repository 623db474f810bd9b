"""The line `next: pmtwin ...` at the end of a command: the following command under the same conditions."""

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
    """The line with a command and its words; words with blanks are quoted."""
    return f"next: {shlex.join(['pmtwin', command, *map(str, words)])}"


def scenario_words(scenario: Scenario, without: Collection[str] = (), others: bool = False) -> list[str]:
    """A scenario with its options, as words of a command line.

    Options at their defaults are left out, except those that determine the samples.

    Args:
        scenario: the scenario.
        without: names of options to leave out.
        others: whether the line draws other samples than the scenario has.
    """
    words = [scenario.spec or scenario.name]
    for leaf, present in _given(scenario, without):
        is_redrawn = others and leaf.name in scenario.drawn_by
        value = other_seed(present) if is_redrawn and isinstance(present, int) else present
        key = Key(True, leaf)
        if leaf.about.open and isinstance(value, Mapping):
            words += [word for name, number in value.items() for word in ("--set", f"{name}={number:.15g}")]
        elif not leaf.about.shown:
            words += ["--set", f"{key.path}={written_value(leaf, value)}"]
        else:
            words += [key.flags[0]] if isinstance(value, bool) else [key.flag, written_value(leaf, value)]
    return words


def _given(scenario: Scenario, without: Collection[str]) -> Iterator[tuple[Leaf, object]]:
    """(option, value) for options that differ from their defaults or determine the samples."""
    for leaf in leaves(type(scenario.options)):
        try:
            value = attrgetter(".".join(leaf.path))(scenario.options)
        except AttributeError:  # in a group that is None
            continue
        is_default = value == leaf.default or (leaf.default is None and isinstance(value, Mapping) and not value)
        if leaf.name not in without and (not is_default or leaf.name in scenario.drawn_by):
            yield leaf, value


def other_seed(seed: int) -> int:
    """Another seed."""
    return (seed + 1) % 2**63


def evaluation_words(scenario: Scenario, seed: int) -> list[str]:
    """`scenario_words` for an evaluation with other samples and other runs than a training.

    With more samples than default seeds, the number of seeds is that of the samples.

    Args:
        scenario: the scenario.
        seed: seed of the training.
    """
    words = scenario_words(scenario, others=True)
    if scenario.draws:
        words += [flag_of("seed"), str(other_seed(seed))]
    return [*words, *([flag_of("seeds"), str(scenario.devices)] if scenario.devices > EvaluationOptions.seeds else [])]
