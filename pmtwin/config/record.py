"""The record of a configuration in a result: what `--config` reads, so that a run is repeated from its own result."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import CommandConfig
from pmtwin.output import message
from pmtwin.sim.options import leaves, plain


def arguments(config: CommandConfig) -> dict:
    """Command, scenario and all options that determine the result, as plain values: `configuration.arguments`."""
    kept = {leaf.path[0] for leaf in leaves(type(config)) if leaf.about.recorded}
    record = {"command": config.command}
    if isinstance(config, ScenarioConfig):
        record["scenario"] = config.scenario.spec
    record |= {name: value for name, value in plain(config).items() if name in kept}
    return record | (config.scenario_arguments() if isinstance(config, ScenarioConfig) else {})


def run_record(config: ScenarioConfig) -> dict:
    """What a result's `configuration` has besides the run itself: `arguments`, and what the model's parameters are.

    Warnings about the parameters also go to standard error.
    """
    parameters = config.scenario.parameters()
    for warning in parameters.get("warnings", ()):
        message(f"warning: {warning}")
    return {**parameters, "arguments": arguments(config)}


def run_table(result: Mapping, configuration: Mapping, config: ScenarioConfig) -> dict[str, object]:
    """Rows that say what was run: plain values of the result and its configuration, options with a name as value, and
    all that are not as by default, be it because of another option."""
    rows = dict(result) | {name: value for name, value in configuration.items() if not isinstance(value, Mapping)}
    for leaf in leaves(type(config.scenario.options)):
        try:
            value = attrgetter(".".join(leaf.path))(config.scenario.options)
        except AttributeError:  # below a group that is not there
            continue
        if (leaf.kind is str or value != leaf.default) and value is not None:
            rows.setdefault(leaf.name, plain_cell(value))
    return rows | config.scenario.derived()


def facts(config: ScenarioConfig) -> dict[str, object]:
    """What the results of a run rest on, for the head of a page: the options of `run_table` that were chosen."""
    return {name: value for name, value in run_table({}, {}, config).items() if value != "usual"}


def plain_cell(value: object) -> object:
    """A value for a table: a mapping as `a=1, b=2`."""
    return ", ".join(f"{name}={each}" for name, each in value.items()) if isinstance(value, Mapping) else value
