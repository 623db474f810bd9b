"""Times of operations that were measured elsewhere, in the place of the profile's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.sim.numa.kinds import distances, no_threads
from pmtwin.sim.numa.load import FAR, NEAR
from pmtwin.sim.options import Options, option

if TYPE_CHECKING:  # it loads the compiler, which help of commands does without
    from pmtwin.sim.numa.speed_rows import Costs


@dataclass(frozen=True, kw_only=True)
class StatedTimes(Options):
    """Times of lone operations; what is not stated is the profile's. They do not change with the load."""

    title = "times in the place of the profile's, whatever the load"

    get_us: float | None = option(None, "time of a get near its data, in us", low=1e-3, high=1e9, metavar="US")
    put_us: float | None = option(None, "time of a put near its data, in us", low=1e-3, high=1e9, metavar="US")
    get_far: float | None = option(
        None, "how many times as long a get takes far from them", low=1.0, high=1e3, metavar="K"
    )
    put_far: float | None = option(None, "how many times as long a put takes there", low=1.0, high=1e3, metavar="K")

    @property
    def given(self) -> bool:
        """Whether any is stated."""
        return any(each is not None for each in (self.get_us, self.put_us, self.get_far, self.put_far))


class StatedCosts:
    """Costs by stated times, which take the processor as software does.

    Args:
        costs: of the profile. nodes: of the machine.
    """

    sibling_factor = 1.0

    def __init__(self, costs: Costs, times: StatedTimes, nodes: int):
        self.read_bytes, self.written_bytes = costs.read_bytes, costs.written_bytes
        self.refill_ns_per_byte = np.zeros(2)  # not stated
        near = _stated((times.get_us, times.put_us), 1e3, lone_ns(costs, nodes)[NEAR])
        factors = _stated((times.get_far, times.put_far), 1.0, far_factors(costs, nodes))
        self._ns = np.stack([near, near * factors])[distances(nodes)]

    def extrapolated(self, counts: np.ndarray) -> bool:
        """Never: they rest on no profile."""
        return False

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same for all counts."""
        return np.broadcast_to(self._ns, counts.shape).copy(), np.zeros(counts.shape)


def lone_ns(costs: Costs, nodes: int) -> np.ndarray:
    """Shape (H, 2): time of an operation on an idle machine, by offset and operation."""
    software, memory = costs.times(no_threads(nodes))
    return (software + memory)[0, 0]


def far_factors(costs: Costs, nodes: int) -> np.ndarray:
    """Shape (2,): how many times as long a lone get and put take far from their data, at least 1."""
    lone = lone_ns(costs, nodes)
    return np.maximum(lone[FAR] / lone[NEAR], 1.0)


def _stated(numbers: tuple[float | None, float | None], unit: float, otherwise: np.ndarray) -> np.ndarray:
    """Shape (2,): what is stated, of a get and a put."""
    pairs = zip(numbers, otherwise, strict=True)
    return np.array([float(usual) if number is None else unit * number for number, usual in pairs])
