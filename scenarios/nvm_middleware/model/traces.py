"""The requests of a trace as arrays, for replays: the same requests that the engines draw."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.requests import draw_block
from pmtwin.sim.compiling import njit
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
    bins = _size_bins(model.records, keys[class_index], first, kind)
    writes = np.array([k.operation != GET for k in model.kinds])[kind]
    return gap_ns, np.rint(sizes[writes.astype(np.int64), bins]).astype(np.uint32), writes


@njit(cache=True)
def _size_bins(models, key, first, kinds):
    """Index of each request's size among the equally likely sizes."""
    bins = np.empty(kinds.shape[0], dtype=np.int64)
    for j in range(kinds.shape[0]):
        word = bits(key, np.uint64(first + j), np.uint64(0))
        bins[j] = np.int64(word & models[0].size_mask[kinds[j]])
    return bins
