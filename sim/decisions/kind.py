"""Kinds of decision points: the events of a kind, and the class of its policies.

A scenario may declare a kind of its own. Code that runs, trains, lists or refuses policies takes all that it needs to
know from the kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Event:
    """An event that a system reports to a policy, or a question that it asks.

    Args:
        name: name of the policy's function.
        told: argument of the function after the state -> its type in numba's notation (`float64[::1]`), or a value of
            that type.
        answer: what the function returns, a noun phrase; every policy must have the function. Empty: the function
            returns nothing and is optional.
        whole: whether the answer is a whole number.
        refusal: text of the error that compiled code raises for an impossible answer; empty: it raises none.
        teaches: whether the event only serves learning; a policy whose learning is frozen does not get it.
    """

    name: str
    told: Mapping[str, Any] = field(default_factory=dict, hash=False)
    answer: str = ""
    whole: bool = False
    refusal: str = ""
    teaches: bool = False


@dataclass(frozen=True)
class PointKind:
    """A kind of decision point.

    Args:
        name: in listings; two policies of the same kind have different names.
        decides: what its policies decide, in words, for errors.
        base: base class of its policies, as users write it: `pmtwin.policies.Choice`, `split.py:Splitter`.
        events: events for which a policy may have functions.
        least_actions: smallest number of actions that a point of this kind declares.
        extends: a wider kind with the same events, whose policies serve points of this kind too.
    """

    name: str
    decides: str
    base: str
    events: tuple[Event, ...] = ()
    least_actions: int = 0
    extends: PointKind | None = None

    @property
    def event_names(self) -> tuple[str, ...]:
        """Names of the events, in order."""
        return tuple(event.name for event in self.events)

    @property
    def served_by(self) -> tuple[PointKind, ...]:
        """Kinds of the policies that serve a point of this kind, the narrowest first."""
        return (self, *self.extends.served_by) if self.extends else (self,)

    @property
    def needed(self) -> tuple[str, ...]:
        """Events that a policy must answer."""
        return tuple(event.name for event in self.events if event.answer)


CHOICE = PointKind(
    "choice",
    "among numbered actions",
    "pmtwin.policies.Choice",
    (
        Event("decide", {"features": "float64[::1]", "mask": "boolean[::1]"}, "the number of an action", whole=True),
        Event("observe", {"features": "float64[::1]", "action": "int64", "reward": "float64"}, teaches=True),
    ),
    least_actions=2,
)
"""A choice among numbered actions: `decide` returns the action, `observe` gets its reward when that is known."""

REPLACEMENT = PointKind(
    "replacement",
    "which page leaves a full cache",
    "pmtwin.policies.Replacement",
    (
        Event("hit", {"line": "int64"}),
        Event("miss", {"page": "int64"}),
        Event(
            "victim",
            {"pins": "none"},
            "the number of a line",
            whole=True,
            refusal="it names a line that is not of the cache, or is pinned",
        ),
        Event("evict", {"line": "int64", "page": "int64"}),
        Event("admit", {"line": "int64"}),
    ),
)
"""Page replacement in a cache. `hit`: a page in the cache is used; `miss`: a page is not in the cache; `victim` returns
the line to empty; `evict`: its page has left; `admit`: the missing page is in the line."""
