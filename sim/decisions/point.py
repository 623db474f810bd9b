"""Declaration of a decision point."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.control import Column
from pmtwin.sim.decisions.kind import CHOICE, PointKind
from pmtwin.sim.errors import InputError, check_range

COUNTS = ("asked", "told", "dropped", "idle")
"""What a run counts at each point: decisions; rewards that the policy was told; decisions whose reward was dropped,
because too many were pending; decisions to serve nobody, which have no reward."""

MOST_IDLE = 1 << 14
"""Largest number of decisions in a row to serve nobody while no server of the station works."""

GONE = -1
"""In place of a station's index: the request leaves the system."""


@dataclass(frozen=True)
class DecisionPoint:
    """A place in a system where a policy decides.

    Args:
        name: in specs of policies (`route=fixed:0`) and in results.
        when: when a decision is due, a noun phrase: "an arrival".
        kind: the events that a policy gets.
        default: spec of the policy that decides if the user names none.
        features: of a choice: what the policy sees, in order.
        actions: of a choice: names of the actions, in order of their numbers.
        masked: of a choice: whether actions may be impossible at times; the policy sees which.
        reward: of a choice: the reward and when it becomes known, a noun phrase; empty: there is none.
        usual_features: of a choice: number of features that the system itself shows; a question declares the rest.
        most_pending: largest number of decisions whose reward is not known yet; of further decisions, the reward is
            dropped and counted.

    Raises:
        InputError: for a name that a spec cannot hold, fewer actions than the kind requires, or `most_pending` outside
            of its range.
    """

    name: str
    when: str
    kind: PointKind = CHOICE
    default: str = ""
    features: tuple[Column, ...] = ()
    actions: tuple[str, ...] = ()
    masked: bool = False
    reward: str = ""
    usual_features: int = 0
    most_pending: int = 1 << 16

    def __post_init__(self):
        if not self.name.replace("-", "_").isidentifier():
            raise InputError("decision point", self.name, "letters, digits and hyphens")
        if len(self.actions) < self.kind.least_actions:
            raise InputError(f"actions of decision point {self.name}", list(self.actions), "two or more")
        check_range(f"{self.name}: most_pending", self.most_pending, 1, 1 << 24)
