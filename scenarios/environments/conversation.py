"""A simulation in a thread of its own that stops at each question until it is answered.

Only one of the two threads runs at a time, so that the same answers give the same run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any


class Conversation:
    """Questions of some work, and the answers to them.

    Args:
        work: function of `ask`, which takes a question and returns its answer; it runs in the other thread.
    """

    def __init__(self, work: Callable[[Callable[[Any], Any]], None]):
        self._questions: SimpleQueue = SimpleQueue()
        self._answers: SimpleQueue = SimpleQueue()
        # the thread knows the two queues and the work, but not this object, whose end would else never come
        arguments = (work, self._questions, self._answers)
        self._thread = threading.Thread(target=_carry_out, args=arguments, daemon=True)
        self._is_over = False

    def begin(self) -> Any:
        """The first question; None: the work has ended without one."""
        self._thread.start()
        return self._next()

    def reply(self, answer: Any) -> Any:
        """Answer the present question; returns the next one, or None after the end of the work.

        Raises:
            BaseException: whatever the work raised.
        """
        self._answers.put((True, answer))
        return self._next()

    def close(self) -> None:
        """End the work where it is."""
        if self._thread.is_alive() and not self._is_over:
            self._is_over = True
            self._answers.put((False, None))
            self._thread.join()

    def __del__(self):
        self.close()

    def _next(self) -> Any:
        question, error = self._questions.get()
        if question is None:
            self._is_over = True
            self._thread.join()
            if error is not None:
                raise error
        return question


class _Ended(BaseException):
    """Nobody answers any more; no error, so that nothing reports it as one."""


def _carry_out(work: Callable, questions: SimpleQueue, answers: SimpleQueue) -> None:
    def ask(question: Any) -> Any:
        questions.put((question, None))
        is_answered, answer = answers.get()
        if not is_answered:
            raise _Ended
        return answer

    try:
        work(ask)
        questions.put((None, None))
    except BaseException as error:
        questions.put((None, error))
