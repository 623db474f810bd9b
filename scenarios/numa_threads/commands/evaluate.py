"""`pmtwin evaluate numa-threads`: a window is a second of a whole machine, and 30 windows tell a workload."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.commands import evaluate
from pmtwin.sim.options import option_again

run = evaluate.run


@dataclass(frozen=True, kw_only=True)
class Lengths(evaluate.Config):
    """Ten minutes of the machine, a new workload every half minute; a base class, so that help keeps its order."""

    steps: int = option_again(evaluate.Config, "steps", 600)
    context_steps: int = option_again(evaluate.Config, "context_steps", 30)
    seeds: int = option_again(evaluate.Config, "seeds", 5)


@dataclass(frozen=True, kw_only=True)
class Config(Lengths):
    """Options of `pmtwin evaluate numa-threads`."""
