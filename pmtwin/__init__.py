"""pmtwin: a calibrated twin of a persistent-memory storage middleware.

The public names of all rooms, for use from Python:

    >>> import pmtwin
    >>> middleware = pmtwin.Middleware(pmtwin.phase_workload(1), seed=1)
    >>> middleware.start(10, 10)
    >>> middleware.run_window().completed
    5000

Importing it makes the environments known to Gymnasium (`gymnasium.make("pmtwin/NvmMiddleware-v2")`) and loads neither
a scenario nor any large package.
"""

from pmtwin.registration import register_environments
from pmtwin.sim.common.lazy import lazy_names
from pmtwin.workers import end_with_parent

__version__ = "0.3.0.dev0"

_HOMES = {
    "ActionsFromZero": "pmtwin.scenarios",
    "ClassWorkload": "pmtwin.sim.load.workload",
    "InputError": "pmtwin.sim.errors",
    "Middleware": "pmtwin.scenarios.nvm_middleware.model.middleware",
    "NvmMiddlewareEnv": "pmtwin.scenarios.nvm_middleware",
    "Policy": "pmtwin.policies",
    "PolicyContext": "pmtwin.policies",
    "Profile": "pmtwin.sim.device.profile",
    "Result": "pmtwin.evaluation.results",
    "RewardParameters": "pmtwin.scenarios.nvm_middleware.reward",
    "Sla": "pmtwin.scenarios.nvm_middleware.reward",
    "WindowSpec": "pmtwin.scenarios.nvm_middleware.model.pools",
    "WindowStats": "pmtwin.scenarios.nvm_middleware.model.window_stats",
    "Workload": "pmtwin.sim.load.workload",
    "evaluate": "pmtwin.calls",
    "live": "pmtwin.scenarios",
    "load_profile": "pmtwin.sim.device.profile",
    "make_environment": "pmtwin.scenarios",
    "make_policy": "pmtwin.policies",
    "make_vector_environment": "pmtwin.scenarios",
    "make_workload": "pmtwin.scenarios.nvm_middleware.workloads",
    "phase_workload": "pmtwin.scenarios.nvm_middleware.phases",
    "predict": "pmtwin.calls",
    "recommend": "pmtwin.calls",
    "register": "pmtwin.policies",
    "simulate": "pmtwin.calls",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin", _HOMES)

register_environments()
end_with_parent()
