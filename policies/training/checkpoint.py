"""The folder of a run that goes on after a kill: what is done is read back, nothing is done twice.

`run.json` says which run it is (plan, environment, versions); another run is refused rather than mixed in. Each stage
leaves one file: `dataset.npz`, `selection.json`, `online.npz`; all are written under a temporary name and renamed.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
import zlib
from pathlib import Path

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.files import write_atomically, write_json
from pmtwin.sim.json_file import read_json

FIELD = "checkpoint"


class Checkpoint:
    """The folder of one run.

    Args:
        folder: made if it is absent (its parent must exist).
        identity: plain values that determine the result bit for bit.

    Raises:
        InputError: if the folder cannot be made or written, or holds another run.
    """

    def __init__(self, folder: str | os.PathLike, identity: dict):
        self.folder = Path(folder)
        self.identity = json.loads(json.dumps(identity, allow_nan=False))
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(FIELD, str(folder), f"a folder that can be made ({error.strerror})") from error
        found = self.load_json("run")
        if found is None:
            write_json(self.folder / "run.json", self.identity, FIELD)
        elif found != self.identity:
            other = ", ".join(sorted(_differences(found, self.identity)))
            raise InputError(FIELD, str(folder), f"the folder of the same run (this one differs in {other}), or none")

    def has(self, stage: str) -> bool:
        """Whether anything of the stage is there."""
        return any((self.folder / f"{stage}{suffix}").exists() for suffix in (".json", ".npz"))

    def save_arrays(self, stage: str, arrays: dict[str, np.ndarray]) -> None:
        """Write the arrays of a stage."""
        write_atomically(self.folder / f"{stage}.npz", lambda file: np.savez(file, **arrays), "wb", FIELD)

    def load_arrays(self, stage: str) -> dict[str, np.ndarray] | None:
        """The arrays of a stage, or None if there are none.

        Raises:
            InputError: if the file is damaged.
        """
        path = self.folder / f"{stage}.npz"
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        except (OSError, EOFError, ValueError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
            raise _damaged(path) from error

    def save_json(self, stage: str, value: object) -> None:
        """Write plain values of a stage."""
        write_json(self.folder / f"{stage}.json", value, FIELD)

    def load_json(self, stage: str):
        """The plain values of a stage, or None if there are none.

        Raises:
            InputError: if the file is damaged.
        """
        path = self.folder / f"{stage}.json"
        if not path.exists():
            return None
        try:
            return read_json(path, FIELD)
        except InputError as error:
            raise _damaged(path) from error

    def remove(self) -> None:
        """Delete the folder: the run is complete."""
        shutil.rmtree(self.folder)


def _damaged(path: Path) -> InputError:
    return InputError(FIELD, str(path), "a file written by pmtwin train; delete it to repeat its stage")


def _differences(one: dict, other: dict, prefix: str = "") -> set[str]:
    """Names of the entries that are not equal."""
    names = set()
    for name in one.keys() | other.keys():
        first, second = one.get(name), other.get(name)
        if isinstance(first, dict) and isinstance(second, dict):
            names |= _differences(first, second, f"{prefix}{name}.")
        elif first != second:
            names.add(f"{prefix}{name}")
    return names
