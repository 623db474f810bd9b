"""What shows progress: a callable that wraps an iterable, as `tqdm.tqdm` does."""

from __future__ import annotations

from collections.abc import Iterable


def quiet(iterable: Iterable, desc: str = "", total: int | None = None, **_) -> Iterable:
    """Shows nothing."""
    return iterable


def bars(iterable: Iterable, **options) -> Iterable:
    """A bar on standard error, off when that is not a terminal."""
    from tqdm import tqdm

    return tqdm(iterable, disable=None, dynamic_ncols=True, **options)
