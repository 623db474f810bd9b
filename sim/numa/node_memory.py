"""The memory of a node, as operations of the store meet it: what they are made of there, and their bytes' time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from pmtwin.sim.device.payloads import PATTERN
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.shared_node import READ, WRITE, NodeAccesses, NodeErrors, node_times
from pmtwin.sim.numa.chain import Chain, chain_of
from pmtwin.sim.numa.kinds import by_distance
from pmtwin.sim.numa.load import FAR, PUT, Load
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.device_times import PERSIST
from pmtwin.sim.store.work import Samples

STREAM = "ntstore"
"""The instruction of bytes that no flush writes."""


class NodeMemory:
    """The memory of a node.

    Args:
        profile: of its device, with the effects of several nodes. modules: of it.
        load: what the threads do. points: a get and a put. samples: of the store's law, one.
        errors: of the device's times; None: none.

    Attributes:
        chain: what the operations are made of, near and far.
    """

    def __init__(
        self,
        profile: Profile,
        modules: float,
        load: Load,
        points: Sequence[StorePoint],
        samples: Samples,
        errors: NodeErrors | None = None,
    ):
        self._profile = replace(profile, intervals=None) if errors is None else profile  # which errors alone regard
        self._modules, self._errors = modules, errors
        self.chain: Chain = chain_of(profile, points, samples, float(modules))
        spent = np.array([self.chain.flushed_ns[PUT], self.chain.streamed_ns[PUT]])
        self._written = [
            (NodeAccesses(load.value_bytes, load.value_bytes, instruction, pattern), size, share)
            for instruction, pattern, size, share in zip(
                (PERSIST, STREAM),
                (PATTERN, load.pattern),  # flushed lines lie apart, as in the store's law
                (self.chain.flushed, self.chain.streamed),
                spent / spent.sum(),
                strict=True,
            )
            if share > 0.0
        ]

    @property
    def lone_read_ns_per_byte(self) -> np.ndarray:
        """Shape (2,), near and far: a thread alone reads."""
        return node_times(self._profile, self._written[0][0], np.zeros((1, 2, 2)), dimms=self._modules).ns_per_byte[
            0, :, READ
        ]

    def extrapolated(self, counts: np.ndarray) -> bool:
        """Whether threads that run lie outside the measurements of the device; counts by offset, shape (H, 2)."""
        inside = by_distance(counts[None])
        times = (node_times(self._profile, accesses, inside, dimms=self._modules) for accesses, _, _ in self._written)
        return bool(counts.any()) and any(each.extrapolated.any() for each in times)

    def streams_ns(self, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Time of all streamed bytes, shape (B, 2, 2), the share of lines that change hands, shape (B,), and how much
        slower the device is than its profile, shape (B, 2, 2). All three have one row where nobody accesses the memory.

        Args:
            inside: threads in an access, by offset, shape (B, H, 2).
        """
        return self._streams_ns(by_distance(inside)) if inside.any() else self._unaccessed_ns

    @cached_property
    def _unaccessed_ns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`streams_ns` of a node that nobody accesses, the same in all populations."""
        return self._streams_ns(np.zeros((1, FAR + 1, PUT + 1)))

    def _streams_ns(self, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`streams_ns` of threads by distance, shape (B, 2, 2).

        Reads wait beside either instruction by the time that a put spends in it.
        """
        rows, both = len(inside), np.concatenate([inside, _one_put_reads(inside)])
        streams, met, slower = np.zeros(inside.shape), np.zeros(rows), np.ones(inside.shape)
        for accesses, written, share in self._written:
            times = node_times(self._profile, accesses, both, dimms=self._modules)
            factors = np.ones(both.shape) if self._errors is None else times.factors(self._errors)
            ns_per_byte = factors * times.ns_per_byte
            read = np.stack([ns_per_byte[:rows, :, READ], ns_per_byte[rows:, :, READ]], axis=-1)
            streams += share * read * self.chain.value_bytes + ns_per_byte[:rows, :, WRITE, None] * written
            met += share * times.directory_share[:rows]
            slower += share * (factors[:rows] - 1.0)
        return streams, met, slower


def _one_put_reads(inside: np.ndarray) -> np.ndarray:
    """The threads in an access as a put sees them that reads: it is no writer then."""
    reads = inside[..., PUT] / np.maximum(inside[..., PUT].sum(axis=-1, keepdims=True), 1.0)
    return inside + np.stack([reads, -reads], axis=-1)
