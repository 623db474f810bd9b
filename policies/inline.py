"""The policies that users derive from: which page leaves a full cache, and a choice among numbered actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.sim.decisions.kind import CHOICE, REPLACEMENT

__all__ = ["Choice", "InlinePolicy", "Replacement"]


class Replacement(InlinePolicy):
    """Which page leaves a full cache.

    Compiled: `arrays(self, lines, key)` declares the arrays, and the events are static methods `hit(arrays, line)`,
    `miss(arrays, page)`, `victim(arrays, pins)`, `evict(arrays, line, page)`, `admit(arrays, line)`. A request for a
    page is a hit of its line, or else a miss: then, if no line is empty, `victim` names the line that goes and `evict`
    tells that its page has left; the page comes into the line, which `admit` tells. Plain Python: the same methods with
    `self` for `arrays`, and `start(self, lines, key)`.

    `pins` are lines that must keep their page now: `victim` asks `pmtwin.policies.replacement.is_pinned(pins, line)`.
    `key` is for random numbers (`pmtwin.sim.draws.uniform`).
    """

    decides = REPLACEMENT
    victim: Callable[..., Any]
    """Which line of a full cache goes, as above."""

    clairvoyant: bool = False
    """Whether it knows the next request of each page."""

    replays_alone: ClassVar[bool] = False
    """Whether its cache only replays requests, and cannot be asked inside a simulation."""

    def cache(self, lines: int, seed: int = 0) -> Any:
        """An empty cache under this policy.

        Args:
            lines: of the cache.
            seed: of all that is drawn.

        Raises:
            InputError: for a number of lines out of range, or arrays that are none.
        """
        from pmtwin.policies.replacement.empty import policy_cache

        return policy_cache(self, lines, seed)

    def order(self, lines: int, key: int) -> Any:
        """Its state on an empty cache, as compiled code takes it."""
        return self.compiled(lines, key)


class Choice(InlinePolicy):
    """Chooses among numbered actions, and is told the reward when it is known.

    Compiled: `arrays(self, point, key)` declares the arrays for a `pmtwin.sim.decisions.DecisionPoint`, and the events
    are static methods `decide(arrays, features, mask)`, which returns the number of an action, and
    `observe(arrays, features, action, reward)`. Plain Python: the same methods with `self` for `arrays`, and
    `start(self, point, key)`.
    """

    decides = CHOICE
