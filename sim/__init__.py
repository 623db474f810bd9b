"""The twin: device law, profiles, host, queues, pools, middleware; engines `simpy` and `compiled`."""

import importlib

from sim import numba_cache  # noqa: F401  first of all: it sets where compiled code is kept

_HOME = {
    "ACTIONS": "middleware",
    "CLASSES": "workload",
    "PARAMETERS": "parameters",
    "POOL_MAX": "middleware",
    "POOL_MIN": "middleware",
    "CheckFailedError": "errors",
    "ClassWorkload": "workload",
    "InputError": "errors",
    "Middleware": "middleware",
    "MissingDependencyError": "errors",
    "Parameter": "parameters",
    "PmtwinError": "errors",
    "State": "middleware",
    "WindowSpec": "middleware",
    "WindowStats": "middleware",
    "Workload": "workload",
    "engine_names": "engines",
}
"""Public name -> the module that has it, imported when the name is first asked for: `pmtwin --help` needs no numba."""

__all__ = list(_HOME)


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(f"sim.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sim' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
