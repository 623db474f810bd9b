"""Progress of long work on standard error: a bar on a terminal; elsewhere lines, the first after ten seconds.

A thread of its own shows either, so that a work whose first item takes minutes is not silent; it also says when the
wait is for the compiler (`pmtwin.sim.compiling.functions`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from itertools import accumulate, chain, repeat

from pmtwin.console.output import about, message
from pmtwin.sim.compiling import functions as compiling

DELAY_S = 3.0
"""Work that is shorter shows no bar."""

TICK_S = 1.0
"""From one look at a bar to the next."""

FIRST_S, GROWTH, LONGEST_S = 10.0, 1.5, 120.0
"""Time to the first line; factor from one interval to the next; longest interval."""


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
    """A tqdm bar, or `Lines` where standard error is not a terminal: around an iterable, or a context with `update(n)`.

    Args:
        desc: what is done. unit: what is counted, singular.
        initial: items finished before, which count towards `total` and not towards the pace.
        leave: whether the finished bar stays on the terminal.
        expected_s: seconds of the whole work, where something tells them: the time left begins with them.
        alike: whether items take about as long as one another; else their pace tells no time left.
    """
    if not sys.stderr.isatty():
        return Lines(iterable, desc, total, unit, initial, expected_s, alike)
    from tqdm import tqdm

    class Bar(tqdm):
        """A bar whose time left is `Pace.seconds_left`'s."""

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
    """The time that the other items take, at the pace so far; what was waited for the compiler does not count.

    Args:
        initial: items finished before.
        expected_s: seconds of the whole work, where something tells them: the time left lies between the expected pace
            and that so far, nearer to this one the more is finished: the first items may be slower or faster.
        alike: whether the pace so far tells that of the other items.
    """

    def __init__(self, initial: int, expected_s: float | None = None, alike: bool = True):
        self._alike = alike
        self._initial, self._expected_s = initial, expected_s
        self._restart(initial)

    def _restart(self, finished: int) -> None:
        self._from, self._began = finished, time.monotonic()

    def look(self, finished: int) -> str:
        """Begin anew while something is compiled, every `TICK_S`; returns what is waited for (`_compiler`)."""
        waits = _compiler()
        if waits:
            self._restart(finished)
        return waits

    def seconds_left(self, finished: int, total: int) -> float | None:
        """Seconds of the items that remain; None where nothing tells it."""
        counted = finished - self._from
        pace_s = (time.monotonic() - self._began) / counted if counted > 0 and self._alike else None
        items = total - self._initial
        if self._expected_s is not None and items > 0:
            share = min((finished - self._initial) / items, 1.0) if pace_s is not None else 0.0
            pace_s = (1.0 - share) * self._expected_s / items + share * (pace_s or 0.0)
        return None if pace_s is None else max(total - finished, 0) * pace_s


def _tick(bar, desc: str) -> None:
    """Keep the time of a bar going until it is closed, also where no item finishes."""
    shown_from = time.monotonic() + DELAY_S
    while not bar.disable:
        time.sleep(TICK_S)
        with bar.get_lock():  # a bar that closes waits for it, and is drawn last
            waits = bar.pace.look(bar.n)
            if not bar.disable and time.monotonic() >= shown_from:
                bar.set_description(": ".join(filter(None, (desc, waits))) or None, refresh=False)
                bar.display()


def _compiler() -> str:
    """What a wait for the compiler is called; empty where there is none."""
    return compiling.WAIT if compiling.is_compiling() else ""


class Lines:
    """How far a work is and how long it still takes, in lines at growing intervals; the arguments are `progress`'s."""

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
        """Set what the end of each line adds."""
        self._postfix = text

    def close(self) -> None:
        """Write no more lines."""
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
