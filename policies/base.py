"""What every policy is: started in a context, asked for an action per window, told what came of it.

The interface follows the loop of the thesis' figure 3.4 and knows nothing of pools: an action is an index into the
action space of the scenario, or a tuple of integers, the setting to jump to. Bandits, deep Q-networks and placement
agents fit the same four methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, TypeAlias

import numpy as np

from pmtwin.sim.errors import InputError

Action: TypeAlias = int | tuple[int, ...]
"""An index into the scenario's action space, or a setting to jump to: `(interactive_threads, batch_threads)`."""

MIDDLEWARE, DIRECT = "middleware", "direct"


@dataclass(frozen=True)
class PolicyContext:
    """What a policy may know before the first window.

    Args:
        scenario: name of what is controlled.
        seed: root of the policy's own random numbers; an integer becomes a `SeedSequence`.
        action_count: size of the discrete action space (Table 3.3: 9).
        observation_size: length of the observation vector (Table 3.2: 8).
        phase: number of the first phase, for oracles; None where it is not told.
        pool_min: smallest size of a pool, in threads.
        pool_max: largest size of a pool, in threads.
        goals: service level, by name: `latency_us` (at most) and `throughput_ops` (at least).
        best_pools: phase -> (interactive, batch), the best fixed setting found by a search; for `best-fixed` only.
    """

    scenario: str = "nvm-middleware"
    seed: np.random.SeedSequence | int = 0
    action_count: int = 9
    observation_size: int = 8
    phase: int | None = None
    pool_min: int = 1
    pool_max: int = 32
    goals: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType({"latency_us": 200.0, "throughput_ops": 250_000.0})
    )
    best_pools: Mapping[int, tuple[int, int]] | None = None

    def __post_init__(self):
        if not isinstance(self.seed, np.random.SeedSequence):
            object.__setattr__(self, "seed", np.random.SeedSequence(self.seed))
        if self.action_count < 1:
            raise InputError("action_count", self.action_count, "at least 1")
        if not 1 <= self.pool_min <= self.pool_max:
            raise InputError("pool_min", self.pool_min, f"1 to pool_max ({self.pool_max})")

    def generator(self) -> np.random.Generator:
        """The policy's random numbers; the same ones on every call, whatever else was drawn from the seed."""
        # A copy without the spawn counter of the caller's sequence: starting twice gives the same numbers.
        return np.random.default_rng(np.random.SeedSequence(self.seed.entropy, spawn_key=self.seed.spawn_key))


class Policy(ABC):
    """A way to choose actions.

    A subclass has a constructor of no argument, or of one: the text after the colon of its spec. Constructors check
    that text and raise `InputError`; they neither draw random numbers nor keep state of a run: `start` does, so that
    one object can run many times.
    """

    name: ClassVar[str] = ""
    """The registered name; set by `register`."""

    argument: ClassVar[str | None] = None
    """What comes after the colon of the spec, for messages (`"I,B"`, `"FILE"`); None: nothing is accepted."""

    mode: ClassVar[str] = MIDDLEWARE
    """`middleware`, or `direct`: the clients access the memory themselves and actions have no effect."""

    needs_phase: ClassVar[bool] = False
    """True for oracles: they are told the phase by `on_phase`, which no fair policy is."""

    @property
    def spec(self) -> str:
        """The spec that makes this policy again."""
        return self.name

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the files that it was made from; kept runs are repeated when one has another content."""
        return ()

    def start(self, context: PolicyContext) -> Action | None:
        """Begin a run. Returns the setting to begin with, or None to leave the scenario's own."""
        return None

    @abstractmethod
    def act(self, observation: np.ndarray, info: Mapping | None = None) -> Action:
        """Choose for the next window.

        Args:
            observation: shape `(observation_size,)`, the state of Table 3.2 for the thread pools.
            info: measures of the last window by name (`p99_us`, `throughput_ops`, ...); None or empty before the first.
        """

    def note(self) -> str:
        """What was special about the last choice, in a word or two that count as one kind; empty for most."""
        return ""

    def observe(
        self, observation: np.ndarray, action: Action, reward: float, next_observation: np.ndarray, done: bool
    ) -> None:
        """What the last action led to; policies that learn while they run override it."""
        return

    def on_phase(self, phase: int) -> None:
        """The phase has changed; called on policies with `needs_phase` only."""
        return

    def save(self, path: str) -> Path | None:
        """Write what it has learnt while it ran, as a file to begin with; None: it learns nothing.

        Raises:
            InputError: if the file cannot be written.
        """
        return None

    def exported(self, context: PolicyContext) -> dict | None:
        """What makes the same choices in C++: `kind` and the fields of docs/steering-policy.md as plain values.

        None, unless a policy overrides it: there is no such kind. See `pmtwin.policies.steering`.
        """
        return None
