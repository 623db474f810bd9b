"""The replay of a training in its checkpoint: a file has its own rows; those in memory are kept round by round."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.network.replay import Replay, Ring
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint


class KeptReplay:
    """A replay, and where its rows are found again.

    Rows in memory are written once: each round has a stage of its own, which is deleted when none of its rows can be
    drawn any more.

    Args:
        replay: of the training.
        file: of the replay, for errors; None: it is in memory.
    """

    def __init__(self, replay: Replay, file: object):
        self.replay, self._file = replay, file
        self._ends: dict[int, int] = {}

    def state(self) -> dict[str, np.ndarray]:
        """What a checkpoint says of the replay: how many rows, and whether they are in a file."""
        if not isinstance(self.replay, Ring):
            self.replay.state()
        return {"added": np.array(self.replay.added), "in_file": np.array(not isinstance(self.replay, Ring))}

    def save(self, checkpoint: Checkpoint, number: int, rows: np.ndarray) -> None:
        """Keep the rows that a round has added, before its state is written."""
        if isinstance(self.replay, Ring):
            checkpoint.save_arrays(_stage(number), {"rows": rows, "end": np.array(self.replay.added)})
            self._ends[number] = self.replay.added

    def clean(self, checkpoint: Checkpoint) -> None:
        """Delete what the state that was just written does not need."""
        oldest = self.replay.added - self.replay.capacity
        for number in [number for number, end in self._ends.items() if end <= oldest]:
            checkpoint.discard_arrays(_stage(number))
            del self._ends[number]

    def restore(self, checkpoint: Checkpoint, state: Mapping[str, np.ndarray], rounds: int) -> None:
        """Go on from a state after so many rounds.

        Raises:
            InputError: for a replay in memory where the run had a file, or the other way round.
        """
        ring, added = self.replay if isinstance(self.replay, Ring) else None, int(state["added"])
        in_memory = ring is not None
        if in_memory == bool(state["in_file"]):
            before = "the file of the run that the checkpoint is of" if in_memory else "none, as in that run"
            given = None if self._file is None else str(self._file)
            raise InputError("--replay-file", given, f"{before}; or delete {checkpoint.folder} to begin anew")
        if ring is None:
            self.replay.restore({"added": state["added"]})
            return
        oldest, kept, number = max(added - self.replay.capacity, 0), {}, rounds
        first = added
        while first > oldest:
            number -= 1
            stage = checkpoint.load_arrays(_stage(number))
            if stage is None:
                raise InputError("checkpoint", str(checkpoint.folder), "a whole one; delete it to begin anew")
            kept[number], first = stage, int(stage["end"]) - len(stage["rows"])
        ring.begin_at(first)
        for number in sorted(kept):
            self.replay.add(kept[number]["rows"])
            self._ends[number] = int(kept[number]["end"])


def _stage(number: int) -> str:
    return f"replay_{number}"
