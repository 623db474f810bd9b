"""The twin: device law, profiles, host, queues, pools, middleware; engines `simpy` and `compiled`."""

from sim import numba_cache  # noqa: F401  first of all: it sets where compiled code is kept
from sim.engines import engine_names
from sim.errors import CheckFailedError, InputError, MissingDependencyError, PmtwinError
from sim.middleware import ACTIONS, POOL_MAX, POOL_MIN, Middleware, State, WindowSpec, WindowStats
from sim.parameters import PARAMETERS, Parameter
from sim.workload import CLASSES, ClassWorkload, Workload

__all__ = [
    "ACTIONS",
    "CLASSES",
    "PARAMETERS",
    "POOL_MAX",
    "POOL_MIN",
    "CheckFailedError",
    "ClassWorkload",
    "InputError",
    "Middleware",
    "MissingDependencyError",
    "Parameter",
    "PmtwinError",
    "State",
    "WindowSpec",
    "WindowStats",
    "Workload",
    "engine_names",
]
