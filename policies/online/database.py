"""Replay database of a run: an SQLite file with the indicators of each monitoring agent, and the actions.

Tables `pis(ma_id, ts, pi_data)` and `actions(ts, action)` are those of CAPES; `pi_data` has float32 numbers in the
order of the stored layout, no pickle. `actions` also has the action that was applied after the action checker, and the
level that the reward is made from. Every window is one transaction, so that a kill loses the window in progress only.
Other programs can read the file meanwhile (write-ahead log).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pmtwin.sim.errors import InputError

FIELD = "replay database"
FORMAT = "pmtwin-ticks 1"
ALLOWED = "a replay database of pmtwin, or a path without a file in an existing folder"
WAIT_S = 1.0
"""Time to wait for another program's lock, in seconds."""

TABLES = (
    "CREATE TABLE layout (json TEXT NOT NULL)",
    "CREATE TABLE pis (ma_id INTEGER NOT NULL, ts INTEGER NOT NULL, pi_data BLOB NOT NULL, PRIMARY KEY (ts, ma_id))"
    " WITHOUT ROWID",
    "CREATE TABLE actions (ts INTEGER PRIMARY KEY, action INTEGER, applied INTEGER, level REAL)",
)


class StoredTick(NamedTuple):
    """A window as it is stored.

    Fields:
        ts: its number.
        cells: monitoring agent -> its indicators, float32; an agent whose message was lost is absent.
        action: action that the policy proposed after it; None: none was due.
        applied: action that was carried out; None: not known, or a jump.
        level: reward of the window; None: not known.
    """

    ts: int
    cells: Mapping[int, np.ndarray]
    action: int | None
    applied: int | None
    level: float | None


class ReplayDatabase:
    """A database, created if it is absent.

    Args:
        path: path of the file.
        layout: what a tick holds and who learns from it, as plain values; None: that of an existing file.

    Attributes:
        layout: the layout.
        last: `ts` of the last tick; None: there is none.

    Raises:
        InputError: if the file cannot be opened, is no replay database or is damaged, is locked, or has another layout.
    """

    def __init__(self, path: str | Path, layout: Mapping[str, Any] | None):
        self.path = Path(path)
        self.last: int | None = None
        if layout is None and not self.path.is_file():
            raise InputError(FIELD, str(path), "an existing replay database", wrong="does not exist")
        self._is_new = not self.path.exists()
        with self._errors():
            self._file = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
            try:
                self.layout = self._opened(None if layout is None else _plain(layout))
            except BaseException:
                self._file.close()
                raise

    def add(self, tick: StoredTick, applied_before: int | None = None) -> None:
        """Write a tick, and what was applied after the one before it, in a transaction.

        Raises:
            InputError: unless the tick is later than the last one; if the file cannot be written.
        """
        if self.last is not None and tick.ts <= self.last:
            raise InputError("ts", tick.ts, f"after {self.last}, the last tick in {self.path}", wrong="runs back")
        rows = [
            (agent, tick.ts, np.asarray(cells, dtype="<f4").tobytes()) for agent, cells in sorted(tick.cells.items())
        ]
        with self._errors(), self._transaction():
            self._file.execute("UPDATE actions SET applied = ? WHERE ts = ?", (applied_before, self.last))
            self._file.executemany("INSERT INTO pis VALUES (?, ?, ?)", rows)
            self._file.execute(
                "INSERT INTO actions VALUES (?, ?, ?, ?)", (tick.ts, tick.action, tick.applied, tick.level)
            )
        self.last = tick.ts

    def ticks(self) -> Iterator[StoredTick]:
        """All ticks, oldest first.

        Raises:
            InputError: if the file is damaged.
        """
        query = (
            "SELECT actions.ts, action, applied, level, ma_id, pi_data FROM actions LEFT JOIN pis USING (ts)"
            " ORDER BY actions.ts, ma_id"
        )
        with self._errors():
            for _, group in groupby(self._file.execute(query), key=itemgetter(0)):
                rows = list(group)
                cells = {agent: self._cells(rows[0][0], data) for *_, agent, data in rows if agent is not None}
                yield StoredTick(rows[0][0], cells, *rows[0][1:4])

    def close(self) -> None:
        """Close the file; may be called again. A new file without ticks that nobody else has open is removed."""
        with self._errors():
            unused = self._is_new and self._is_unused()
            self._file.close()
        if unused:
            self.path.unlink(missing_ok=True)
        self._is_new = False

    def _is_unused(self) -> bool:
        """Whether nobody has written a tick, and nobody else has the file open: SQLite leaves WAL mode only then."""
        try:
            (mode,) = self._file.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError:
            return False
        return mode == "delete" and self._file.execute("SELECT MAX(ts) FROM actions").fetchone() == (None,)

    def _opened(self, layout: dict[str, Any] | None) -> dict[str, Any]:
        """The layout of the file, after all checks; an empty file gets the tables."""
        file = self._file
        tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables and layout is not None:
            file.execute("PRAGMA journal_mode = WAL")
            with self._transaction():
                for statement in TABLES:
                    file.execute(statement)
                file.execute("INSERT INTO layout VALUES (?)", (json.dumps([FORMAT, layout]),))
        elif not {"layout", "pis", "actions"} <= tables:
            raise InputError(FIELD, str(self.path), ALLOWED, wrong="belongs to another program")
        ((check,),) = file.execute("PRAGMA quick_check(1)")
        if check != "ok":
            raise InputError(FIELD, str(self.path), ALLOWED, wrong=f"is damaged ({check.splitlines()[0]})")
        stored = _layout_of(file.execute("SELECT json FROM layout").fetchall())
        if stored is None:
            raise InputError(FIELD, str(self.path), ALLOWED, wrong="has no layout of pmtwin")
        if layout is not None and layout != stored:
            names = sorted(name for name in {*layout, *stored} if layout.get(name) != stored.get(name))
            wrong = f"belongs to a run with other {', '.join(names)}"
            raise InputError(FIELD, str(self.path), "the database of the same run, or another path", wrong=wrong)
        file.execute("PRAGMA synchronous = NORMAL")
        with self._transaction():  # nobody else writes
            ((self.last,),) = file.execute("SELECT MAX(ts) FROM actions")
        return stored

    def _cells(self, ts: int, data: object) -> np.ndarray:
        """Indicators as they are stored; their number is that of the layout, if it names them."""
        names = self.layout.get("indicators")
        if not isinstance(data, bytes) or len(data) % 4 or (names is not None and len(data) != 4 * len(names)):
            raise InputError(FIELD, str(self.path), ALLOWED, wrong=f"is damaged (indicators of tick {ts})")
        return np.frombuffer(data, dtype="<f4")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Context manager that turns SQLite's errors into `InputError`."""
        try:
            yield
        except sqlite3.Error as error:
            reason = "is locked by another program" if "locked" in str(error) else f"cannot be used ({error})"
            raise InputError(FIELD, str(self.path), ALLOWED, wrong=reason) from error


def _layout_of(rows: list[tuple[object]]) -> dict[str, Any] | None:
    """The layout in the only row; None if it is none of pmtwin."""
    try:
        ((text,),) = rows
        form, layout = json.loads(str(text))
    except (TypeError, ValueError):
        return None
    return layout if form == FORMAT and isinstance(layout, dict) else None


def _plain(layout: Mapping[str, Any]) -> dict[str, Any]:
    """The layout as JSON gives it back."""
    return json.loads(json.dumps(dict(layout)))
