"""An answer that is a number of something: a whole one, in compiled code and in plain Python."""

from __future__ import annotations

import operator

from numba.core import types
from numba.core.errors import TypingError
from numba.extending import overload


def whole_number(answer):
    """The answer as it is.

    Raises:
        TypeError: it is no whole number; in compiled code, where its type is known, numba's `TypingError`.
    """
    return operator.index(answer)


@overload(whole_number, inline="always")
def _by_type(answer):
    if isinstance(answer, types.Integer | types.Boolean):
        return lambda answer: answer
    raise TypingError(f"the answer is of type {answer}, which is no whole number")
