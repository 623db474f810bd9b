"""Construction of environments from the name and the options of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import gymnasium

from pmtwin.scenarios.environments.actions_from_zero import Version1
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.registry import load_scenario
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.errors import InputError

ENVIRONMENT = (
    *("context", "setting", "episode_steps", "warmup_windows", "mode", "render_mode", "context_steps", "normalize"),
    *("drawn_share", "measures", "history", "jumps"),
)
"""Arguments of `ControlEnv` besides the scenario."""

OPTIONS = "options"
"""Argument with options of the scenario alone."""


STEPPED = ("context", "setting", "episode_steps", "render_mode", "normalize", "policies")
"""Arguments of an environment whose step is a decision inside the windows (`Scenario.stepped`), besides `decisions`."""


def make_environment(scenario: str | type[Scenario], **values: Any) -> gymnasium.Env:
    """The environment of a scenario, without wrappers, which would cost more time than its step.

    Args:
        scenario: name of the scenario, FILE.py:NAME, or its class.
        values: arguments of `ControlEnv`, and options of the scenario, by name. `context`, `context_steps` and
            `setting` can also be given under the scenario's nouns, as `NOUN`, `NOUN_steps` and `initial_NOUN`. `jumps`
            is true by default if the scenario's actions move a setting. `options`: a mapping with options of the
            scenario alone, also those that are named as an argument. With `decisions`, the environment is that of
            `Scenario.stepped`.

    Raises:
        InputError: for an unknown name or a value that is not accepted.
    """
    if "decisions" in values:
        return _stepped(scenario, **values)
    chosen, arguments = scenario_and_arguments(scenario, values)
    return ControlEnv(chosen, **arguments)


def _stepped(scenario: str | type[Scenario], decisions: str, **values: Any) -> gymnasium.Env:
    """The environment whose step is a decision inside the windows."""
    cls = load_scenario(scenario) if isinstance(scenario, str) else scenario
    if not cls.stepped:
        raise InputError("decisions", decisions, f"no such argument: scenario {cls.name} decides between windows alone")
    values = {_nouns(cls).get(name, name): value for name, value in values.items()}
    arguments = {name: values.pop(name) for name in STEPPED if name in values}
    return object_at(cls.stepped)(_with_options(cls, values), decisions=decisions, **arguments)


def _nouns(cls: type[Scenario]) -> dict[str, str]:
    """Argument under the scenario's nouns -> argument of the environment."""
    return {
        cls.contexts.noun: "context",
        f"{cls.contexts.noun}_steps": "context_steps",
        f"initial_{cls.settings.noun}": "setting",
    }


def scenario_and_arguments(scenario: str | type[Scenario], values: dict[str, Any]) -> tuple[Scenario, dict[str, Any]]:
    """(scenario with its options, arguments of `ControlEnv`), from the arguments of `make_environment`.

    Raises:
        InputError: for `decisions`, which has an environment of its own.
    """
    cls = load_scenario(scenario) if isinstance(scenario, str) else scenario
    if "decisions" in values:
        raise InputError("decisions", values["decisions"], "a single environment, or vectorization_mode='sync'")
    nouns = _nouns(cls)
    values = {nouns.get(name, name): value for name, value in values.items()}
    arguments = {"jumps": bool(cls.settings.moves)}
    arguments |= {name: values.pop(name) for name in ENVIRONMENT if name in values}
    return _with_options(cls, values), arguments


def _with_options(cls: type[Scenario], values: dict[str, Any]) -> Scenario:
    """The scenario with options by name, and with those of argument `options`."""
    options = values.pop(OPTIONS, {})
    if not isinstance(options, Mapping):
        raise InputError(OPTIONS, options, "a mapping of options by name")
    if twice := sorted(values.keys() & options.keys()):
        raise InputError(twice[0], values[twice[0]], f"a value there or in {OPTIONS}, not both", wrong="is given twice")
    return cls.of(**values, **options)


def make_version_1(scenario: str, **values: Any) -> gymnasium.Env:
    """Version 1 of an environment, for agents trained with it; arguments and errors as for `make_environment`."""
    return Version1(make_environment(scenario, **values))


def refuse_version_1(scenario: str, **_: Any) -> NoReturn:
    """Raise `InputError`: in version 1 a vector environment counted tuples from 0, a single one from 1."""
    allowed = "version 2, whose actions are the numbers themselves, from 1 thread on; for an agent that counts from 0, "
    allowed += "wrappers=[pmtwin.ActionsFromZero]"
    raise InputError("environment", f"version 1 of {scenario}", allowed, wrong="is for one environment at a time")
