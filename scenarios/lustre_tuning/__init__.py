"""Congestion window and rate limit of a parallel file system (Li and others, "CAPES", SC 2017)."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "LustreTuning": "pmtwin.scenarios.lustre_tuning.scenario",
    "LustreOptions": "pmtwin.scenarios.lustre_tuning.options",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.scenarios.lustre_tuning", _HOMES)
