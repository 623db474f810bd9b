"""Progress of long work on standard error: a bar on a terminal; elsewhere lines, the first after ten seconds.

A thread of its own shows either, so that a work whose first item takes minutes is not silent; it also says when the
wait is for the compiler (`pmtwin.sim.compiling.functions`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
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
):
    """A tqdm bar, or `Lines` where standard error is not a terminal: around an iterable, or a context with `update(n)`.

    Args:
        desc: what is done. unit: what is counted, singular.
        initial: items finished before, which count towards `total` and not towards the pace.
        leave: whether the finished bar stays on the terminal.
        expected_s: seconds of the whole work, where something tells them: the time left begins with them.
    """
    if not sys.stderr.isatty():
        return Lines(iterable, desc, total, unit, initial, expected_s)
    from tqdm import tqdm

    class Bar(tqdm):
        """A bar whose time left is `seconds_left`'s."""

        @property
        def format_dict(self):
            facts = super().format_dict
            left_s = expected_s and seconds_left(facts["n"] - initial, total - initial, facts["elapsed"], expected_s)
            return facts | {"rate": (total - facts["n"]) / left_s} if left_s else facts

    shown = {"file": sys.stderr, "dynamic_ncols": True, "delay": DELAY_S, "unit": unit or "it", "leave": leave}
    bar = Bar(iterable, desc=desc or None, total=total, initial=initial, **shown)
    threading.Thread(target=_tick, args=(bar, desc), daemon=True).start()
    return bar


def seconds_left(finished: int, total: int, elapsed_s: float, expected_s: float | None = None) -> float | None:
    """Seconds that the other items take: at the pace so far, or between the expected pace and that one, nearer to it
    the more is finished. The first items may be slower than the others, or faster.

    Args:
        expected_s: of all items.

    Returns:
        None where neither tells it.
    """
    pace_s = elapsed_s / finished if finished else None
    if expected_s is not None and total > 0:
        share = min(finished / total, 1.0)
        pace_s = (1.0 - share) * expected_s / total + share * (pace_s or 0.0)
    return None if pace_s is None else max(total - finished, 0) * pace_s


def _tick(bar, desc: str) -> None:
    """Keep the time of a bar going until it is closed, also where no item finishes."""
    shown_from = time.monotonic() + DELAY_S
    while not bar.disable:
        time.sleep(TICK_S)
        with bar.get_lock():  # a bar that closes waits for it, and is drawn last
            if not bar.disable and time.monotonic() >= shown_from:
                bar.set_description(": ".join(filter(None, (desc, _compiler()))) or None, refresh=False)
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
    ):
        self._expected_s = expected_s
        self.desc, self.total, self.unit, self.n = desc, total, unit, initial
        if total is None and hasattr(iterable, "__len__"):
            self.total = len(iterable)
        self._iterable, self._initial, self._postfix = iterable, initial, ""
        self._began, self._ended = time.monotonic(), threading.Event()

    def __enter__(self) -> Lines:
        self._began = time.monotonic()
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
        for interval in intervals:
            if self._ended.wait(interval):
                return
            message(self.line())

    def line(self) -> str:
        """The present state: "measured: 30 of 120 windows (25 %), about 2 min left"."""
        elapsed_s, finished = time.monotonic() - self._began, self.n - self._initial
        counted = f"{self.n:,}{f' of {self.total:,}' if self.total else ''}"
        if self.unit:
            counted += f" {self.unit if (self.total or self.n) == 1 else self.unit + 's'}"
        if self.total:
            counted += f" ({100 * self.n / self.total:.0f} %)"
        known = self.total and seconds_left(finished, self.total - self._initial, elapsed_s, self._expected_s)
        left_s = known if self.total else None
        waits = "" if self.total and finished else _compiler()
        if left_s is None or waits:
            counted = f"{waits or counted}, {elapsed_s:.0f} s so far"
        else:
            counted += f", {about(left_s)} left"
        return "; ".join(filter(None, [f"{self.desc}: {counted}" if self.desc else counted, self._postfix]))
