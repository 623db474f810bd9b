"""The twin: device law, profiles, host, queues, pools, middleware; engines `simpy`, `compiled`, `analytic`."""

from pmtwin.sim.lazy import lazy_names

_HOMES = {
    "ACTIONS": "pmtwin.sim.pools",
    "CLASSES": "pmtwin.sim.workload",
    "PARAMETERS": "pmtwin.sim.parameters",
    "POOL_MAX": "pmtwin.sim.pools",
    "POOL_MIN": "pmtwin.sim.pools",
    "CheckFailedError": "pmtwin.sim.errors",
    "ClassWorkload": "pmtwin.sim.workload",
    "InputError": "pmtwin.sim.errors",
    "LatencyTail": "pmtwin.sim.latency_tail",
    "Middleware": "pmtwin.sim.middleware",
    "MissingDependencyError": "pmtwin.sim.errors",
    "Parameter": "pmtwin.sim.parameter_table",
    "PmtwinError": "pmtwin.sim.errors",
    "Replicas": "pmtwin.sim.replicas",
    "State": "pmtwin.sim.middleware",
    "WindowSpec": "pmtwin.sim.pools",
    "WindowStats": "pmtwin.sim.window_stats",
    "Workload": "pmtwin.sim.workload",
    "engine_names": "pmtwin.sim.engines",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.sim", _HOMES)
