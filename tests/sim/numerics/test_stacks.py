"""One of several states that are stacked is the state itself, in Python and in compiled code, whatever its form."""

from typing import NamedTuple

import numpy as np
import pytest

from pmtwin.sim.compiling import njit
from pmtwin.sim.numerics.stacks import one_of, stacked


class Inner(NamedTuple):
    a: np.ndarray


class Outer(NamedTuple):
    parts: tuple
    b: np.ndarray


def state(number: int) -> Outer:
    return Outer((Inner(np.arange(3) + 10 * number), Inner(np.arange(2))), np.full((2, 2), float(number)))


@njit(_nrt=False)
def changed(stack, number):
    outer = one_of(stack, number)
    outer.b[1, 1] += outer.parts[0].a[2]


@pytest.mark.parametrize("call", [changed, changed.py_func])
def test_what_is_done_to_one_is_done_to_it_alone_and_in_the_stack(call):
    stack = stacked([state(number) for number in range(4)])
    call(stack, 2)
    expected = [float(number) if number != 2 else 2.0 + 22.0 for number in range(4)]
    assert stack.b[:, 1, 1].tolist() == expected
    assert one_of(stack, 2).b[1, 1] == 24.0
    assert isinstance(one_of(stack, 1).parts[0], Inner)
