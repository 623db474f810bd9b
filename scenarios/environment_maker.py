"""Environments by the name and the options of a scenario."""

from __future__ import annotations

from typing import Any, NoReturn

from pmtwin.scenarios.environment import ControlEnv
from pmtwin.scenarios.registry import load_scenario
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError

ENVIRONMENT = (
    *("context", "setting", "episode_steps", "warmup_windows", "mode", "render_mode", "context_steps", "normalize"),
    *("drawn_share", "measures", "history", "jumps"),
)
"""Arguments of `ControlEnv` besides the scenario."""


def make_environment(scenario: str | type[Scenario], **values: Any) -> ControlEnv:
    """The bare environment of a scenario (no wrappers, which would cost more than its own step).

    Args:
        scenario: its name, FILE.py:NAME, or its class.
        values: arguments of `ControlEnv`, the first two also by the scenario's nouns (`NOUN`, `initial_NOUN`); and the
            scenario's options by name. `jumps` is true by default, except where the scenario's own actions are no moves
            from setting to setting.

    Raises:
        InputError: for an unknown name or a value that is not accepted.
    """
    chosen, arguments = scenario_and_arguments(scenario, values)
    return ControlEnv(chosen, **arguments)


def scenario_and_arguments(scenario: str | type[Scenario], values: dict[str, Any]) -> tuple[Scenario, dict[str, Any]]:
    """(the scenario with its options, arguments of `ControlEnv`), from what `make_environment` takes."""
    cls = load_scenario(scenario) if isinstance(scenario, str) else scenario
    nouns = {
        cls.contexts.noun: "context",
        f"{cls.contexts.noun}_steps": "context_steps",
        f"initial_{cls.settings.noun}": "setting",
    }
    values = {nouns.get(name, name): value for name, value in values.items()}
    arguments = {"jumps": bool(cls.settings.moves)}
    arguments |= {name: values.pop(name) for name in ENVIRONMENT if name in values}
    return cls.of(**values), arguments


def refuse_version_1(former: str, now: str, **_: Any) -> NoReturn:
    """Raise `InputError`: an agent of version 1 would be misunderstood."""
    allowed = f"{now}, whose actions are the numbers themselves, from 1 thread on; for an agent that counts from 0, "
    allowed += "such as those trained for v1, pmtwin.ActionsFromZero(env) around it"
    raise InputError("environment", former, allowed, wrong="counted arrays from 0 and tuples from 1")
