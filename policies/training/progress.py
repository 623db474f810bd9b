"""Progress displays: a callable that wraps an iterable, as `tqdm.tqdm` does."""

from __future__ import annotations

from collections.abc import Iterable


def quiet(iterable: Iterable, desc: str = "", total: int | None = None, initial: int = 0) -> Iterable:
    """Show nothing.

    Args:
        desc: description of the work. total: items in all, with those finished before: `initial`.
    """
    return iterable
