"""Building blocks of simulated systems: device, host, store, load, stations, decisions and engines."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "CLASSES": "pmtwin.sim.load.workload",
    "PARAMETERS": "pmtwin.sim.parameters.values",
    "CheckFailedError": "pmtwin.sim.errors",
    "ClassWorkload": "pmtwin.sim.load.workload",
    "InputError": "pmtwin.sim.errors",
    "LatencyTail": "pmtwin.sim.numerics.latency_tail",
    "MissingDependencyError": "pmtwin.sim.errors",
    "Parameter": "pmtwin.sim.parameters.table",
    "PmtwinError": "pmtwin.sim.errors",
    "Workload": "pmtwin.sim.load.workload",
    "exact_engine_names": "pmtwin.sim.engines",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.sim", _HOMES)
