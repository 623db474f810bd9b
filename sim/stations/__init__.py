"""Stations of queueing networks. A `Network` is a declared list of stations; both engines run it."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "Arrivals": "pmtwin.sim.stations.arrivals",
    "Clients": "pmtwin.sim.stations.clients",
    "Network": "pmtwin.sim.stations.network",
    "ProcessorSharing": "pmtwin.sim.stations.processor_sharing",
    "Processors": "pmtwin.sim.stations.processors",
    "Queue": "pmtwin.sim.stations.queue",
    "Router": "pmtwin.sim.stations.router",
    "Servers": "pmtwin.sim.stations.servers",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.sim.stations", _HOMES)
