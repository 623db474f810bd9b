"""Replay database: what it holds, and the damage that it refuses in one line."""

import sqlite3

import numpy as np
import pytest

from pmtwin.policies.online.database import ReplayDatabase, StoredTick
from pmtwin.sim.errors import InputError

LAYOUT = {"scenario": "store", "indicators": ["reads", "writes"], "learning": "ab"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "r.sqlite"


def tick(ts, agents=1, action=2, level=1.5):
    cells = {agent: np.array([ts, agent], np.float32) for agent in range(agents)}
    return StoredTick(ts, cells, action, None, level)


def filled(path, count=3, agents=1):
    database = ReplayDatabase(path, LAYOUT)
    for ts in range(count):
        database.add(tick(ts, agents), applied_before=None if ts == 0 else ts % 2)
    return database


def test_it_gives_back_the_ticks_with_proposed_and_applied_actions(path):
    filled(path, agents=2).close()
    again = ReplayDatabase(path, LAYOUT)
    ticks = list(again.ticks())
    assert [(row.ts, row.action, row.applied, row.level) for row in ticks] == [
        (0, 2, 1, 1.5),
        (1, 2, 0, 1.5),
        (2, 2, None, 1.5),
    ]
    assert [cells.tolist() for cells in ticks[2].cells.values()] == [[2.0, 0.0], [2.0, 1.0]]
    assert again.last == 2


def test_other_programs_read_the_tables_of_the_paper_while_it_is_open(path):
    database = filled(path)
    with sqlite3.connect(path) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert other.execute("SELECT ma_id, ts, length(pi_data) FROM pis").fetchall() == [(0, k, 8) for k in range(3)]
        assert other.execute("SELECT ts, action FROM actions").fetchall() == [(k, 2) for k in range(3)]
    database.close()


def test_a_lost_message_is_a_missing_agent(path):
    database = ReplayDatabase(path, LAYOUT)
    database.add(StoredTick(0, {1: np.zeros(2, np.float32)}, None, None, None))
    database.add(StoredTick(1, {}, 0, None, None))
    assert [list(row.cells) for row in database.ticks()] == [[1], []]
    database.close()


def test_a_clock_that_runs_back_is_refused(path):
    database = filled(path)
    for ts in (2, 1):
        with pytest.raises(InputError, match=rf"ts: {ts} runs back; allowed: after 2, the last tick in .*r\.sqlite"):
            database.add(tick(ts))
    database.add(tick(3))
    database.close()


def test_a_missing_database_is_named_where_one_is_needed(path):
    with pytest.raises(InputError, match=r"replay database: '.*r\.sqlite' does not exist"):
        ReplayDatabase(path, None)
    with pytest.raises(InputError, match="cannot be used"):
        ReplayDatabase(path.parent / "absent" / "r.sqlite", LAYOUT)


def test_a_database_of_another_program_or_run_is_refused_and_left_alone(path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE pis (x)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="belongs to another program"):
        ReplayDatabase(path, LAYOUT)
    assert path.read_bytes() == before
    path.unlink()
    filled(path).close()
    with pytest.raises(InputError, match="belongs to a run with other indicators, learning"):
        ReplayDatabase(path, LAYOUT | {"indicators": ["reads"], "learning": "cd"})
    path.write_text("no database, but text that is long enough for a header of one hundred bytes" * 4)
    with pytest.raises(InputError, match="file is not a database"):
        ReplayDatabase(path, LAYOUT)


def test_a_locked_database_is_refused(path, monkeypatch):
    monkeypatch.setattr("pmtwin.policies.online.database.WAIT_S", 0.01)
    filled(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(InputError, match="is locked by another program"):
        ReplayDatabase(path, LAYOUT)
    other.close()


@pytest.mark.parametrize("ticks", [0, 1])
def test_a_new_database_without_ticks_goes_unless_another_run_uses_it(path, ticks, monkeypatch):
    monkeypatch.setattr("pmtwin.policies.online.database.WAIT_S", 0.01)
    ReplayDatabase(path, LAYOUT).close()
    assert not path.exists()
    idle, other = ReplayDatabase(path, LAYOUT), ReplayDatabase(path, LAYOUT)
    for ts in range(ticks):
        other.add(tick(ts))
    idle.close()
    other.add(tick(ticks))
    other.close()
    assert [row.ts for row in ReplayDatabase(path, LAYOUT).ticks()] == [*range(ticks + 1)]


@pytest.mark.parametrize("kept", [0.3, 0.7, 0.95])
def test_a_truncated_database_is_refused(path, kept):
    filled(path, 2000, agents=3).close()
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(InputError, match=r"malformed|damaged"):
        ReplayDatabase(path, LAYOUT)


@pytest.mark.parametrize(
    "change",
    [
        """UPDATE layout SET json = '__import__("os").system("false")'""",
        "UPDATE layout SET json = '3'",
        "DELETE FROM layout",
        "INSERT INTO layout SELECT json FROM layout",
    ],
)
def test_a_layout_that_is_none_of_pmtwin_is_refused_and_only_text(path, change):
    filled(path).close()
    with sqlite3.connect(path) as other:
        other.execute(change)
    with pytest.raises(InputError, match="has no layout of pmtwin"):
        ReplayDatabase(path, LAYOUT)


@pytest.mark.parametrize("data", [b"", b"odd", b"four", "text", 3])
def test_indicators_of_another_length_or_type_are_damage(path, data):
    filled(path).close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE pis SET pi_data = ? WHERE ts = 1", (data,))
    database = ReplayDatabase(path, LAYOUT)
    with pytest.raises(InputError, match=r"is damaged \(indicators of tick 1\)"):
        list(database.ticks())
    database.close()
