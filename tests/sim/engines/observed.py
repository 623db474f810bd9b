"""A look inside a run of engine `simpy`: who is where, at every change."""

from __future__ import annotations

import numpy as np

from pmtwin import Middleware


class Observed:
    """Counts requests in queue, with a worker and in the device, and integrates the first two over time.

    Attributes:
        in_queue_ns, in_system_ns: (interactive, batch) integrals of the number of requests over time.
        most_busy, most_in_device: the largest numbers seen at any time.
        order: (submitted, class) in the order in which workers took requests.
        submitted: (interactive, batch) requests that came.
    """

    def __init__(self, middleware: Middleware):
        self.engine = middleware._engine
        self.in_queue_ns, self.in_system_ns = [0.0, 0.0], [0.0, 0.0]
        self.most_busy = self.most_in_device = 0
        self.order: list[tuple[float, int]] = []
        self.submitted = [0, 0]
        self._queued, self._present, self._in_device = [0, 0], [0, 0], 0
        self._last, self._since = 0.0, [0.0, 0.0]
        for owner, name in ((self.engine, "_submit"), (self.engine, "_start"), (self.engine, "_answer"),
                            (self.engine._device, "population_changed")):  # fmt: skip
            self._wrap(owner, name)

    def _wrap(self, owner, name: str) -> None:
        original, note = getattr(owner, name), getattr(self, name)

        def noted(*arguments):
            self.integrate()
            note(*arguments)
            return original(*arguments)

        setattr(owner, name, noted)

    def ages_ns(self) -> np.ndarray:
        """Shape (2,): time since the requests came that are present, summed."""
        return np.array(self._present) * self.engine.env.now - self._since

    def integrate(self) -> None:
        """Bring the integrals up to date."""
        elapsed, self._last = self.engine.env.now - self._last, self.engine.env.now
        for c in range(2):
            self.in_queue_ns[c] += self._queued[c] * elapsed
            self.in_system_ns[c] += self._present[c] * elapsed

    def _submit(self, c: int) -> None:
        self.submitted[c] += 1
        self._queued[c] += 1
        self._present[c] += 1
        self._since[c] += self.engine.env.now

    def _start(self, c: int, submitted: float) -> None:
        self._queued[c] -= 1
        self.order.append((submitted, c))
        self.most_busy = max(self.most_busy, sum(self._present) - sum(self._queued))

    def _answer(self, c: int, submitted: float) -> None:
        self._present[c] -= 1
        self._since[c] -= submitted

    def population_changed(self, kind: int, by: int) -> None:
        self._in_device += by
        self.most_in_device = max(self.most_in_device, self._in_device)
