"""A configuration from keyword arguments of Python, by the rules of `--config` files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pmtwin.config.door import Door, refuse_excluded
from pmtwin.config.files import ConfigFile, file_values
from pmtwin.config.keys import Keys
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import CommandConfig
from pmtwin.scenarios.registry import load_scenario
from pmtwin.sim.errors import ConflictError

OF_PRINTING = ("json", "csv", "dry_run")
"""Options that determine what the command line prints."""


def keyword_configuration(
    module: ModuleType, spec: str | None, options: Mapping[str, Any]
) -> tuple[ModuleType, CommandConfig, Door]:
    """(module that runs the command, its configuration, its door) from keyword arguments.

    Args:
        module: module of the command.
        spec: spec of the scenario; None for a command without one.
        options: keyword -> value.

    Raises:
        InputError: for an unknown scenario or keyword, or a value that is not accepted, by the name of the keyword.
    """
    config, scenario = module.Config, None
    if spec is not None and issubclass(config, ScenarioConfig):
        scenario = load_scenario(spec)
        config.check_scenario(scenario)
        module = config.module_of(scenario) or module
        config = config.for_scenario(scenario)
    keys = Keys(config, scenario)
    door = Door(keys, spec)
    for name in OF_PRINTING:
        if options.get(name):
            raise ConflictError(name, options[name], "belongs to the command line; remove it")
    values = file_values(ConfigFile(None, None, None, {name: _plain(value) for name, value in options.items()}), keys)
    refuse_excluded(values)
    return module, door.built(values), door


def _plain(value: Any) -> Any:
    """A value with the types of a TOML file: lists, texts, numbers."""
    if hasattr(value, "tolist"):  # arrays of numpy and similar types
        value = value.tolist()
    if isinstance(value, tuple | set | range):
        return [_plain(entry) for entry in value]
    return str(value) if isinstance(value, Path) else value
