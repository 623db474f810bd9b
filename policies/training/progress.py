"""What shows progress: a callable that wraps an iterable, as `tqdm.tqdm` does."""

from __future__ import annotations

import sys
from collections.abc import Iterable


def quiet(iterable: Iterable, desc: str = "", total: int | None = None, **_) -> Iterable:
    """Shows nothing."""
    return iterable


def bars(iterable: Iterable, **options) -> Iterable:
    """A bar on standard error; where that is not a terminal, one line when it begins."""
    from tqdm import tqdm

    if not sys.stderr.isatty() and options.get("desc"):
        total = options.get("total")
        print(f"{options['desc']}{f': {total:,}' if total else ''}", file=sys.stderr, flush=True)
    return tqdm(iterable, disable=None, dynamic_ncols=True, **options)
