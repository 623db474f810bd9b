"""Calls of Python's that wait for a store which does not answer: they have an end, and a signal ends them."""

import signal
import threading
from contextlib import contextmanager

import pytest

LONG_S = 600.0


class SignalledError(Exception):
    pass


@contextmanager
def alarms():
    """A signal soon, whose handler raises what must come out of the call."""

    def raise_it(number, frame):
        raise SignalledError

    before = signal.signal(signal.SIGALRM, raise_it)
    try:
        with pytest.raises(SignalledError):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def stuck(native, door):
    """Both workers of the interactive class are in the store."""
    middleware = native.Middleware(window_s=0.0)
    middleware.start(door.store(), 2, 1)
    answers = [middleware.submit_put("key", b"value", native.Mode.interactive) for _ in range(2)]
    door.wait_for(2)
    yield middleware, answers
    door.open()
    assert middleware.stop(LONG_S).complete


def test_a_resize_has_an_end_and_holds_all_the_same(stuck):
    middleware, _ = stuck
    assert middleware.resize(1, 1, timeout_s=0.0) is False
    assert middleware.get_state()[:2] == (1, 1)
    assert middleware.perform_action(0, timeout_s=0.0) == tuple(middleware.get_state()[:2])


def test_a_signal_ends_a_resize_an_action_and_the_wait_for_an_answer(stuck):
    middleware, answers = stuck
    with alarms():
        middleware.resize(1, 1)
    assert middleware.get_state()[:2] == (1, 1)
    with alarms():
        middleware.perform_action(4)
    with alarms():
        answers[0].result()


def test_a_stop_has_an_end_tells_what_is_left_and_goes_on_later(native, door, stuck):
    middleware, answers = stuck
    behind = middleware.submit_get("other", native.Mode.interactive)
    stopped = middleware.stop(timeout_s=0.0)
    assert (stopped.complete, stopped.unanswered) == (False, 2)
    assert "2 requests in the engine: interactive worker" in str(stopped)
    with pytest.raises(native.RequestError, match="does not run"):
        behind.result(LONG_S)
    door.open()
    assert [answer.result(LONG_S) for answer in answers] == [None, None]
    assert str(middleware.stop()) == "complete"


def test_a_signal_ends_a_stop(stuck):
    middleware, _ = stuck
    with alarms():
        middleware.stop()


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_what_is_no_time_is_refused_before_anything_is_done(native, stuck, seconds):
    middleware, answers = stuck
    before = middleware.get_state()[:2]
    for call in (
        lambda: middleware.stop(seconds),
        lambda: middleware.resize(1, 1, seconds),
        lambda: middleware.perform_action(4, seconds),
        lambda: answers[0].result(seconds),
    ):
        with pytest.raises(native.InputError, match=r"timeout_s: .* allowed: 0 or more seconds"):
            call()
    assert middleware.get_state()[:2] == before
    with pytest.raises(native.InputError, match="window_s"):
        native.Middleware(window_s=seconds)


def test_other_threads_of_python_go_on_while_one_waits(stuck, door):
    middleware, answers = stuck
    thread = threading.Thread(target=answers[0].result)
    thread.start()
    assert middleware.resize(1, 1, timeout_s=0.0) is False
    door.open()
    thread.join(LONG_S)
    assert not thread.is_alive()
