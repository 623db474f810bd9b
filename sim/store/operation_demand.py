"""Demand of an operation of one kind: work, a chain of dependent accesses, and a payload to move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES
from pmtwin.sim.device.payloads import ns_per_byte_among
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.load.workload import GET, SIZE_BINS, ClassWorkload
from pmtwin.sim.store.demand import accesses_of


class DeviceView(NamedTuple):
    """A device, as the threads of one socket access it.

    Fields:
        profile: the calibrated device.
        factors: times of a read and of a write, relative to those from the device's own socket.
        most: largest number of operations in the device at once.
        dimms: interleaved modules.
        mix_factor: see `pmtwin.scenarios.nvm_middleware.model.service.remote_mixes`; 1 from the device's own socket.
    """

    profile: Profile
    factors: tuple[float, float]
    most: int
    dimms: float
    mix_factor: float = 1.0

    @property
    def idle_ns(self) -> tuple[float, float]:
        """Latency of a dependent read and of a write on an idle device, in ns."""
        idle = self.profile.idle_latency_ns
        return idle["load", "random"] * self.factors[0], idle["store_clwb", "random"] * self.factors[1]


class OperationDemand(NamedTuple):
    """The demand of an operation of one kind.

    Fields:
        demand_ns: shape (SIZE_BINS, 4), as in `pmtwin.scenarios.nvm_middleware.model.service.build.Demand`.
        reads, writes: dependent accesses of an operation, mean over the sizes.
        payload_bytes: bytes moved by an operation, mean over the sizes.
        lines: media lines written, shape (SIZE_BINS,).
        chain_lines: media lines written outside the payload, mean over the sizes.
        streams: instruction -> time of the payload, in ns, with 1 to `most` threads, shape (most,).
    """

    demand_ns: np.ndarray
    reads: float
    writes: float
    payload_bytes: float
    lines: np.ndarray
    chain_lines: float
    streams: dict[str, np.ndarray]


def operation_demand(
    device: DeviceView, values: Mapping[str, float], load: ClassWorkload, operation: str
) -> OperationDemand:
    """The demand of an operation of a class on a device.

    Args:
        values: resolved parameters.
        operation: one of `pmtwin.sim.load.workload.OPERATIONS`.
    """
    profile, factors = device.profile, device.factors
    accesses = accesses_of(profile, values, load, operation)
    demand, lines = np.empty((SIZE_BINS, 4)), np.zeros(SIZE_BINS)
    # the store's structures are on the device too: from the remote node its software is slower by the same factor
    demand[:, 0] = factors[operation != GET] * accesses.software_ns
    parts: list[Part] = list(zip((accesses.reads, accesses.writes), device.idle_ns, strict=True))
    streams = {}
    for transfer in accesses.transfers:
        writes = transfer.operation != "load"
        among = ns_per_byte_among(profile, transfer.operation, transfer.access_bytes, device.most, device.dimms)
        byte_ns = factors[writes] * among
        parts.append((transfer.pieces, transfer.piece_bytes * byte_ns[:, 0]))
        streams[transfer.operation] = transfer.pieces * (transfer.piece_bytes[:, None] * byte_ns).mean(axis=0)
        if writes:
            lines += transfer.pieces * transfer.piece_bytes / MEDIA_LINE_BYTES
    demand[:, 1:] = _spread(parts, profile.tail.write_body_sigma)
    further_lines = (
        accesses.writes if accesses.written_lines is None else np.maximum(accesses.written_lines - lines, 0.0)
    )
    lines += further_lines
    payload = sum(transfer.pieces * transfer.piece_bytes.mean() for transfer in accesses.transfers)
    return OperationDemand(
        demand, accesses.reads.mean(), accesses.writes.mean(), payload, lines, further_lines.mean(), streams
    )


Part = tuple[np.ndarray | float, np.ndarray | float]
"""(number of accesses, mean time of an access in ns); shape (n,) or a number each."""


def _spread(parts: Sequence[Part], sigma: float) -> np.ndarray:
    """Coefficients a, b, c of a polynomial in a normal z with the distribution of a sum of independent accesses.

    a + b z + c z^2 has the first three cumulants of the sum.

    Args:
        parts: the accesses, whose times are log-normal. sigma: standard deviation of their logarithms.

    Returns:
        shape (n, 3).
    """
    mean, square, cube = (sum(count * access_ns**power for count, access_ns in parts) for power in (1, 2, 3))
    variance = np.expm1(sigma**2)
    # variance b^2 + 2 c^2, third cumulant 6 b^2 c + 8 c^3; c is so small that its higher powers are negligible
    c = (variance + 3.0) * variance * cube / (6.0 * square)
    b = np.sqrt(np.maximum(variance * square - 2.0 * c**2, 0.0))
    return np.stack([mean - c, b, c], axis=-1)
