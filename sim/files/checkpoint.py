"""Checkpoints of long work: an interrupted run continues after its last finished stage.

A `Checkpoint` is the folder of one run: `run.json` identifies the run (configuration, versions), and each stage has its
files. Files are written whole or not at all, and those of another run are refused. Related: `pmtwin.pipeline.store`
keeps many finished results, the journal of a probe (`pmtwin.calibrate.probing.journal`) adds lines to one file.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.json_file import read_json
from pmtwin.sim.files.writing import write_atomically, write_json

FIELD = "checkpoint"
_UNREADABLE = (OSError, EOFError, ValueError, AttributeError, NotImplementedError, zipfile.BadZipFile, zlib.error)
"""Exceptions of numpy for a damaged npz file; zipfile raises NotImplementedError for a damaged header."""


class Checkpoint:
    """The folder of one run.

    Args:
        folder: made if it is absent; its parent must exist.
        identity: plain values that determine the result bit for bit.
        command: the command that makes such folders, for errors.

    Raises:
        InputError: the folder cannot be made or written, or holds another run.
    """

    def __init__(self, folder: str | os.PathLike, identity: dict, command: str = "pmtwin train"):
        self.folder, self._command = Path(folder), command
        self.identity = json.loads(json.dumps(identity, allow_nan=False))
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(FIELD, str(folder), f"a folder that can be made ({error.strerror})") from error
        recorded = self.load_json("run")
        if recorded is None:
            write_json(self.folder / "run.json", self.identity, FIELD)
        elif not isinstance(recorded, dict):
            raise self._damaged(self.folder / "run.json")
        elif names := ", ".join(sorted(differences(recorded, self.identity))):
            allowed = f"the folder of the same run (this one differs in {names}), or none; delete it to start again"
            raise InputError(FIELD, str(folder), allowed)

    def has(self, stage: str) -> bool:
        """Whether the stage has any file."""
        return any((self.folder / f"{stage}{suffix}").exists() for suffix in (".json", ".npz"))

    def is_empty(self) -> bool:
        """Whether no stage has any file."""
        return {path.name for path in self.folder.iterdir()} <= {"run.json"}

    def save_arrays(self, stage: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Write the arrays of a stage."""
        write_atomically(self.folder / f"{stage}.npz", lambda file: np.savez(file, **arrays), "wb", FIELD)  # type: ignore[arg-type]  # none is `allow_pickle`

    def load_arrays(self, stage: str) -> dict[str, np.ndarray] | None:
        """The arrays of a stage, or None if there are none.

        Raises:
            InputError: the file is damaged.
        """
        return self._load(self.folder / f"{stage}.npz", read_arrays)

    def save_json(self, stage: str, value: object) -> None:
        """Write plain values of a stage."""
        write_json(self.folder / f"{stage}.json", value, FIELD)

    def load_json(self, stage: str):
        """The plain values of a stage, or None if there are none.

        Raises:
            InputError: the file is damaged.
        """
        return self._load(self.folder / f"{stage}.json", read_json)

    def discard_arrays(self, stage: str) -> None:
        """Delete the arrays of a stage, if there are any."""
        (self.folder / f"{stage}.npz").unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the folder: the run is complete."""
        shutil.rmtree(self.folder)

    def _load(self, path: Path, read: Callable[[Path, str], Any]):
        if not path.exists():
            return None
        try:
            return read(path, FIELD)
        except InputError as error:
            raise self._damaged(path) from error

    def _damaged(self, path: Path) -> InputError:
        return InputError(FIELD, str(path), f"a file written by {self._command}; delete it to repeat its stage")


def read_arrays(path: str | os.PathLike, field: str, allowed: str = "a whole npz file") -> dict[str, np.ndarray]:
    """The arrays of an npz file, by name.

    Args:
        field: name of the option or column, for errors.
        allowed: the expected file in words, for errors.

    Raises:
        InputError: the file cannot be read, or is damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except _UNREADABLE as error:
        raise InputError(field, str(path), f"{allowed} ({getattr(error, 'strerror', None) or error})") from error


def differences(left: Mapping, right: Mapping, prefix: str = "") -> dict[str, tuple]:
    """Dotted name -> (left, right) values of the entries in which nested mappings differ; None for an absent one."""
    changed: dict[str, tuple] = {}
    for name in sorted(left.keys() | right.keys()):
        a, b = left.get(name), right.get(name)
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            changed |= differences(a, b, f"{prefix}{name}.")
        elif a != b:
            changed[f"{prefix}{name}"] = a, b
    return changed
