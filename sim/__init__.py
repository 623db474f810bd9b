"""The twin: device law, profiles, host, queues, pools, middleware; engines `simpy` and `compiled`."""

from sim import numba_cache  # noqa: F401  first of all: it sets where compiled code is kept
from sim.lazy import lazy_names

_HOMES = {
    "ACTIONS": "sim.middleware",
    "CLASSES": "sim.workload",
    "PARAMETERS": "sim.parameters",
    "POOL_MAX": "sim.middleware",
    "POOL_MIN": "sim.middleware",
    "CheckFailedError": "sim.errors",
    "ClassWorkload": "sim.workload",
    "InputError": "sim.errors",
    "LatencyTail": "sim.latency_tail",
    "Middleware": "sim.middleware",
    "MissingDependencyError": "sim.errors",
    "Parameter": "sim.parameter_table",
    "PmtwinError": "sim.errors",
    "State": "sim.middleware",
    "WindowSpec": "sim.middleware",
    "WindowStats": "sim.middleware",
    "Workload": "sim.workload",
    "engine_names": "sim.engines",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("sim", _HOMES)
