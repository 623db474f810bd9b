"""Progress of long work on standard error: a bar on a terminal; otherwise lines, the first after ten seconds.

A separate thread updates it, so that work whose first item takes minutes is not silent; it also shows when the work
waits for the compiler (`pmtwin.sim.compiling.functions`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from itertools import accumulate, chain, repeat
from typing import TYPE_CHECKING

from pmtwin.console.output import about, message
from pmtwin.sim.compiling import functions as compiling

if TYPE_CHECKING:
    from tqdm import tqdm


DELAY_S = 3.0
"""Duration in seconds below which work shows no bar."""

TICK_S = 1.0
"""Seconds between two updates of a bar."""

FIRST_S, GROWTH, LONGEST_S = 10.0, 1.5, 120.0
"""Seconds to the first line; factor from one interval to the next; longest interval in seconds."""


def progress(
    iterable: Iterable | None = None,
    desc: str = "",
    total: int | None = None,
    unit: str = "",
    initial: int = 0,
    leave: bool = True,
    expected_s: float | None = None,
    alike: bool = True,
):
    """A tqdm bar, or `Lines` if standard error is not a terminal, around an iterable or as a context with `update(n)`.

    Args:
        iterable: items of the work; None for a context.
        desc: description of the work.
        total: number of items, if known.
        unit: noun of an item, in the singular.
        initial: number of items finished before; they count for `total`, but not for the pace.
        leave: whether the finished bar stays on the terminal.
        expected_s: expected seconds of the whole work, with which the estimate of the remaining time begins.
        alike: whether all items take about the same time; otherwise the remaining time is not estimated.
    """
    if not sys.stderr.isatty():
        return Lines(iterable, desc, total, unit, initial, expected_s, alike)
    from tqdm import tqdm

    class Bar(tqdm):
        """A bar with the remaining time of `Pace.seconds_left`."""

        pace = Pace(initial, expected_s, alike)

        @property
        def format_dict(self):
            facts = super().format_dict
            total, finished = facts["total"], facts["n"]
            if not total or finished >= total:
                return facts
            left_s = self.pace.seconds_left(finished, total)
            return facts | {"rate": (total - finished) / left_s if left_s else 0.0}  # 0: not known

    shown = {"file": sys.stderr, "dynamic_ncols": True, "delay": DELAY_S, "unit": unit or "it", "leave": leave}
    bar = Bar(iterable, desc=desc or None, total=total, initial=initial, **shown)
    threading.Thread(target=_tick, args=(bar, desc), daemon=True).start()
    return bar


class Pace:
    """Estimate of the remaining time from the pace so far, without waits for the compiler.

    Args:
        initial: number of items finished before.
        expected_s: expected seconds of the whole work, if known. The estimate lies between the expected pace and that
            so far, and nearer to the latter the more items are finished, as the first ones may be slower or faster.
        alike: whether the pace so far is an estimate for the other items.
    """

    def __init__(self, initial: int, expected_s: float | None = None, alike: bool = True):
        self._alike = alike
        self._initial, self._expected_s = initial, expected_s
        self._restart(initial)

    def _restart(self, finished: int) -> None:
        self._from, self._began = finished, time.monotonic()

    def look(self, finished: int) -> str:
        """Restart the clock while something is compiled, at every call; returns the text of the wait (`_compiler`)."""
        waits = _compiler()
        if waits:
            self._restart(finished)
        return waits

    def seconds_left(self, finished: int, total: int) -> float | None:
        """Estimated seconds of the remaining items; None without a basis for an estimate."""
        counted = finished - self._from
        pace_s = (time.monotonic() - self._began) / counted if counted > 0 and self._alike else None
        items = total - self._initial
        if self._expected_s is not None and items > 0:
            share = min((finished - self._initial) / items, 1.0) if pace_s is not None else 0.0
            pace_s = (1.0 - share) * self._expected_s / items + share * (pace_s or 0.0)
        return None if pace_s is None else max(total - finished, 0) * pace_s


def _tick(bar: tqdm, desc: str) -> None:
    """Update the times of a bar until it is closed, also while no item finishes."""
    shown_from = time.monotonic() + DELAY_S
    while not bar.disable:
        time.sleep(TICK_S)
        with bar.get_lock():  # a bar that closes waits for it, and is drawn last
            waits = bar.pace.look(bar.n)
            if not bar.disable and time.monotonic() >= shown_from:
                bar.set_description(": ".join(filter(None, (desc, waits))) or None, refresh=False)
                bar.display()


def _compiler() -> str:
    """Text for a wait for the compiler; empty without one."""
    return compiling.WAIT if compiling.is_compiling() else ""


class Lines:
    """Progress and remaining time in lines at growing intervals; arguments as in `progress`."""

    def __init__(
        self,
        iterable: Iterable | None,
        desc: str,
        total: int | None,
        unit: str,
        initial: int,
        expected_s: float | None = None,
        alike: bool = True,
    ):
        self.desc, self.total, self.unit, self.n = desc, total, unit, initial
        if total is None and isinstance(iterable, Sized):
            self.total = len(iterable)
        self._iterable: Iterable = () if iterable is None else iterable
        self._postfix, self._ended = "", threading.Event()
        self._initial, self._expected_s, self._alike = initial, expected_s, alike
        self._begin()

    def _begin(self) -> None:
        self._began, self._pace = time.monotonic(), Pace(self._initial, self._expected_s, self._alike)

    def __enter__(self) -> Lines:
        self._begin()
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._writer.start()
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __iter__(self) -> Iterator:
        with self:
            for item in self._iterable:
                yield item
                self.update()

    def update(self, n: int = 1) -> None:
        """Count `n` more finished items."""
        self.n += n

    def set_postfix_str(self, text: str) -> None:
        """Set a text for the end of each line."""
        self._postfix = text

    def close(self) -> None:
        """Stop writing lines."""
        self._ended.set()

    def _write(self) -> None:
        intervals = accumulate(chain([FIRST_S], repeat(GROWTH)), lambda last, growth: min(last * growth, LONGEST_S))
        due = self._began + next(intervals)
        while not self._ended.wait(TICK_S):
            self._pace.look(self.n)
            if time.monotonic() >= due:
                message(self.line())
                due += next(intervals)

    def line(self) -> str:
        """The present state: "measured: 30 of 120 windows (25 %), about 2 min left"."""
        elapsed_s = time.monotonic() - self._began
        counted = f"{self.n:,}{f' of {self.total:,}' if self.total else ''}"
        if self.unit:
            counted += f" {self.unit if (self.total or self.n) == 1 else self.unit + 's'}"
        if self.total:
            counted += f" ({100 * self.n / self.total:.0f} %)"
        left_s = self._pace.seconds_left(self.n, self.total) if self.total else None
        waits = _compiler()
        if waits:
            begun = self.total and self.n > self._initial
            counted = f"{f'{counted}, {waits}' if begun else waits}, {elapsed_s:.0f} s so far"
        else:
            counted += f", {elapsed_s:.0f} s so far" if left_s is None else f", {about(left_s)} left"
        return "; ".join(filter(None, [f"{self.desc}: {counted}" if self.desc else counted, self._postfix]))
