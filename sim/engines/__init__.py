"""The engines: one model, run in different ways, with the same numbers."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.engines.base import Engine, WindowResult
from pmtwin.sim.engines.compiled import CompiledEngine
from pmtwin.sim.engines.simpy_engine import SimpyEngine
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.model import Model

__all__ = ["Engine", "WindowResult", "engine_names", "make_engine"]

_ENGINES = {engine.name: engine for engine in (SimpyEngine, CompiledEngine)}


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
    return _ENGINES[name](model, keys, pools)
