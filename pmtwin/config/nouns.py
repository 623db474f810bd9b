"""Options of a command under the nouns of a scenario: `context` becomes `--load` if contexts are called loads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pmtwin.scenarios.capabilities.required import GOALS, SETTINGS, Capability
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import MISSING, Leaf, Option

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


def flag_of(name: str) -> str:
    """The flag of an option with this name."""
    return f"--{name.replace('_', '-')}"


def noun_of(name: str, scenario: type[Scenario] | None) -> str:
    """The name of a command's field with the scenario's nouns: `context_steps` -> `load_steps`."""
    if scenario is None:
        return name
    head, _, tail = name.partition("_")
    nouns = {"context": scenario.contexts.noun, "contexts": scenario.contexts.plural, "setting": scenario.settings.noun}
    return "_".join((nouns.get(head, head), *([tail] if tail else [])))


def in_nouns(leaf: Leaf, scenario: type[Scenario] | None) -> Leaf:
    """An option of a command with the scenario's flag, help and checks.

    In the help, `{context}`, `{contexts}`, `{setting}`, `{initial}`, `{form}`, `{goal}` and `{without}` are replaced by
    the scenario's words.
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
    if needed is not None and leaf.default is not MISSING and not needed.is_declared(scenario):
        about = _without_use(about, scenario, needed)
    elif leaf.name == "setting":
        about = replace(about, parse=scenario.settings.parse, metavar=scenario.settings.form)
    elif leaf.name == "context":
        about = replace(about, parse=_each_context(scenario, False), metavar="K")
    elif leaf.name == "contexts":
        about = replace(about, parse=_each_context(scenario, True), metavar="K", words="+")
    return leaf._replace(about=about)


def _initial(scenario: type[Scenario]) -> str:
    """The initial setting as text, with those of variants that have another one."""
    texts = {"": scenario.settings.written(scenario.initial_setting)}
    for values in scenario.variants:
        chosen = " ".join(f"{flag_of(name)} {value}" for name, value in values.items())
        variant_scenario = scenario.of(**values)
        texts[f" with {chosen}"] = variant_scenario.settings.written(variant_scenario.initial_setting)
    usual = texts[""]
    return "; ".join(f"{text}{variant}" for variant, text in texts.items() if not variant or text != usual)


NEEDED = {"setting": SETTINGS, "grid": SETTINGS, "goal": GOALS}
"""Option of a command -> capability without which it has no use, unless a scenario's own command requires it."""


def _without_use(about: Option, scenario: type[Scenario], needed: Capability) -> Option:
    """The option for a scenario without the needed capability: its help says so, and values are refused."""
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
