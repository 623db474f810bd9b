"""Scenarios (controlled systems), each declared in one folder; and their run, comparison and learning.

`import pmtwin` registers their environments (`pmtwin/registration.py`): `gymnasium.make("pmtwin/NvmMiddleware-v2")`.
"""

from __future__ import annotations

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "ActionsFromZero": "pmtwin.scenarios.environments.actions_from_zero",
    "Contexts": "pmtwin.scenarios.contexts",
    "ControlEnv": "pmtwin.scenarios.environments.environment",
    "Scenario": "pmtwin.scenarios.scenario",
    "System": "pmtwin.scenarios.system",
    "Training": "pmtwin.scenarios.scenario",
    "Validity": "pmtwin.scenarios.system",
    "live": "pmtwin.scenarios.live_system.declaration",
    "load_scenario": "pmtwin.scenarios.registry",
    "make_environment": "pmtwin.scenarios.environments.making",
    "make_vector_environment": "pmtwin.scenarios.environments.vector",
    "scenario_names": "pmtwin.scenarios.registry",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.scenarios", _HOMES)
