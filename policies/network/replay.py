"""Experience replay: stored transitions, drawn again in random order (Lin, Machine Learning 1992)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from pmtwin.sim.errors import InputError, check_range

MOST_ROWS = 10**8


def transition_type(columns: int, dtype: type = np.float32) -> np.dtype:
    """Type of a row: `state`, `action`, `reward`, the state `after`, and the `discount` of that state's value.

    The discount is 0 if the episode terminated.
    """
    kind = np.dtype(dtype)
    return np.dtype(
        [
            ("state", kind, (columns,)),
            ("action", np.int32),
            ("reward", kind),
            ("discount", kind),
            ("after", kind, (columns,)),
        ]
    )


class Replay(ABC):
    """A store of the last `capacity` rows.

    Args:
        row: type of a row, from `transition_type`.
        capacity: number of rows to keep; older rows are never drawn.

    Attributes:
        added: number of rows added so far, including those no longer kept.
    """

    def __init__(self, row: np.dtype, capacity: int):
        check_range("replay capacity", capacity, 1, MOST_ROWS, "rows")
        self.row, self.capacity, self.added = row, capacity, 0

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, rows: np.ndarray) -> None:
        """Add rows, oldest first; rows: of the type `row`, shape (n,)."""
        rows = np.asarray(rows, dtype=self.row)
        self._write(rows)
        self.added += len(rows)

    def sample(self, random: np.random.Generator, count: int) -> np.ndarray:
        """Rows drawn uniformly with replacement: shape (count,).

        Raises:
            InputError: if the replay is empty.
        """
        if not len(self):
            raise InputError("replay", "0 rows", "one row or more before any is drawn")
        return self._read(self.added - len(self) + random.integers(len(self), size=count))

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """Arrays for `restore`."""

    @abstractmethod
    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Return to a state; rows that were added later are discarded.

        Raises:
            InputError: if rows of the state are missing, or have another type.
        """

    def close(self) -> None:
        """Close the file, if there is one; its rows stay."""
        return

    @abstractmethod
    def _write(self, rows: np.ndarray) -> None:
        """Store rows; the first one has the number `added`."""

    @abstractmethod
    def _read(self, numbers: np.ndarray) -> np.ndarray:
        """The rows with these numbers, all of which are still kept."""


class Ring(Replay):
    """A replay in memory. Its state holds all rows."""

    def __init__(self, row: np.dtype, capacity: int):
        super().__init__(row, capacity)
        self._rows = np.zeros(capacity, dtype=row)

    def state(self):
        """Copies of the rows, and their count."""
        return {"rows": self._rows[: len(self)].copy(), "added": np.array(self.added)}

    def restore(self, state: Mapping[str, np.ndarray]):
        """Return to a state."""
        if "rows" not in state:
            raise InputError("replay", "a count of rows alone", "the replay file that the state belongs to")
        rows, added = state["rows"], int(state["added"])
        if rows.dtype != self.row or len(rows) != min(added, self.capacity):
            allowed = f"{min(added, self.capacity)} rows of {self.row}"
            raise InputError("replay", f"{len(rows)} rows of {rows.dtype}", allowed)
        self._rows[: len(rows)] = rows
        self.added = added

    def begin_at(self, number: int) -> None:
        """Forget all rows; the next row gets this number."""
        self.added = number

    def _write(self, rows: np.ndarray):
        kept = rows[-self.capacity :]
        numbers = self.added + len(rows) - len(kept) + np.arange(len(kept))
        self._rows[numbers % self.capacity] = kept

    def _read(self, numbers: np.ndarray):
        return self._rows[numbers % self.capacity]
