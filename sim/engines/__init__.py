"""The engines: one model, run in different ways, with the same numbers."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.engines.base import Engine, WindowResult
from pmtwin.sim.engines.compiled import CompiledEngine
from pmtwin.sim.engines.network import NetworkRun, NetworkWindow
from pmtwin.sim.engines.network_compiled import CompiledNetwork
from pmtwin.sim.engines.network_simpy import SimpyNetwork
from pmtwin.sim.engines.simpy_engine import SimpyEngine
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.model import Model
from pmtwin.sim.stations.network import Network

__all__ = ["Engine", "NetworkRun", "NetworkWindow", "WindowResult", "engine_names", "make_engine", "start_network"]

_ENGINES = {"simpy": (SimpyEngine, SimpyNetwork), "compiled": (CompiledEngine, CompiledNetwork)}
"""Name -> what runs the middleware, and what runs any network of stations."""


def engine_names() -> list[str]:
    """Names of the engines."""
    return sorted(_ENGINES)


def make_engine(name: str, model: Model, keys: np.ndarray, pools: tuple[int, int]) -> Engine:
    """A new run of `model`, at time zero.

    Args:
        name: one of `engine_names()`.
        keys: shape (2,), uint64, the random key of each class.
        pools: (interactive, batch) threads.
    """
    if name not in _ENGINES:
        raise unknown_name("engine", name, _ENGINES)
    return _ENGINES[name][0](model, keys, pools)


def start_network(network: Network, engine: str = "compiled", seed: int | np.random.SeedSequence = 0) -> NetworkRun:
    """A new run of a network of stations, at time zero and empty.

    Args:
        engine: one of `engine_names()`; the numbers are the same.
        seed: root of all randomness.

    Raises:
        InputError: no such engine.
    """
    if engine not in _ENGINES:
        raise unknown_name("engine", engine, _ENGINES)
    return _ENGINES[engine][1](network, seed)
