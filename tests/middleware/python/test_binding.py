"""The middleware from Python: Table 3.1 of the thesis, what is refused, and threads that do not hold each other up."""

import threading

import pytest

from pmtwin.middleware import binding
from pmtwin.sim.errors import MissingDependencyError


@pytest.fixture
def database(native):
    middleware = native.Middleware(window_s=0.0)
    middleware.start(native.open_store("map"), interactive_threads=2, batch_threads=3)
    yield middleware
    middleware.stop()


def test_a_value_comes_back_through_either_queue(native, database):
    database.put("key", b"\x00\xffvalue", native.Mode.interactive)
    assert database.get("key", native.Mode.batch) == b"\x00\xffvalue"
    assert database.get("absent", native.Mode.interactive) is None
    assert database.remove("key", native.Mode.batch) is True
    assert database.remove("key", native.Mode.batch) is False


def test_actions_move_the_pools_within_their_bounds(native, database):
    assert database.perform_action(5) == (3, 4)
    assert database.get_state()[:2] == (3, 4)
    database.resize(1, 32)
    assert database.perform_action(7) == (1, 32)
    for action in (-1, 9):
        with pytest.raises(native.InputError, match="action"):
            database.perform_action(action)
    with pytest.raises(native.InputError, match="interactive_threads"):
        database.resize(0, 4)


def test_statistics_have_the_names_of_the_twins(native, database):
    from pmtwin import WindowStats

    assert set(WindowStats._fields) - set(database.get_stats()) == {"extrapolated"}


def test_many_threads_of_python_call_at_once(native, database):
    def client(number):
        for k in range(50):
            database.put(f"{number}:{k}", b"x" * number, native.Mode(number % 2))
            assert database.get(f"{number}:{k}", native.Mode(number % 2)) == b"x" * number

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)


def test_where_it_is_not_built_the_error_says_what_builds_it(monkeypatch, tmp_path):
    monkeypatch.setattr(binding, "FOLDER", tmp_path)
    binding.load.cache_clear()
    try:
        with pytest.raises(MissingDependencyError, match="make build"):
            binding.load()
    finally:
        binding.load.cache_clear()


def test_a_file_that_is_no_module_is_said_to_be_none(monkeypatch, tmp_path):
    import importlib.machinery

    (tmp_path / f"{binding.NAME}{importlib.machinery.EXTENSION_SUFFIXES[0]}").write_text("not a library")
    monkeypatch.setattr(binding, "FOLDER", tmp_path)
    binding.load.cache_clear()
    try:
        with pytest.raises(MissingDependencyError, match="does not load"):
            binding.load()
    finally:
        binding.load.cache_clear()
