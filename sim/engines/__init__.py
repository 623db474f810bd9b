"""The engines: one model, run in different ways. Engines `simpy` and `compiled` give the same numbers."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from pmtwin.sim.engines.base import Engine, WindowResult
from pmtwin.sim.engines.network import NOBODY, NetworkRun, NetworkWindow
from pmtwin.sim.engines.network_compiled import CompiledNetwork
from pmtwin.sim.engines.network_simpy import SimpyNetwork
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.model import Model
from pmtwin.sim.stations.network import Network

__all__ = [
    "Engine",
    "NetworkRun",
    "NetworkWindow",
    "WindowResult",
    "engine_class",
    "engine_names",
    "exact_engine_names",
    "make_engine",
    "start_network",
]

_ENGINES = {
    "simpy": "pmtwin.sim.engines.simpy_engine:SimpyEngine",
    "compiled": "pmtwin.sim.engines.compiled:CompiledEngine",
    "analytic": "pmtwin.sim.engines.analytic:AnalyticEngine",
}
"""Name -> class of the engine of the middleware, imported at its first use."""

_NETWORKS = {"simpy": SimpyNetwork, "compiled": CompiledNetwork}
"""Name -> engine of any network of stations: the engines that simulate each request, with the same numbers."""


def engine_names() -> list[str]:
    """Names of the engines."""
    return sorted(_ENGINES)


def exact_engine_names() -> list[str]:
    """Names of the engines that simulate each request, all of which give the same numbers."""
    return sorted(_NETWORKS)


def engine_class(name: str) -> type[Engine]:
    """The class of an engine.

    Raises:
        InputError: no such engine.
    """
    if name not in _ENGINES:
        raise unknown_name("engine", name, _ENGINES)
    module, _, attribute = _ENGINES[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def make_engine(name: str, model: Model, keys: np.ndarray, pools: tuple[int, int]) -> Engine:
    """A new run of `model`, at time zero.

    Args:
        name: one of `engine_names()`.
        keys: shape (2,), uint64, the random key of each class.
        pools: (interactive, batch) threads.

    Raises:
        InputError: no such engine, or one that does not serve the model.
    """
    return engine_class(name)(model, keys, pools)


def start_network(
    network: Network,
    engine: str = "compiled",
    seed: int | np.random.SeedSequence = 0,
    deciders: Mapping[str, Any] = NOBODY,
) -> NetworkRun:
    """A new run of a network of stations, at time zero and empty.

    Args:
        engine: one of `exact_engine_names()`; the numbers are the same.
        seed: root of all randomness.
        deciders: decision point -> what decides there, as `pmtwin.sim.engines.network.NetworkRun` takes it.

    Raises:
        InputError: no such engine, or one that runs the middleware alone; a decision point that the network has not, or
            a policy in plain Python on engine `compiled`.
    """
    if engine not in _ENGINES:
        raise unknown_name("engine", engine, _ENGINES)
    if engine not in _NETWORKS:
        raise InputError("engine", engine, f"{' or '.join(exact_engine_names())} for a network of stations")
    return _NETWORKS[engine](network, seed, deciders)
