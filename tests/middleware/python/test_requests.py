"""Requests from Python: answers that are waited for later, and what an error says."""

import pytest

LONG_S = 600.0


@pytest.fixture
def database(native):
    middleware = native.Middleware(window_s=0.0)
    middleware.start(native.open_store("map"), 2, 2)
    yield middleware
    middleware.stop()


@pytest.mark.parametrize("direct", [False, True])
def test_answers_come_later_and_are_those_of_the_calls_that_wait(native, direct):
    middleware = native.Middleware(window_s=0.0, direct=direct)
    middleware.start(native.open_store("map"), 1, 1)
    mode = native.Mode.interactive  # one worker: in turn
    large = b"\x00\xff" * 50_000
    put = middleware.submit_put("key", large, mode)
    get = middleware.submit_get("key", mode)
    absent = middleware.submit_get("absent", mode)
    removals = [middleware.submit_remove("key", mode) for _ in range(2)]
    assert put.result() is None
    assert get.result(LONG_S) == large
    assert get.result() == large  # as often as one likes
    assert absent.result() is None
    assert [removal.result() for removal in removals] == [True, False]
    assert all(answer.done() for answer in (put, get, absent, *removals))
    middleware.stop()


def test_an_answer_that_is_not_there_in_time_may_come_later(native, door):
    middleware = native.Middleware(window_s=0.0)
    middleware.start(door.store(), 1, 1)
    first = middleware.submit_put("key", b"value", native.Mode.batch)
    door.wait_for(1)
    waiting = [middleware.submit_get("key", native.Mode.batch) for _ in range(3)]
    assert middleware.queue_lengths() == [0, 3]
    assert not first.done()
    with pytest.raises(TimeoutError, match="may still be"):
        first.result(timeout_s=0.0)
    door.open()
    assert first.result(LONG_S) is None
    assert [answer.result(LONG_S) for answer in waiting] == [b""] * 3
    middleware.stop()


def test_an_answer_that_nobody_waits_for_is_given_all_the_same(native, door):
    middleware = native.Middleware(window_s=0.0)
    middleware.start(door.store(), 1, 1)
    middleware.submit_put("key", b"value", native.Mode.batch)  # and dropped here
    door.open()
    assert middleware.stop(LONG_S).complete
    assert middleware.get_stats()["completed"] == 1


def test_a_window_ends_when_it_is_told_to(native, database):
    for k in range(5):
        database.put(f"{k}", b"value", native.Mode.batch)
    assert database.close_window()["completed"] == 5
    assert database.close_window()["completed"] == 0


def test_an_error_names_the_request_and_what_is_allowed(native, database):
    mode = native.Mode.batch
    for refused in (
        lambda: database.put("", b"four", mode),
        lambda: database.submit_put("", b"four", mode).result(),
    ):
        with pytest.raises(native.RequestError) as error:
            refused()
        assert str(error.value) == (
            "put of key b'' with a value of 4 bytes: a key of 0 bytes is refused; allowed: 1 to 65536 bytes"
        )
        assert (error.value.status, error.value.key) == ("refused", b"")
        assert isinstance(error.value, RuntimeError)


def test_an_error_after_the_stop_says_so_and_shows_no_more_than_the_beginning_of_a_key(native, database):
    database.stop()
    key = "k" * 1000
    with pytest.raises(native.RequestError, match=r"get of key b'k{60}'\.\.\.: the middleware does not run") as error:
        database.get(key, native.Mode.batch)
    assert (error.value.status, error.value.key) == ("stopped", key.encode())


def test_a_replay_takes_no_fewer_clients_than_none(native):
    replayed = native.Replayed(native.open_store("map"), "", 10, (2, 2), 0)
    with pytest.raises(native.InputError, match="clients: '-5' is not accepted; allowed: 0 or more"):
        replayed.set_class(native.Mode.batch, -5, True)
    with pytest.raises(native.InputError, match="direct_accesses: '-1'"):
        native.Replayed(native.open_store("map"), "", 10, (2, 2), -1)
