"""A replay in an SQLite file: for more rows than fit into memory, and for live systems that are restarted.

Numbers are columns, vectors are blobs of their bytes. Other programs can read the file, even during writes (write-ahead
log). The state for a checkpoint is the number of rows; resuming from it discards later rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from pmtwin.policies.network.replay import Replay
from pmtwin.sim.errors import InputError

FIELD = "replay file"
FORMAT = "pmtwin-replay 1"
MOST_VARIABLES = 900
"""Most variables in a statement: some versions of SQLite allow no more than 999."""


class ReplayFile(Replay):
    """A replay in a file, which is created if it is absent.

    `state` deletes only rows that the previous checkpoint does not need either, since a run may resume from that.

    Args:
        path: path of the file.
        row, capacity: as in `Replay`.

    Raises:
        InputError: if the file cannot be opened, belongs to another program, or has rows of another type.
    """

    def __init__(self, path: str | Path, row: np.dtype, capacity: int):
        super().__init__(row, capacity)
        self.path, self._before = Path(path), 0
        self._insert = f"INSERT INTO transition VALUES ({', '.join('?' * (1 + len(row.names or ())))})"
        with self._errors():
            self._file: sqlite3.Connection | None = sqlite3.connect(self.path)
            try:
                self._open(self._file)
            except BaseException:
                self._file.close()
                raise

    def state(self):
        """The number of rows, all of which have been written to the file."""
        with self._errors(), self._file:
            self._file.execute("DELETE FROM transition WHERE number < ?", (self._before - self.capacity,))
        self._before = self.added
        return {"added": np.array(self.added)}

    def restore(self, state):
        """Discard the rows that were added after a state."""
        added = int(state["added"])
        first = max(0, added - self.capacity)
        with self._errors(), self._file:
            within = "SELECT COUNT(*) FROM transition WHERE number >= ? AND number < ?"
            ((count,),) = self._file.execute(within, (first, added))
            if count != added - first:
                allowed = f"the file of the same run, with rows {first} to {added}; delete the checkpoint to begin anew"
                raise InputError(FIELD, f"{count} of {added - first} rows", allowed, str(self.path))
            self._file.execute("DELETE FROM transition WHERE number >= ?", (added,))
        self.added = self._before = added

    def close(self):
        """Write all rows and close the file; has no effect on a closed one."""
        if self._file is None:
            return
        with self._errors():
            self._file.commit()
            self._file.close()
        self._file = None

    def _open(self, file: sqlite3.Connection) -> None:
        """Create the tables, or check them before anything is written; count the rows."""
        fields = [[name, self.row[name].base.str, list(self.row[name].shape)] for name in self.row.names or ()]
        layout = json.dumps([FORMAT, fields])
        tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            self._make(file, layout)
        elif not {"layout", "transition"} <= tables:
            raise InputError(FIELD, str(self.path), f"a file of {FORMAT}, or a path without a file")
        present = file.execute("SELECT json FROM layout").fetchone()
        if present != (layout,):
            allowed = f"rows of {self.row}; use another file, or delete this one"
            raise InputError(FIELD, present and present[0], allowed, str(self.path))
        file.execute("PRAGMA journal_mode = WAL")
        ((last,),) = file.execute("SELECT MAX(number) FROM transition")
        self.added = self._before = 0 if last is None else last + 1

    def _make(self, file: sqlite3.Connection, layout: str) -> None:
        columns = ", ".join(f'"{name}" NOT NULL' for name in self.row.names or ())
        with file:
            file.execute("CREATE TABLE layout (json TEXT NOT NULL)")
            file.execute("INSERT INTO layout VALUES (?)", (layout,))
            file.execute(f"CREATE TABLE transition (number INTEGER PRIMARY KEY, {columns})")

    def _write(self, rows):
        columns = [rows[name] for name in self.row.names]
        cells = [
            list(map(bytes, np.ascontiguousarray(column))) if column.ndim > 1 else column.tolist() for column in columns
        ]
        numbers = range(self.added, self.added + len(rows))
        with self._errors():
            self._file.executemany(self._insert, zip(numbers, *cells, strict=True))

    def _read(self, numbers):
        unique, places = np.unique(numbers, return_inverse=True)
        rows = np.empty(len(unique), dtype=self.row)
        with self._errors():
            for begin in range(0, len(unique), MOST_VARIABLES):
                wanted = unique[begin : begin + MOST_VARIABLES].tolist()
                marks = ", ".join("?" * len(wanted))
                query = f"SELECT * FROM transition WHERE number IN ({marks}) ORDER BY number"
                for place, (_, *cells) in enumerate(self._file.execute(query, wanted), begin):
                    rows[place] = tuple(map(self._cell, self.row.names, cells))
        return rows[places]

    def _cell(self, name: str, cell) -> object:
        kind = self.row[name]
        return np.frombuffer(cell, dtype=kind.base).reshape(kind.shape) if kind.shape else cell

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Context manager that turns SQLite's errors into `InputError`."""
        try:
            yield
        except sqlite3.Error as error:
            allowed = "an SQLite file that can be written, in an existing folder, open in one training at a time"
            raise InputError(FIELD, str(self.path), f"{allowed} ({error})") from error
