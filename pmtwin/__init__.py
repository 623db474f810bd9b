"""pmtwin: a calibrated twin of a persistent-memory storage middleware.

The public names of all rooms, for use from Python:

    >>> import pmtwin
    >>> middleware = pmtwin.Middleware(pmtwin.phase_workload(1), seed=1)
    >>> middleware.start(interactive_threads=10, batch_threads=10)
    >>> middleware.run_window().completed
    5000
"""

from sim.lazy import lazy_names

__version__ = "0.1.0"

_HOMES = {
    "ClassWorkload": "sim.workload",
    "InputError": "sim.errors",
    "Middleware": "sim.middleware",
    "NvmMiddlewareEnv": "scenarios.nvm_middleware",
    "Policy": "policies",
    "PolicyContext": "policies",
    "Profile": "sim.device.profile",
    "RewardParameters": "scenarios.reward",
    "Sla": "scenarios.reward",
    "WindowSpec": "sim.middleware",
    "WindowStats": "sim.middleware",
    "Workload": "sim.workload",
    "load_profile": "sim.device.profile",
    "make_policy": "policies",
    "make_scenario": "scenarios",
    "make_workload": "scenarios.workloads",
    "phase_workload": "scenarios.phases",
    "register": "policies",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin", _HOMES)
