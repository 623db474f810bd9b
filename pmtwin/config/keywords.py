"""A configuration from keyword arguments of Python, by the rules of `--config` files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pmtwin.config.door import Door
from pmtwin.config.files import ConfigFile, file_values
from pmtwin.config.keys import Keys
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import CommandConfig
from pmtwin.scenarios.registry import load_scenario


def keyword_configuration(
    module: ModuleType, spec: str | None, options: Mapping[str, Any]
) -> tuple[ModuleType, CommandConfig, Door]:
    """The module that runs a command, its configuration, and the door that knows what the caller named.

    Args:
        module: of the command. spec: the scenario; None for a command without one. options: keyword -> value.

    Raises:
        InputError: for an unknown scenario or keyword, or a value that is refused, by the name of the keyword.
    """
    config, scenario = module.Config, None
    if spec is not None and issubclass(config, ScenarioConfig):
        scenario = load_scenario(spec)
        module = config.module_of(scenario) or module
        config = config.for_scenario(scenario)
    keys = Keys(config, scenario)
    door = Door(keys, spec)
    values = file_values(ConfigFile(None, None, None, {name: _plain(each) for name, each in options.items()}), keys)
    return module, door.built(values), door


def _plain(value: Any) -> Any:
    """The forms that a TOML file has: lists, texts, numbers."""
    if isinstance(value, tuple | set | range):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value
