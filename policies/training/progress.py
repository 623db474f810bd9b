"""Progress displays: a callable that wraps an iterable, as `tqdm.tqdm` does."""

from __future__ import annotations

from collections.abc import Iterable


def quiet(iterable: Iterable, desc: str = "", total: int | None = None, initial: int = 0, unit: str = "") -> Iterable:
    """Show nothing.

    Args:
        desc: description of the work.
        total: number of items, including `initial`.
        initial: number of items finished before.
        unit: noun for an item, singular.
    """
    return iterable
