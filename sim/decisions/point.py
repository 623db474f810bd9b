"""Declaration of a decision point."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.control import Column
from pmtwin.sim.decisions.kind import CHOICE, PointKind
from pmtwin.sim.errors import InputError, check_range

COUNTS = ("asked", "told", "dropped", "idle")
"""What a run counts at each point: decisions; rewards told; decisions whose reward is dropped, since too many were
pending; decisions to serve nobody, which have no reward."""

MOST_IDLE = 1 << 14
"""Decisions in a row to serve nobody while no server of the station works; then somebody has to be served."""

GONE = -1
"""In the place of a station that tells a reward: what the decision was about leaves the system."""


@dataclass(frozen=True)
class DecisionPoint:
    """A place in a system where something decides, each time that its moment comes.

    Args:
        name: in specs of policies (`route=fixed:0`) and in results.
        when: the moment, a noun phrase: "an arrival".
        kind: what is told and asked; the system calls each function of what decides at its moment.
        default: spec of the policy that decides where none is named.
        features: of a choice: what is shown, in order; built for each decision where they are declared.
        actions: of a choice: names of the actions, in order of their numbers.
        masked: of a choice: whether some actions may be impossible at times; what decides is shown which.
        reward: of a choice: what is told, and when it becomes known, a noun phrase; empty: nothing is.
        usual_features: of a choice: how many of the features the system itself shows; a question declares the others.
        most_pending: decisions whose reward is not known yet; a later one's reward is dropped and counted.

    Raises:
        InputError: for a name that a spec cannot hold, or fewer actions than its kind asks for.
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
