"""The record of a configuration in a result: what `--config` reads, so that a run is repeated from its own result."""

from __future__ import annotations

from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import CommandConfig
from pmtwin.sim.options import leaves, plain


def arguments(config: CommandConfig) -> dict:
    """Command, scenario and all options that determine the result, as plain values: `configuration.arguments`."""
    kept = {leaf.path[0] for leaf in leaves(type(config)) if leaf.about.recorded}
    record = {"command": config.command}
    if isinstance(config, ScenarioConfig):
        record["scenario"] = config.scenario.spec
    record |= {name: value for name, value in plain(config).items() if name in kept}
    return record | (plain(config.scenario.options) if isinstance(config, ScenarioConfig) else {})
