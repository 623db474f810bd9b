"""Progress: a bar on a terminal, elsewhere lines at growing intervals, with share and time left."""

from __future__ import annotations

import io
import itertools
import os
import pty
import subprocess
import sys
import termios
import threading
import time

import pytest

from pmtwin.console import progress
from pmtwin.console.progress import Lines
from pmtwin.sim.compiling import functions as compiling


@pytest.fixture(autouse=True)
def nobody_compiles(monkeypatch):
    """Other tests compile at the same time, in processes beside this one."""
    monkeypatch.setattr(progress.compiling, "is_compiling", lambda: False)


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


def test_items_that_are_unlike_tell_no_time_left(clock):
    with progress.progress(desc="compile", total=8, unit="command", alike=False) as bar:
        bar.update(1)
        clock[0] = 300.0
        assert bar.line() == "compile: 1 of 8 commands (12 %), 300 s so far"


def test_the_time_left_begins_as_expected_and_comes_to_the_pace(clock):
    with progress.progress(desc="measured", total=100, unit="window", expected_s=1000.0) as bar:
        clock[0] = 5.0
        assert bar.line() == "measured: 0 of 100 windows (0 %), about 17 min left"
        bar.update(1)
        clock[0] = 100.0  # ten times as slow as expected: 100 s a window in place of 10 s
        assert bar.line() == "measured: 1 of 100 windows (1 %), about 18 min left"
        bar.update(98)
        clock[0] = 1980.0
        assert bar.line() == "measured: 99 of 100 windows (99 %), about 20 s left"
        bar.update(2)
        assert bar.line() == "measured: 101 of 100 windows (101 %), less than a second left"


@pytest.mark.parametrize(("expected_s", "left"), [(1000.0, "00:00<16:40"), (None, "00:00<?")])
def test_a_bar_begins_with_the_expected_time_too(monkeypatch, expected_s, left):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stderr", Terminal())
    with progress.progress(desc="measured", total=100, unit="window", expected_s=expected_s) as bar:
        assert left in str(bar)


def test_without_a_total_or_a_name_it_says_what_it_knows(clock):
    with progress.progress(unit="case") as bar:
        bar.update()
        clock[0] = 12.0
        assert bar.line() == "1 case, 12 s so far"


def test_a_wait_for_the_compiler_says_so(clock, monkeypatch):
    monkeypatch.setattr(progress.compiling, "is_compiling", lambda: True)
    with progress.progress(desc="recommend", unit="window") as bar:
        clock[0] = 25.0
        assert bar.line() == f"recommend: {compiling.WAIT}, 25 s so far"
        bar.update(30)
        monkeypatch.setattr(progress.compiling, "is_compiling", lambda: False)
        assert bar.line() == "recommend: 30 windows, 25 s so far"


ON_A_TERMINAL = """
import sys, time
from pmtwin.console import progress
progress.DELAY_S, progress.TICK_S = 0.0, 0.01
state = iter([True])
progress.compiling.is_compiling = lambda: next(state, False)
bar = progress.progress(desc="recommend", total=2, unit="window")
while "waiting for the compiler" not in bar.desc and time.monotonic() < LIMIT: time.sleep(0.01)
while bar.desc != "recommend: " and time.monotonic() < LIMIT: time.sleep(0.01)
with bar:
    bar.update(2)
print("the end", file=sys.stderr)
"""


def test_a_bar_on_a_terminal_moves_before_anything_is_finished_and_ends_whole():
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 200))
    code = ON_A_TERMINAL.replace("LIMIT", str(time.monotonic() + 60.0))
    with subprocess.Popen([sys.executable, "-c", code], stderr=theirs) as child:
        os.close(theirs)
        shown = _all_of(ours)
    os.close(ours)
    assert child.returncode == 0
    lines = shown.replace("\r\n", "\n").split("\r")
    waiting = [place for place, line in enumerate(lines) if line.startswith(f"recommend: {compiling.WAIT}:   0%")]
    assert waiting and lines[-1].startswith("recommend: 100%") and "2/2" in lines[-1], shown
    assert lines[-1].endswith("\nthe end\n")


def _all_of(terminal: int) -> str:
    """What is written on a terminal until its other end is closed."""
    parts = []
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux' word for it
            part = b""
        if not part:
            return b"".join(parts).decode()
        parts.append(part)


def test_items_finished_before_do_not_count_towards_the_pace(clock):
    with progress.progress(desc="episodes", total=100, initial=96) as bar:
        clock[0] = 30.0
        bar.update()
        assert bar.line() == "episodes: 97 of 100 (97 %), about 90 s left"


def test_lines_come_by_themselves_at_growing_intervals_until_the_end(clock, monkeypatch):
    written = []

    class Ended(threading.Event):
        def wait(self, timeout=None):
            clock[0] += timeout
            return len(written) > 8

    monkeypatch.setattr(progress.threading, "Event", Ended)
    monkeypatch.setattr(progress, "message", lambda line: written.append((clock[0], line)))
    bar = Lines(None, "infer", 9, "draw", 0)
    bar._write()
    times = [0.0, *(at for at, _ in written)]
    intervals = [late - early for early, late in itertools.pairwise(times)]
    assert intervals[:4] == pytest.approx([10.0, 15.0, 22.5, 33.75], abs=progress.TICK_S)
    assert intervals[-1] == pytest.approx(progress.LONGEST_S, abs=progress.TICK_S)
    assert written[0][1].startswith("infer: 0 of 9 draws (0 %)")


def test_the_time_left_leaves_out_the_compiler(clock, monkeypatch):
    lines = []
    monkeypatch.setattr(progress.compiling, "is_compiling", lambda: clock[0] <= 100.0)

    class Ended(threading.Event):
        def wait(self, timeout=None):
            clock[0] += timeout
            if clock[0] > 100.0 and clock[0] % 10.0 == 0.0:
                bar.update()
            return bar.n == 4

    monkeypatch.setattr(progress.threading, "Event", Ended)
    monkeypatch.setattr(progress, "message", lines.append)
    bar = Lines(None, "policies", 30, "run", 0)
    bar._write()
    assert lines[0] == f"policies: {compiling.WAIT}, 10 s so far"
    assert bar.line() == "policies: 4 of 30 runs (13 %), about 4 min left"  # 10 s each, after 100 s of compiling


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
