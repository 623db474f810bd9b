"""The engines of any network of stations: `simpy` and `compiled` simulate each request and give the same numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.engines.network import NO_DECIDERS, NetworkRun, NetworkWindow
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.stations.network import Network

__all__ = [
    "NetworkRun",
    "NetworkWindow",
    "exact_engine_names",
    "start_network",
]

_NETWORKS = {
    "simpy": "pmtwin.sim.engines.network_simpy:SimpyNetwork",
    "compiled": "pmtwin.sim.engines.network_compiled:CompiledNetwork",
}
"""Name -> engine, imported at its first use."""


def exact_engine_names() -> list[str]:
    """Names of the engines that simulate each request; all of them give the same numbers."""
    return sorted(_NETWORKS)


def start_network(
    network: Network,
    engine: str = "compiled",
    seed: int | np.random.SeedSequence = 0,
    deciders: Mapping[str, Any] = NO_DECIDERS,
) -> NetworkRun:
    """A new run of a network of stations, at time zero and empty.

    Args:
        engine: one of `exact_engine_names()`; the numbers are the same.
        seed: root of all randomness.
        deciders: decision point -> its policy; see `pmtwin.sim.engines.network.NetworkRun`.

    Raises:
        InputError: unknown engine or decision point, or a policy in plain Python on engine `compiled`.
    """
    if engine not in _NETWORKS:
        raise unknown_name("engine of a network of stations", engine, _NETWORKS)
    run: NetworkRun = object_at(_NETWORKS[engine])(network, seed, deciders)
    return run
