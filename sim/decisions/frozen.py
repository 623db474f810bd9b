"""Learning that is frozen: after each event a policy has again what it had learned before, whatever the event did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pmtwin.sim.compiling import njit


def nothing(*told):
    """The function of an event that a policy leaves out, or is not told."""
    return


def frozen_arrays(arrays: tuple[np.ndarray, ...], learned: Sequence[int]) -> tuple:
    """(the arrays, copies of those that are learned): what the functions of `frozen_functions` take."""
    return arrays, tuple(arrays[place].copy() for place in learned)


def frozen_functions(functions: Mapping[str, Callable], learned: Sequence[int], count: int) -> dict[str, Callable]:
    """Event -> a function that calls the policy's, and then restores what is learned.

    Args:
        learned: places among the arrays. count: of the arrays.
    """
    restore = njit(_as_it_is)
    for number, place in enumerate(learned):
        restore = _then(restore, place % count, number)
    return {event: _frozen(function, restore) for event, function in functions.items()}


def freeze(run: Any, events: Sequence[str], learned: Sequence[str]) -> None:
    """Let the methods of a plain policy restore the arrays that are learned; learned: names of attributes."""
    kept = {name: (getattr(run, name), getattr(run, name).copy()) for name in learned}

    def frozen(method: Callable) -> Callable:
        def called(*told):
            answer = method(*told)
            for name, (array, before) in kept.items():
                array[...] = before  # in place: other names of the policy may mean the same array
                setattr(run, name, array)
            return answer

        return called

    for event in events:
        if hasattr(run, event):
            setattr(run, event, frozen(getattr(run, event)))


def _frozen(function: Callable, restore: Callable) -> Callable:
    compiled = njit(function, _nrt=True, boundscheck=True)

    def frozen(arrays, *told):
        answer = compiled(arrays[0], *told)
        restore(arrays[0], arrays[1])
        return answer

    return frozen


def _then(before: Callable, place: int, number: int) -> Callable:
    """What restores one array more."""

    def restore(declared, kept):
        before(declared, kept)
        declared[place][...] = kept[number]

    return njit(restore)


def _as_it_is(declared, kept):
    return
