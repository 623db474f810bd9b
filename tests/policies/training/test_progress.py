"""Progress where standard error is not a terminal: lines with the time left."""

from __future__ import annotations

import pytest

from pmtwin.policies.training import progress


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the work moves on by itself."""
    seconds = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: seconds[0])
    return seconds


def work(items, clock, seconds):
    for _ in items:
        clock[0] += seconds


def test_a_line_every_period_says_the_time_left(clock, capsys):
    work(progress.bars(range(10), desc="sweeps", total=10), clock, 15.0)
    assert capsys.readouterr().err.splitlines() == [
        "sweeps: 10",
        "sweeps: 2 of 10, 2 min 0 s left",
        "sweeps: 4 of 10, 1 min 30 s left",
        "sweeps: 6 of 10, 1 min 0 s left",
        "sweeps: 8 of 10, 30 s left",
    ]


def test_items_finished_before_do_not_count_towards_the_pace(clock, capsys):
    work(progress.bars(range(4), desc="episodes", total=100, initial=96), clock, 30.0)
    assert capsys.readouterr().err.splitlines()[1] == "episodes: 97 of 100, 1 min 30 s left"


def test_a_short_work_has_its_first_line_only(clock, capsys):
    work(progress.bars(range(3), desc="episodes", total=3), clock, 1.0)
    assert capsys.readouterr().err == "episodes: 3\n"
