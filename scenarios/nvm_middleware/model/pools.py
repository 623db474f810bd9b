"""Settings of the middleware and of its run: pools, actions, modes and windows."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.control import Settings
from pmtwin.sim.errors import InputError, check_range

POOL_MIN, POOL_MAX = 1, 32
MODES = ("middleware", "direct")

WINDOW_SECONDS = 1e-4, 60.0
"""Shortest and longest part of the trace that a drained window may release."""

WITHOUT_END = 1 << 60
"""Number of requests that a window releases if the classes are not tied: more than any window can answer."""

ACTIONS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""Table 3.3: change of (interactive, batch) threads by action."""

POOLS = Settings(
    noun="pools",
    names=("interactive_threads", "batch_threads"),
    low=(POOL_MIN, POOL_MIN),
    high=(POOL_MAX, POOL_MAX),
    unit="threads",
    moves=ACTIONS,
)
"""The setting of the middleware, with the actions of Table 3.3."""


@dataclass(frozen=True)
class WindowSpec:
    """Length and end of a window.

    A window releases a part of the trace, with both classes in proportion to their offered rates. With `requests` it
    ends at that many completions, and requests in flight are carried over: the trace may run ahead of the answers by
    one request per client. If the classes are tied, a slow class thus holds up the other (docs/design.md, "Windows of
    requests, not of seconds"); otherwise requests that a slow class has not submitted by the end of a window are
    dropped. With `seconds` a window releases that many seconds of the trace and ends when all of it is answered (thesis
    section 3.4.3).

    Args:
        requests: number of completions of a window, if `seconds` is None.
        seconds: length of the trace that a drained window releases.
    """

    requests: int = 5_000
    seconds: float | None = None

    def __post_init__(self):
        check_range("requests_per_window", self.requests, 10, 10_000_000, "requests")
        if int(self.requests) != self.requests:
            raise InputError("requests_per_window", self.requests, "a whole number of requests")
        if self.seconds is not None:
            check_range("window_seconds", self.seconds, *WINDOW_SECONDS, "s")
