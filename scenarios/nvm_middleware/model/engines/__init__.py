"""The engines of the thread pools' model. Engines `simpy` and `compiled` give the same numbers."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines.base import Engine, WindowResult
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.errors import unknown_name

__all__ = ["Engine", "WindowResult", "engine_class", "engine_names", "make_engine"]

_ENGINES = {
    "simpy": "pmtwin.scenarios.nvm_middleware.model.engines.simpy_engine:SimpyEngine",
    "compiled": "pmtwin.scenarios.nvm_middleware.model.engines.compiled:CompiledEngine",
    "analytic": "pmtwin.scenarios.nvm_middleware.model.engines.analytic:AnalyticEngine",
}
"""Name -> class, imported at its first use."""


def engine_names() -> list[str]:
    """Names of the engines."""
    return sorted(_ENGINES)


def engine_class(name: str) -> type[Engine]:
    """The class of an engine.

    Raises:
        InputError: no such engine.
    """
    if name not in _ENGINES:
        raise unknown_name("engine", name, _ENGINES)
    return object_at(_ENGINES[name])


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
