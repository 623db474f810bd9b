"""What shows progress: a callable that wraps an iterable, as `tqdm.tqdm` does."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

LINE_PERIOD_S = 30.0
"""Least time between two lines where standard error is not a terminal."""


def quiet(iterable: Iterable, desc: str = "", total: int | None = None, **_) -> Iterable:
    """Shows nothing."""
    return iterable


def bars(iterable: Iterable, **options) -> Iterable:
    """A bar on standard error; where that is not a terminal, `lines`."""
    if not sys.stderr.isatty():
        return lines(iterable, **options)
    from tqdm import tqdm

    return tqdm(iterable, dynamic_ncols=True, **options)


def lines(iterable: Iterable, desc: str = "", total: int | None = None, initial: int = 0, **_) -> Iterator:
    """A line on standard error when it begins, and one with the time left every `LINE_PERIOD_S` seconds.

    Args:
        initial: items finished before, which count towards `total` and not towards the pace.
    """
    if desc:
        _line(f"{desc}{f': {total:,}' if total else ''}")
    began = shown = time.monotonic()
    for count, item in enumerate(iterable):
        now = time.monotonic()
        if desc and count and now - shown >= LINE_PERIOD_S:
            shown = now
            left_s = (total - initial - count) * (now - began) / count if total else None
            share = f" of {total:,}, {_clock(left_s)} left" if total else ""
            _line(f"{desc}: {initial + count:,}{share}")
        yield item


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
