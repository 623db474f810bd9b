"""Policies whose learning is frozen: what a policy has learned is restored after each event, whatever the event did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pmtwin.sim.compiling import njit


def nothing(*arguments):
    """In place of an event's function: the policy has none, or does not get the event."""
    return


def frozen_arrays(arrays: tuple[np.ndarray, ...], learned: Sequence[int]) -> tuple:
    """(arrays, copies of the learned ones), as the functions of `frozen_functions` take them.

    Args:
        learned: places of the learned arrays among `arrays`.
    """
    return arrays, tuple(arrays[place].copy() for place in learned)


def frozen_functions(functions: Mapping[str, Callable], learned: Sequence[int], count: int) -> dict[str, Callable]:
    """Event -> function that calls the policy's function and then restores the learned arrays.

    Args:
        functions: event -> the policy's function, over its arrays.
        learned: places of the learned arrays; negative ones count from the end. count: number of arrays.
    """
    restore = njit(_restore_none, inner=True)
    for number, place in enumerate(learned):
        restore = _then(restore, place % count, number)
    return {event: _frozen(function, restore) for event, function in functions.items()}


def freeze(run: Any, events: Sequence[str], learned: Sequence[str]) -> None:
    """Make the methods of a policy in plain Python restore its learned arrays.

    Args:
        run: the policy. events: names of its methods. learned: names of the attributes that hold the arrays.
    """
    saved = {name: (getattr(run, name), getattr(run, name).copy()) for name in learned}

    def frozen(method: Callable) -> Callable:
        def frozen_method(*arguments):
            answer = method(*arguments)
            for name, (array, values) in saved.items():
                array[...] = values  # in place: another attribute may be the same array
                setattr(run, name, array)
            return answer

        return frozen_method

    for event in events:
        if hasattr(run, event):
            setattr(run, event, frozen(getattr(run, event)))


def _frozen(function: Callable, restore: Callable) -> Callable:
    compiled = njit(function, inner=True, _nrt=True, boundscheck=True)

    def frozen(arrays, *arguments):
        answer = compiled(arrays[0], *arguments)
        restore(arrays[0], arrays[1])
        return answer

    return frozen


def _then(earlier: Callable, place: int, number: int) -> Callable:
    """A function that calls `earlier`, which restores other arrays, and then restores one more."""

    def restore(declared, saved):
        earlier(declared, saved)
        declared[place][...] = saved[number]

    return njit(restore, inner=True)


def _restore_none(declared, saved):
    return
