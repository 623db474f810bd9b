"""Base classes for users' policies inside a simulation: `Replacement` of cached pages, and `Choice` of an action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.sim.decisions.kind import CHOICE, REPLACEMENT

__all__ = ["Choice", "InlinePolicy", "Replacement"]


class Replacement(InlinePolicy):
    """Chooses the page that leaves a full cache.

    A compiled policy declares its arrays in `arrays(self, lines, key)`. Its events are static methods. A request for a
    cached page calls `hit(arrays, line)`. Any other request calls `miss(arrays, page)`; then, if no line is empty,
    `victim(arrays, pins)`, which returns the line to clear, and `evict(arrays, line, page)` for the page that leaves;
    last `admit(arrays, line)` for the line that receives the page. A policy in plain Python has the same methods with
    `self` in the place of `arrays`, and `start(self, lines, key)`.

    `pins` marks lines that must keep their page: `victim` must not return a line for which
    `pmtwin.policies.replacement.is_pinned(pins, line)` is true. `key` seeds random numbers
    (`pmtwin.sim.draws.uniform`).
    """

    decides = REPLACEMENT
    victim: Callable[..., Any]
    """Returns the line to clear, as above."""

    clairvoyant: bool = False
    """Whether the policy needs the next request for each page."""

    replays_alone: ClassVar[bool] = False
    """Whether the policy can only replay a sequence of requests, and cannot decide inside a simulation."""

    def cache(self, lines: int, seed: int = 0) -> Any:
        """An empty cache under this policy.

        Args:
            lines: number of lines of the cache.
            seed: seed of the random numbers.

        Raises:
            InputError: for a number of lines out of range, or if `arrays` returns anything but arrays.
        """
        from pmtwin.policies.replacement.empty import policy_cache

        return policy_cache(self, lines, seed)

    def order(self, lines: int, key: int) -> Any:
        """State of the policy for an empty cache, as compiled code takes it."""
        return self.compiled(lines, key)


class Choice(InlinePolicy):
    """Chooses among numbered actions, and observes the reward once it is known.

    A compiled policy declares its arrays for a `pmtwin.sim.decisions.DecisionPoint` in `arrays(self, point, key)`. Its
    events are static methods: `decide(arrays, features, mask)`, which returns the number of an action, and
    `observe(arrays, features, action, reward)`. A policy in plain Python has the same methods with `self` in the place
    of `arrays`, and `start(self, point, key)`.
    """

    decides = CHOICE
