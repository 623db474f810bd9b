"""The requests of a trace as arrays, for replays: the same requests that the engines draw."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.requests import draw_block
from pmtwin.sim.draws import bits
from pmtwin.sim.load.workload import GET


def trace_block(
    model: Model, keys: np.ndarray, class_index: int, first: int, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Requests first..first + count - 1 of a class, as both engines draw them.

    Args:
        model: from `pmtwin.scenarios.nvm_middleware.model.model.build_model`.
        keys: from `pmtwin.sim.draws.class_keys`.

    Returns:
        (gap before each request in ns, float64; size of its value in bytes, uint32; whether it writes, bool), shape
        (count,).
    """
    drawn = draw_block(model.records, keys[class_index], class_index, first, count)
    kind, gap_ns = drawn[0], drawn[-1]
    load = model.workload.classes[class_index]
    sizes = np.stack([load.sizes(False), load.sizes(True)])
    indices = np.arange(first, first + count, dtype=np.uint64)
    words = bits.py_func(keys[class_index], indices, np.uint64(0))  # type: ignore[attr-defined]  # numba's dispatchers have it
    bins = (words & model.records[0]["size_mask"][kind]).astype(np.int64)
    writes = np.array([k.operation != GET for k in model.kinds])[kind]
    return gap_ns, np.rint(sizes[writes.astype(np.int64), bins]).astype(np.uint32), writes
