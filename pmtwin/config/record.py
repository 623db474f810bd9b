"""Records of a configuration in a result, from which `--config` can repeat the run, and tables of it for readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from pmtwin.config.nouns import noun_of
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import CommandConfig
from pmtwin.console.output import message
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.options import Leaf, Options, leaves, plain

VERSIONS = ("schema_version", "version")
"""Entries that only the record of a run has."""


def arguments(config: CommandConfig) -> dict:
    """Command, scenario and all options that determine the result, as plain values: `configuration.arguments`."""
    recorded = {leaf.path[0] for leaf in leaves(type(config)) if leaf.about.recorded}
    record = {"command": config.command}
    if isinstance(config, ScenarioConfig):
        record["scenario"] = config.scenario.spec
    settings = {name: value for name, value in plain(config).items() if name in recorded}
    if not isinstance(config, ScenarioConfig):
        return record | settings
    of_scenario, scenario = config.scenario_arguments(), type(config.scenario)
    named = {noun_of(name, scenario) if name in of_scenario else name: value for name, value in settings.items()}
    return record | named | of_scenario


def run_record(config: ScenarioConfig) -> dict:
    """Entries of a result's `configuration`: `arguments`, and the parameters of the model with their origins.

    Warnings about the parameters also go to standard error.
    """
    parameters = config.scenario.parameters()
    for warning in parameters.get("warnings", ()):
        message(f"warning: {warning}")
    return {**parameters, "arguments": arguments(config)}


def run_table(
    result: Mapping, configuration: Mapping, scenario: Scenario, contexts: Sequence[int | str]
) -> dict[str, object]:
    """Rows that describe a run, for a reader.

    They have the plain values of the result and of its configuration, the options whose value is a name, and all
    options that differ from their defaults, also because of another option; not those without use in the contexts that
    ran.
    """
    idle = scenario.options_without_use_in(contexts)
    rows = dict(result) | {name: value for name, value in configuration.items() if not isinstance(value, Mapping)}
    for leaf, value in _values(scenario.options):
        if leaf.name in idle:
            continue
        if leaf.kind is str or value != leaf.default:
            rows.setdefault(leaf.name, plain_cell(value))
    return rows | scenario.derived()


def plan_table(
    planned: Mapping, scenario: Scenario, *chosen: Options, setup: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Rows of a dry run, for a reader; rows without a value are left out.

    They have the plain values of the plan and of the scenario's record, the goals, the options whose value is a name,
    and all options that differ from their defaults.

    Args:
        planned: the plan.
        scenario: scenario of the run, with its options.
        chosen: options besides those of the scenario.
        setup: the scenario's `setup` in the contexts of the run; it replaces rows of the same information.
    """
    rows = {name: value for name, value in planned.items() if not (isinstance(value, Mapping) or name in VERSIONS)}
    if rows.get(scenario.contexts.plural) == [OWN]:  # stands for conditions of the options
        del rows[scenario.contexts.plural]
    rows |= {name: value for name, value in scenario.record().items() if isinstance(value, str)}
    rows["goals"] = "; ".join(map(str, scenario.goals))
    contexts = planned.get(scenario.contexts.plural, ())
    rows |= {name: value for name, value in _chosen(scenario, contexts).items() if name not in rows}
    if setup:
        rows = {**_without_setup(rows, scenario), **setup}
    for options in chosen:
        for leaf, value in _values(options):
            if leaf.about.recorded and value != leaf.default:
                rows.setdefault(noun_of(leaf.name, type(scenario)), value)
    return {name: plain_cell(value) for name, value in rows.items() if value not in (None, "")}


def _values(options: Options) -> Iterator[tuple[Leaf, object]]:
    """(option, value) of all options with a value."""
    for leaf in leaves(type(options)):
        try:
            value = attrgetter(".".join(leaf.path))(options)
        except AttributeError:  # in a group that is None
            continue
        if value is not None:
            yield leaf, value


def facts(scenario: Scenario, contexts: Sequence[int | str]) -> dict[str, object]:
    """Conditions of a run for the head of a page: chosen options of `run_table`, and the scenario's `setup`.

    Args:
        scenario: scenario of the run, with its options.
        contexts: contexts of the run.
    """
    return _without_setup(_chosen(scenario, contexts), scenario) | scenario.setup(contexts)


def _without_setup(rows: Mapping[str, object], scenario: Scenario) -> dict[str, object]:
    """The rows without options that the scenario's `setup` describes."""
    return {name: value for name, value in rows.items() if name not in scenario.setup_options}


def _chosen(scenario: Scenario, contexts: Sequence[int | str]) -> dict[str, object]:
    return {name: value for name, value in run_table({}, {}, scenario, contexts).items() if value != "usual"}


def plain_cell(value: object) -> object:
    """A value for a cell of a table: a mapping as `a=1, b=2`, several values with blanks between them."""
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return ", ".join(f"{name}={entry}" for name, entry in value.items()) if isinstance(value, Mapping) else value
