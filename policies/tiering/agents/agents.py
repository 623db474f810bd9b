"""The two halves that agents are made of: a policy that places writes, and one that moves pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.policies.migration import Migration
from pmtwin.policies.tiering.agents.options import (
    ALL,
    DIFFERENCE,
    LAST,
    MOVED,
    UNITS,
    WRITES,
    AgentOptions,
    DelayedOptions,
)
from pmtwin.policies.tiering.agents.parts import (
    DEVICES,
    LEARNED,
    Defaults,
    agent_arrays,
    best_reward,
    features_of,
)  # fmt: skip
from pmtwin.policies.write_placement import WritePlacement
from pmtwin.sim.errors import InputError


class Agent(InlinePolicy):
    """A categorical network that learns from the rewards of its decisions.

    Attributes:
        defaults: numbers of the paper.
        sees_moves: whether the migration interval of a page is an input.
    """

    options: AgentOptions
    learned = LEARNED
    defaults: ClassVar[Defaults]
    sees_moves: ClassVar[bool] = True

    def agent(self, point: Any, key: int, lowest: float, highest: float) -> tuple[np.ndarray, ...]:
        """The arrays that all agents have; rewards are from `lowest` to `highest`, in 1/ms."""
        places, scale = features_of(point, self.options, self.sees_moves), UNITS[self.options.unit]
        return agent_arrays(self.options, point, key, self.defaults, places, lowest * scale, highest * scale)

    def _begin_learned(self, learned: Mapping[int | str, Any]) -> None:
        """Refuse what was learned with other devices."""
        if self.memory is not None:
            present, trained = (_text(array) for array in (learned[DEVICES], self.memory[str(DEVICES)]))
            if present != trained:
                allowed = f"{trained}, which the policy was trained for"
                raise InputError(f"{FIELD} {self.called()}: devices", present, allowed, self.options.file or None)
        super()._begin_learned(learned)


def least_reward(options: DelayedOptions, best: float) -> float:
    """The least reward of moves, without their penalty."""
    return -best if options.reward == DIFFERENCE else 0.0


class PlacementAgent(Agent, WritePlacement):
    """Learns which device a write goes to; the reward is 1 / latency."""

    defaults = Defaults(0.9, 1e-3, 128)
    compiled_in = "pmtwin.policies.tiering.agents.placing"

    def arrays(self, point, key):
        """Those of an agent."""
        return self.agent(point, key, 0.0, best_reward(point))


class MigrationAgent(Agent, Migration):
    """Learns on which device a page belongs that the storage proposes; the reward comes after a number of moves."""

    Takes = DelayedOptions
    options: DelayedOptions
    defaults = Defaults(0.1, 1e-2, 256)
    compiled_in = "pmtwin.policies.tiering.agents.moving"
    idle_only: ClassVar[bool] = False
    """Whether it decides in idle time alone, and leaves the counting of writes to a placement agent."""

    def arrays(self, point, key):
        """Those of an agent; code of the last decision to move each page; codes and numbers of groups of moves; sums of
        latencies; a record (`delayed.DELAY`)."""
        from pmtwin.policies.tiering.agents.delayed import DELAY, GROUPS

        options, best = self.options, best_reward(point)
        delay = np.zeros(1, DELAY)
        for name in ("moves", "answers", "penalty"):
            delay[name] = getattr(options, name)
        delay["writes"] = options.counted == WRITES
        delay["credit"] = (MOVED, LAST, ALL).index(options.credit)
        delay["difference"] = options.reward == DIFFERENCE
        delay["idle_only"] = self.idle_only and point.storage.scan > 0
        delay["reads_only"] = self.idle_only
        return (
            *self.agent(point, key, least_reward(options, best), best), np.full(point.storage.pages, -1, np.int64),
            np.zeros((GROUPS, options.moves), np.int64), np.zeros((GROUPS, 3)), np.zeros(options.answers + 1), delay,
        )  # fmt: skip


def _text(names: np.ndarray) -> str:
    return bytes(names).decode(errors="replace").strip()
