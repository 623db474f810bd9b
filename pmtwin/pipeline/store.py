"""Cache of the results of steps, in folders named by their content key; a folder is either complete or absent."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pmtwin.sim.files.checkpoint import read_arrays
from pmtwin.sim.files.json_file import read_json
from pmtwin.sim.files.writing import make_folder, write_json

RESULT, SERIES = "result.json", "series.npz"
KEY_DIGITS = 12


class Store:
    """The cache of a results folder.

    Args:
        folder: the results folder; created if absent.
        field: name of its option, for errors.

    Raises:
        InputError: if the folder cannot be created or written.
    """

    def __init__(self, folder: Path, field: str = "-o"):
        self.folder, self._field = folder, field
        make_folder(folder, field)

    def path(self, step: str, key: str) -> Path:
        """The folder of a finished step."""
        return self.folder / f"{step}-{key[:KEY_DIGITS]}"

    def load(self, step: str, key: str) -> dict | None:
        """Values of a step, or None if they are absent or damaged.

        A file `series.npz` in the folder is added as `series`, name -> array.
        """
        folder = self.path(step, key)
        try:
            record = read_json(folder / RESULT, self._field)
            values = record["values"]
            if record["key"] != key:
                return None
            if (folder / SERIES).exists():
                values["series"] = read_arrays(folder / SERIES, self._field)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return values

    def seconds(self, step: str, key: str) -> float:
        """Seconds of the computation of the step."""
        return float(read_json(self.path(step, key) / RESULT, self._field)["seconds"])

    def begin(self, step: str, key: str) -> Path:
        """Working folder of a step; files of an interrupted run stay there, for steps that resume from them."""
        folder = self.path(step, key).with_suffix(".partial")
        make_folder(folder, self._field)
        return folder

    def finish(self, step: str, key: str, values: dict, seconds: float) -> Path:
        """Write the values and rename the working folder to its final path, which is returned."""
        working, final = self.begin(step, key), self.path(step, key)
        write_json(working / RESULT, {"step": step, "key": key, "seconds": seconds, "values": values}, self._field)
        if final.exists():  # damaged, or this would not have been computed again
            shutil.rmtree(final)
        os.replace(working, final)
        return final
