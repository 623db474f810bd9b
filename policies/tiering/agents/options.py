"""Options of the agents; the papers leave many of them open."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.policies.learned import LearnedOptions
from pmtwin.policies.network.limits import MOST_ATOMS
from pmtwin.sim.options import option

UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}
"""Unit of a latency in a reward -> reward in it of 1/ms."""
HALF, SINGLE = "half", "single"
OPTIMISERS = ("adam", "rmsprop")
BINS, NUMBERS = "bins", "numbers"
AS_WRITTEN, DIFFERENCE = "as-written", "difference"
ALL, WRITES = "all", "writes"
MOVED, LAST = "moved", "last"
PAPER, CODE = "paper", "code"


@dataclass(frozen=True)
class AgentOptions(LearnedOptions):
    """A categorical network (C51) with one hidden layer of swish units, and how it learns."""

    gamma: float | None = option(None, "discount (none: the paper's)", low=0.0, high=0.9999)
    rate: float | None = option(None, "learning rate (none: the paper's)", low=1e-7, high=1.0)
    batch: int | None = option(None, "rows of a batch (none: the paper's)", low=1, high=10_000, metavar="N")
    batches: int = option(16, "batches of a training", low=1, high=1000, metavar="N")
    every: int = option(1000, "requests between two trainings", low=1, high=10**9, metavar="N")
    copy: int = option(1000, "requests after which weights are copied to the network that decides", low=1, high=10**9)
    replay: int = option(1000, "newest experiences that are kept", low=10, high=10**6, metavar="N")
    epsilon: float = option(0.001, "share of random decisions", low=0.0, high=1.0)
    epsilon_first: float = option(1.0, "that share in the beginning, if it falls", low=0.0, high=1.0)
    epsilon_over: int = option(0, "decisions over which it falls to epsilon; 0: none", low=0, high=10**9)
    warm_up: int = option(1000, "first decisions, all of which are random", low=0, high=10**9, metavar="N")
    hidden: int = option(10, "hidden units", low=1, high=256, metavar="N")
    atoms: int = option(51, "atoms of each action's distribution", low=2, high=MOST_ATOMS, metavar="N")
    low: float | None = option(None, "first atom (none: from the reward of the fastest access)", low=-1e9, high=1e9)
    high: float | None = option(None, "last atom (none: as low)", low=-1e9, high=1e9)
    unit: str = option("ms", "unit of latencies in rewards", choices=tuple(UNITS))
    optimiser: str = option("adam", "optimiser", choices=OPTIMISERS)
    precision: str = option(
        HALF, "of stored rewards and of the network that decides: half (16 bits) or single", choices=(HALF, SINGLE)
    )


@dataclass(frozen=True)
class DelayedOptions(AgentOptions):
    """The reward of moves: n / (latencies of n requests after x moves) - c / (mean intervals of the x pages)."""

    moves: int = option(10, "x, moves before a reward", low=1, high=1000, metavar="N")
    answers: int = option(50, "n, requests whose latencies make the reward", low=1, high=10**6, metavar="N")
    penalty: float = option(10.0, "c, weight of moves that follow one another closely", low=0.0, high=1e9)
    counted: str = option(ALL, "requests whose latencies count: all or writes", choices=(ALL, WRITES))
    credit: str = option(
        MOVED, "decisions that get the reward: those of the x moves, the last of them, or all since the last reward",
        choices=(MOVED, LAST, ALL),
    )  # fmt: skip
    reward: str = option(
        AS_WRITTEN, "as-written, or difference to the n requests before the x moves", choices=(AS_WRITTEN, DIFFERENCE)
    )


@dataclass(frozen=True)
class SibylOptions(AgentOptions):
    """The reward of a placement: 1 / latency, less a penalty for evictions."""

    reward: str = option(
        PAPER,
        "paper: 1/L - penalty x time of the evictions, at least 0; code: round((0.1/L - evictions^0.09) / 0.3) x 0.3, "
        "with L in ms without the time of the evictions",
        choices=(PAPER, CODE),
    )
    penalty: float = option(0.001, "penalty for each us of evictions, in 1/us", low=0.0, high=1e6)
    inputs: str = option(
        BINS, "bins: six features; numbers: eight without bins, as many as its code has", choices=(BINS, NUMBERS)
    )
