"""The number of requests of the trace that each window releases."""

from __future__ import annotations

from pmtwin.scenarios.nvm_middleware.model.engines.base import Engine
from pmtwin.scenarios.nvm_middleware.model.pools import WITHOUT_END, WindowSpec
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.load.workload import Workload


class TraceRelease:
    """Computes the releases of successive windows of a run, by the rules of `WindowSpec`."""

    def __init__(self):
        self._carry = 0.0  # interactive requests that rounding has held back so far

    def follow(self, workload: Workload, window: WindowSpec) -> None:
        """Release the trace of a workload from the next window on, which starts with a lead of one request per client.

        Raises:
            InputError: for a drained window in closed loop, or one too short for a single request.
        """
        rates = [load.rate_ops if load.clients else 0.0 for load in workload.classes]
        seconds = window.seconds
        if seconds is not None and None in rates:
            raise ConflictError(
                "window_seconds",
                seconds,
                "does not go with a closed loop, which has no trace; remove it, or give rates",
            )
        total = sum(rate for rate in rates if rate is not None)
        if seconds is not None and round(total * seconds) == 0:
            raise InputError("window_seconds", seconds, f"long enough for a request at {total:g} a second")
        self._tied = workload.tied
        self._rates = [rate or 0.0 for rate in rates]
        self._ahead = tuple(load.clients if rate else 0 for load, rate in zip(workload.classes, rates, strict=True))

    def release(self, window: WindowSpec, engine: Engine, pace: tuple[float, float]) -> tuple[tuple[int, int], int]:
        """((interactive, batch) requests that the next window releases, completions that end it).

        Args:
            window: length of the window; it may differ from the one before.
            engine: the running engine, whose requests in flight a drained window also completes.
            pace: factor on the offered rate of each class.
        """
        seconds = window.seconds
        if seconds is None and not self._tied:
            return (WITHOUT_END, WITHOUT_END), int(window.requests)
        rates = [factor * rate for factor, rate in zip(pace, self._rates, strict=True)]
        count = int(window.requests) if seconds is None else round(sum(rates) * seconds)
        exact = count * (rates[0] / sum(rates) if sum(rates) else 0.0) + self._carry
        interactive = min(int(exact + 0.5), count)
        self._carry = exact - interactive
        release = (interactive, count - interactive)
        if seconds is None:
            release = (release[0] + self._ahead[0], release[1] + self._ahead[1])
            self._ahead = (0, 0)
        else:
            count = int(sum(release) + engine.outstanding().sum() + engine.unreleased().sum())
        return release, count
