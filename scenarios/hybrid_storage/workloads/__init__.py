"""Workloads of hybrid storage: requests with the statistics of the paper's Tables 4 and 5."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "Shape": "pmtwin.scenarios.hybrid_storage.workloads.shape",
    "WORKLOADS": "pmtwin.scenarios.hybrid_storage.workloads.named",
    "draw_requests": "pmtwin.scenarios.hybrid_storage.workloads.drawing",
    "Recorded": "pmtwin.scenarios.hybrid_storage.workloads.traces",
    "recorded": "pmtwin.scenarios.hybrid_storage.workloads.traces",
    "statistics": "pmtwin.scenarios.hybrid_storage.workloads.means",
    "workload": "pmtwin.scenarios.hybrid_storage.workloads.named",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.scenarios.hybrid_storage.workloads", _HOMES)
