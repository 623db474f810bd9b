"""Check that a policy's answer is a whole number, in compiled code and in plain Python."""

from __future__ import annotations

import operator
from typing import SupportsIndex

from numba.core import types
from numba.core.errors import TypingError
from numba.extending import overload

from pmtwin.sim.compiling import INNER


def whole_number(answer: SupportsIndex) -> int:
    """The answer, unchanged.

    Raises:
        TypeError: the answer is no whole number; in compiled code, numba's `TypingError` when it is compiled.
    """
    return operator.index(answer)


@overload(whole_number, jit_options=INNER, inline="always")
def _by_type(answer):
    if isinstance(answer, types.Integer | types.Boolean):
        return lambda answer: answer
    raise TypingError(f"the answer is of type {answer}, which is no whole number")
