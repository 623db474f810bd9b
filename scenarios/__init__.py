"""What is controlled: workloads, phases, SLA, reward, the Gymnasium environments.

Importing this package registers the environments: `gymnasium.make("pmtwin/NvmMiddleware-v0")`.
"""

from __future__ import annotations

import gymnasium

from pmtwin.sim.errors import unknown_name

ENVIRONMENT_IDS = {"nvm-middleware": "pmtwin/NvmMiddleware-v0"}
"""Scenario name (of the command line and of `PolicyContext`) -> Gymnasium id."""

_ENTRY_POINTS = {"nvm-middleware": "pmtwin.scenarios.nvm_middleware:NvmMiddlewareEnv"}

for _name, _id in ENVIRONMENT_IDS.items():
    gymnasium.register(id=_id, entry_point=_ENTRY_POINTS[_name])


def scenario_names() -> tuple[str, ...]:
    """The scenarios that `make_scenario` knows, sorted."""
    return tuple(sorted(ENVIRONMENT_IDS))


def check_scenario(name: str) -> str:
    """The name itself.

    Raises:
        InputError: unless it is one of `scenario_names()`.
    """
    if name not in ENVIRONMENT_IDS:
        raise unknown_name("scenario", name, ENVIRONMENT_IDS)
    return name


def make_scenario(name: str, **settings) -> gymnasium.Env:
    """The bare environment of a scenario (no wrappers, which would cost more than its own step).

    Raises:
        InputError: for an unknown name or a setting out of range.
    """
    environment_id = ENVIRONMENT_IDS[check_scenario(name)]
    return gymnasium.make(environment_id, disable_env_checker=True, **settings).unwrapped


__all__ = ["ENVIRONMENT_IDS", "check_scenario", "make_scenario", "scenario_names"]
