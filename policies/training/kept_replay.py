"""The replay of a training in its checkpoint: rows in memory are written round by round, rows in a file stay there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.network.replay import Replay, Ring
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint


class KeptReplay:
    """Writes the rows of a replay to a checkpoint, and restores them.

    Rows in memory are written once: each round has its own stage, which is deleted when none of its rows can be drawn
    any more.

    Args:
        replay: replay of the training.
        file: file of the replay, for errors; None: the replay is in memory.
    """

    def __init__(self, replay: Replay, file: object):
        self.replay, self._file = replay, file
        self._ends: dict[int, int] = {}

    def state(self) -> dict[str, np.ndarray]:
        """Number of rows, and whether they are in a file, for the state of the training."""
        if not isinstance(self.replay, Ring):
            self.replay.state()
        return {"added": np.array(self.replay.added), "in_file": np.array(not isinstance(self.replay, Ring))}

    def save(self, checkpoint: Checkpoint, number: int, rows: np.ndarray) -> None:
        """Write the rows of round `number`; to be called before the state of the training is written."""
        if isinstance(self.replay, Ring):
            checkpoint.save_arrays(_stage(number), {"rows": rows, "end": np.array(self.replay.added)})
            self._ends[number] = self.replay.added

    def clean(self, checkpoint: Checkpoint) -> None:
        """Delete the stages that the latest state does not need."""
        oldest = self.replay.added - self.replay.capacity
        for number in [number for number, end in self._ends.items() if end <= oldest]:
            checkpoint.discard_arrays(_stage(number))
            del self._ends[number]

    def restore(self, checkpoint: Checkpoint, state: Mapping[str, np.ndarray], rounds: int) -> None:
        """Restore the rows of a state.

        Args:
            rounds: number of rounds finished in the state.

        Raises:
            InputError: if the replay is in memory and the run's was in a file or the other way round, or a stage is
                missing.
        """
        ring, added = self.replay if isinstance(self.replay, Ring) else None, int(state["added"])
        in_memory = ring is not None
        if in_memory == bool(state["in_file"]):
            earlier = "the replay file of the run in the checkpoint" if in_memory else "none, as in that run"
            file = None if self._file is None else str(self._file)
            raise InputError("--replay-file", file, f"{earlier}; or delete {checkpoint.folder} to begin anew")
        if ring is None:
            self.replay.restore({"added": state["added"]})
            return
        oldest, stages, number = max(added - self.replay.capacity, 0), {}, rounds
        first = added
        while first > oldest:
            number -= 1
            stage = checkpoint.load_arrays(_stage(number))
            if stage is None:
                raise InputError("checkpoint", str(checkpoint.folder), "a complete one; delete it to begin anew")
            stages[number], first = stage, int(stage["end"]) - len(stage["rows"])
        ring.begin_at(first)
        for number in sorted(stages):
            self.replay.add(stages[number]["rows"])
            self._ends[number] = int(stages[number]["end"])


def _stage(number: int) -> str:
    return f"replay_{number}"
