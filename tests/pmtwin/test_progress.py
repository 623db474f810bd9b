"""Progress where standard error is not a terminal: lines at growing intervals, with share and time left."""

from __future__ import annotations

import threading

import pytest

from pmtwin import progress
from pmtwin.progress import Lines


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the work moves on by itself."""
    seconds = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: seconds[0])
    return seconds


def test_a_line_says_what_how_far_and_how_long_still(clock):
    with progress.progress(desc="measured", total=120, unit="window") as bar:
        clock[0] = 40.0
        assert bar.line() == "measured: 0 of 120 windows (0 %), 40 s so far"
        bar.update(30)
        assert bar.line() == "measured: 30 of 120 windows (25 %), about 2 min left"
        bar.set_postfix_str("error 3 %")
        assert bar.line().endswith("left; error 3 %")


def test_without_a_total_or_a_name_it_says_what_it_knows(clock):
    with progress.progress(unit="case") as bar:
        bar.update()
        clock[0] = 12.0
        assert bar.line() == "1 case, 12 s so far"


def test_items_finished_before_do_not_count_towards_the_pace(clock):
    with progress.progress(desc="episodes", total=100, initial=96) as bar:
        clock[0] = 30.0
        bar.update()
        assert bar.line() == "episodes: 97 of 100 (97 %), about 90 s left"


def test_lines_come_by_themselves_at_growing_intervals_until_the_end(monkeypatch):
    waits, lines = [], []

    class Ended(threading.Event):
        def wait(self, timeout=None):
            waits.append(timeout)
            return len(waits) > 8

    monkeypatch.setattr(progress.threading, "Event", Ended)
    monkeypatch.setattr(progress, "message", lines.append)
    bar = Lines(None, "infer", 9, "draw", 0)
    bar._write()
    assert waits[:4] == [10.0, 15.0, 22.5, 33.75] and waits[-1] == progress.LONGEST_S
    assert len(lines) == 8 and lines[0].startswith("infer: 0 of 9 draws (0 %)")


def test_an_end_by_an_error_ends_the_lines():
    bar = progress.progress(range(3), desc="windows")
    with pytest.raises(ZeroDivisionError):
        for item in bar:
            1 / item
    assert bar._ended.is_set() and bar.n == 0
    bar._writer.join(timeout=30.0)
    assert not bar._writer.is_alive()


def test_a_short_work_says_nothing(capsys):
    assert list(progress.progress(range(3), desc="windows")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")
