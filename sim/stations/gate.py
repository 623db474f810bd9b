"""A gate before a server: a window of requests in flight, and a limit of their rate.

The window bounds how many requests are sent and not answered. The rate limiter keeps a least gap between two that are
sent one after the other; a gap of 0 is no limit.
"""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.ordered import NEVER


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def opens_at(in_flight, window, last_sent_ns, gap_ns, now_ns):
    """Time from which the next request may be sent; `NEVER` until an answer comes, where the window is full."""
    if in_flight >= window:
        return NEVER
    return max(now_ns, last_sent_ns + gap_ns)


class SpecifiedGate:
    """A gate in engine `simpy`.

    Attributes:
        window: requests that may be in flight. gap_ns: least time between two that are sent.
    """

    def __init__(self, window: int, gap_ns: float):
        self.window, self.gap_ns = window, gap_ns
        self.in_flight, self._last_ns = 0, -NEVER

    def opens_at(self, now_ns: float) -> float:
        """Time from which the next may be sent; infinite where the window is full."""
        return NEVER if self.in_flight >= self.window else max(now_ns, self._last_ns + self.gap_ns)

    def send(self, now_ns: float) -> None:
        """A request is sent."""
        self.in_flight, self._last_ns = self.in_flight + 1, now_ns

    def answer(self) -> None:
        """A request is answered."""
        self.in_flight -= 1
