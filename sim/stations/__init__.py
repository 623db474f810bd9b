"""Stations of queueing networks. A `Network` is a declared list of stations; both engines run it."""

from pmtwin.sim.stations.arrivals import Arrivals
from pmtwin.sim.stations.clients import Clients
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.processor_sharing import ProcessorSharing
from pmtwin.sim.stations.processors import Processors
from pmtwin.sim.stations.queue import Queue
from pmtwin.sim.stations.router import Router
from pmtwin.sim.stations.servers import Servers

__all__ = ["Arrivals", "Clients", "Network", "ProcessorSharing", "Processors", "Queue", "Router", "Servers"]
