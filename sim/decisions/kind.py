"""Kinds of decision points: what is told and asked at one, and what its policies are.

A scenario may declare a kind of its own. Whatever runs, trains, lists or refuses policies takes from the kind all that
it has to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Event:
    """What a system tells a policy, or asks it.

    Args:
        name: of the policy's function.
        told: names of the function's arguments, behind the state -> types, as numba writes them (`float64[::1]`), or a
            value of the type.
        answer: what the function returns, a noun phrase; a policy must have it. Empty: nothing, and it may lack.
        whole: whether the answer is a whole number.
        refusal: error of compiled code about an answer that cannot be; empty: there is none.
        teaches: whether it only serves to learn; a policy whose learning is frozen is not told it.
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
        name: in listings; names of policies are given once of each kind.
        decides: what its policies decide, for errors.
        base: the class that its policies derive from, as users write it: `pmtwin.policies.Choice`, `split.py:Splitter`.
        events: that a policy may have functions for.
        least_actions: that a point must declare.
    """

    name: str
    decides: str
    base: str
    events: tuple[Event, ...] = ()
    least_actions: int = 0

    @property
    def event_names(self) -> tuple[str, ...]:
        """Names of the events, in order."""
        return tuple(event.name for event in self.events)

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
"""A choice among numbered actions: the action is asked for, and its reward is told when it is known."""

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
"""A cache: a page is used, is missing, the line that goes is asked for, its page has left, a page comes."""
