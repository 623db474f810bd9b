"""Workloads by name: the traces of Table 4, a thread each, and the mixes of Table 5."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.hybrid_storage.published import ASSUMED, TABLE_4, TABLE_5, Traffic
from pmtwin.scenarios.hybrid_storage.workloads.drawing import KB, US, draw_requests
from pmtwin.scenarios.hybrid_storage.workloads.shape import Shape
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.hybrid.devices import DEVICES
from pmtwin.sim.hybrid.stream import Stream, together

TRAFFIC = {**TABLE_4, **ASSUMED}
WORKLOADS = {**{name: (name,) for name in TRAFFIC}, **{name: mix.workloads for name, mix in TABLE_5.items()}}
"""Workload -> its traces, a thread each; the paper's 17 are those of `TABLE_4`."""


def workload(name: str, shape: Shape, seed: int) -> Stream:
    """The requests of a workload.

    Those of a mix have pages of their own for each thread. Its threads share the length such that all would end at the
    same time if every answer took as long as on the idle device H; their requests stand in the order of these times.

    Args:
        shape: of every thread; `length` is that of all threads together.

    Raises:
        InputError: for an unknown name, or a shape that does not suit it.
    """
    if name not in WORKLOADS:
        raise unknown_name("workload", name, WORKLOADS)
    parts = [TRAFFIC[each] for each in WORKLOADS[name]]
    lengths = _lengths(parts, shape.length)
    seeds = [np.random.SeedSequence(seed, spawn_key=(thread,)) for thread in range(len(parts))]
    streams = [
        draw_requests(traffic, shape, length, part_seed)
        for traffic, length, part_seed in zip(parts, lengths, seeds, strict=True)
    ]
    return streams[0] if len(streams) == 1 else in_order(together(streams))


def in_order(stream: Stream) -> Stream:
    """The requests of all threads in the order in which they would begin if every answer came from device H, idle."""
    time = np.zeros(len(stream.size))
    taken = _answer_ns(stream.write, stream.size)
    for thread in range(stream.threads):
        rows = np.flatnonzero(stream.thread == thread)
        time[rows] = np.cumsum(stream.gap_ns[rows] + taken[rows]) - taken[rows]
    return stream.chosen(np.argsort(time, kind="stable"))


def _answer_ns(write: np.ndarray, size: np.ndarray) -> np.ndarray:
    device = DEVICES["H"]
    return np.where(write, device.alone_ns(True, 0), device.alone_ns(False, 0)) + size * np.where(
        write, device.transfer_ns(True, 1), device.transfer_ns(False, 1)
    )


def _lengths(parts: list[Traffic], length: int) -> list[int]:
    """Requests of each thread, at least one, and `length` together."""
    reads = np.array([part.read_percent / 100.0 for part in parts])
    size = np.array([part.size_kb * KB for part in parts])
    answers = [_answer_ns(np.full(len(parts), write), size) for write in (False, True)]
    rate = 1.0 / (np.array([part.gap_us * US for part in parts]) + reads * answers[0] + (1.0 - reads) * answers[1])
    share = length * rate / rate.sum()
    rounded = np.maximum(np.round(share), 1)
    while missing := length - rounded.sum():  # `Shape` has more requests than a mix has threads
        change = np.sign(missing)
        error = np.where(rounded + change > 0, change * (rounded - share), np.inf)
        rounded[np.argmin(error)] += change
    return rounded.astype(int).tolist()
