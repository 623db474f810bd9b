"""Options of a command under the nouns of a scenario: `context` is `--load` where contexts are called loads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pmtwin.scenarios.capabilities.required import GOALS, SETTINGS, Capability
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import Leaf, Option

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


def flag_of(name: str) -> str:
    """A name as an option of the command line."""
    return f"--{name.replace('_', '-')}"


def noun_of(name: str, scenario: type[Scenario] | None) -> str:
    """The name of a command's field in the words of the scenario: `context_steps` -> `load_steps`."""
    if scenario is None:
        return name
    head, _, rest = name.partition("_")
    words = {"context": scenario.contexts.noun, "contexts": scenario.contexts.plural, "setting": scenario.settings.noun}
    return "_".join((words.get(head, head), *([rest] if rest else [])))


def in_nouns(leaf: Leaf, scenario: type[Scenario] | None) -> Leaf:
    """An option of a command as the scenario calls it, whose texts are read and checked by the scenario's declaration.

    In its help `{context}`, `{contexts}`, `{setting}`, `{initial}`, `{form}`, `{goal}` and `{without}` are its words.
    """
    about = leaf.about
    if scenario is None:
        return leaf
    words = {"context": scenario.contexts.noun, "contexts": scenario.contexts.plural, "setting": scenario.settings.noun}
    words["form"] = scenario.settings.form
    words["goal"] = f"{next(iter(scenario.goal_options), 'NAME')}=200"
    words["without"] = f"; none: run in mode {scenario.modes[1]}" if len(scenario.modes) > 1 else ""
    help = about.help
    if "{initial}" in help:
        words["initial"] = _initial(scenario)
    for word, noun in words.items():
        help = help.replace(f"{{{word}}}", noun)
    metavar = scenario.settings.form if about.metavar == "{form}" else about.metavar
    about = replace(about, metavar=metavar, help=help, flag=about.flag or flag_of(noun_of(leaf.name, scenario)))
    needed = NEEDED.get(leaf.name)
    if needed is not None and not needed.is_declared(scenario):
        about = _without_use(about, scenario, needed)
    elif leaf.name == "setting":
        about = replace(about, parse=scenario.settings.parse, metavar=scenario.settings.form)
    elif leaf.name == "context":
        about = replace(about, parse=_each_context(scenario, False), metavar="K")
    elif leaf.name == "contexts":
        about = replace(about, parse=_each_context(scenario, True), metavar="K", words="+")
    return leaf._replace(about=about)


def _initial(scenario: type[Scenario]) -> str:
    """The setting that a run begins with, and that of each variant which begins with another."""
    texts = {"": scenario.settings.written(scenario.initial_setting)}
    for values in scenario.variants:
        chosen = " ".join(f"{flag_of(name)} {value}" for name, value in values.items())
        variant = scenario.of(**values)
        texts[f" with {chosen}"] = variant.settings.written(variant.initial_setting)
    first = texts[""]
    return "; ".join(f"{text}{where}" for where, text in texts.items() if not where or text != first)


NEEDED = {"setting": SETTINGS, "grid": SETTINGS, "goal": GOALS}
"""Option of a command -> what a scenario must declare, or the option has no use."""


def _without_use(about: Option, scenario: type[Scenario], needed: Capability) -> Option:
    """The option as a scenario has it that lacks what it is about: its help says so, and a value is refused."""
    reason = f"has no use: scenario {scenario.name} has no {needed.noun}"

    def refuse(field: str, text: str) -> Any:
        raise ConflictError(field, text, f"{reason}; remove it")

    return replace(about, parse=refuse, metavar="X", help=reason)


def _each_context(scenario: type[Scenario], many: bool) -> Callable[[str, str], Any]:
    def parse(field: str, text: str) -> Any:
        try:
            if many:
                return tuple(scenario.contexts.check(part) for part in text.split(","))
            return scenario.contexts.check(text)
        except InputError as error:
            raise error.renamed(field) from error

    return parse
