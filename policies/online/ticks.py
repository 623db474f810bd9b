"""Replay of ticks: each is stored once, and transitions of several ticks are put together when they are drawn.

CAPES' Algorithm 1: timestamps are drawn uniformly and kept if there are enough data around them, until a minibatch is
full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pmtwin.policies.network.replay import Replay, transition_type
from pmtwin.sim.errors import InputError

NO_ACTION = -1
FIRST_ROOM = 1024
"""Ticks for which there is room at first; the room doubles when it is full."""


class TickReplay(Replay):
    """Ticks in memory: cells, missing share, reward level and action.

    Args:
        columns: numbers of a tick.
        seen: ticks in an observation (S).
        discount: discount factor of a tick.
        missing: largest mean share of missing cells over the ticks of an observation.
        rewards: (levels at ticks t, levels at ticks t + 1) -> rewards of the actions at t.
        capacity: ticks to keep; older ones are never drawn.

    Attributes:
        usable: number of timestamps that can be drawn.
    """

    def __init__(
        self,
        columns: int,
        seen: int,
        discount: float,
        missing: float,
        rewards: Callable[[np.ndarray, np.ndarray], np.ndarray],
        capacity: int = 10**6,
    ):
        super().__init__(transition_type(columns * seen), capacity)
        self.seen, self.discount, self.missing, self.usable = seen, discount, missing, 0
        self._columns, self._rewards = columns, rewards
        self._tick = np.dtype(
            [
                ("cells", np.float32, (columns,)),
                ("missing", np.float64),
                ("level", np.float64),
                ("action", np.int32),
                ("usable", np.bool_),
            ]
        )
        self._ticks = np.zeros(min(FIRST_ROOM, capacity), self._tick)

    @property
    def tick_bytes(self) -> int:
        """Memory of a tick."""
        return self._tick.itemsize

    def add_tick(self, cells: np.ndarray, missing: float, level: float) -> None:
        """Add a tick, without an action yet.

        Args:
            cells: numbers of the tick, shape (columns,); missing ones have any finite number.
            missing: share of missing cells. level: reward of the tick's windows; NaN: unknown.
        """
        if self.added == len(self._ticks) < self.capacity:
            room = min(2 * len(self._ticks), self.capacity)
            self._ticks = np.concatenate([self._ticks, np.zeros(room - len(self._ticks), self._tick)])
        room = len(self._ticks)
        if self.added >= room:  # the timestamp whose observation loses its oldest tick
            leaving = self._ticks[(self.added + self.seen - 1) % room]
            self.usable -= bool(leaving["usable"])
            leaving["usable"] = False
        self._ticks[self.added % room] = (cells, missing, level, NO_ACTION, False)
        self.added += 1
        if self._can_be_drawn(self.added - 2):
            self._ticks[(self.added - 2) % len(self._ticks)]["usable"] = True
            self.usable += 1

    def note_action(self, action: int) -> None:
        """Enter the action at the last tick; `NO_ACTION`: none that can be learned from."""
        self._ticks[(self.added - 1) % len(self._ticks)]["action"] = action

    def state_now(self) -> np.ndarray:
        """The observation at the last tick: float32, newest tick first, the oldest repeated where there are too few."""
        numbers = np.maximum(self.added - 1 - np.arange(self.seen), max(self.added - len(self._ticks), 0))
        return self._ticks["cells"][numbers % len(self._ticks)].reshape(-1)

    def levels(self, count: int) -> np.ndarray:
        """Known reward levels of the first `count` ticks; only while these are kept."""
        levels = self._ticks["level"][:count]
        return levels[np.isfinite(levels)]

    def sample(self, random: np.random.Generator, count: int) -> np.ndarray:
        """Transitions by Algorithm 1: shape (count,).

        Raises:
            InputError: if there is no usable timestamp.
        """
        if self.usable < 1:
            raise InputError("replay", "no usable tick", "one with an action and the tick after it")
        drawn = np.empty(0, np.int64)
        first = max(self.added - len(self), 0)
        while len(drawn) < count:
            numbers = random.integers(first, self.added, size=count - len(drawn))
            drawn = np.concatenate([drawn, numbers[self._ticks["usable"][numbers % len(self._ticks)]]])
        return self._read(drawn)

    def _can_be_drawn(self, number: int) -> bool:
        """Whether the ticks around a timestamp hold two observations, an action, and two levels."""
        oldest = max(self.added - len(self._ticks), 0)
        if number - self.seen + 1 < oldest:
            return False
        ticks = self._ticks[(number + 1 - np.arange(self.seen + 1)) % len(self._ticks)]  # newest first
        shares = ticks["missing"]
        known = np.isfinite(ticks["level"][:2]).all() and ticks["action"][1] != NO_ACTION
        return bool(known and max(shares[:-1].mean(), shares[1:].mean()) <= self.missing)

    def _read(self, numbers: np.ndarray) -> np.ndarray:
        rows, ticks, room = np.empty(len(numbers), self.row), self._ticks, len(self._ticks)
        places = (numbers[:, None] - np.arange(self.seen)) % room
        rows["state"] = ticks["cells"][places].reshape(len(numbers), -1)
        rows["after"] = ticks["cells"][(places + 1) % room].reshape(len(numbers), -1)
        now, later = numbers % room, (numbers + 1) % room
        rows["action"], rows["discount"] = ticks["action"][now], self.discount
        rows["reward"] = self._rewards(ticks["level"][now], ticks["level"][later])
        return rows

    def _write(self, rows: np.ndarray) -> None:
        raise TypeError("ticks are added one by one")

    def state(self) -> dict[str, np.ndarray]:
        """Nothing: the ticks are kept by the database that they came from."""
        return {}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Nothing, as `state`."""
