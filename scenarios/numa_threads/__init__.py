"""Threads placed on a NUMA machine with persistent memory (Chen and others, "Smart scheduler", 2022)."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "NumaThreads": "pmtwin.scenarios.numa_threads.scenario",
    "NumaOptions": "pmtwin.scenarios.numa_threads.options",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.scenarios.numa_threads", _HOMES)
