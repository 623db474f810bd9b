"""Engines and queues of the native module are listed as they registered themselves, and engines are opened by name."""

import os

import pytest

from pmtwin.middleware import binding, stores
from pmtwin.sim.errors import InputError, MissingDependencyError

SHM = "/dev/shm"


@pytest.fixture(autouse=True)
def _built(native):
    pass


def test_every_engine_says_what_it_is_and_what_it_takes():
    engines = stores.engines()
    assert {"map", "null"} <= set(engines)
    assert [engines[name].keeps for name in ("null", "map")] == ["nothing", "in memory"]
    for name, engine in engines.items():
        assert engine.name == name
        assert engine.keeps in stores.KEEPS
        assert all(text and "\n" not in text for text in (engine.description, *(o.description for o in engine.options)))
        assert {option.kind for option in engine.options} <= {"text", "number"}
        assert engine.takes("path") == (engine.keeps == "in a file")


def test_queues_are_those_that_a_middleware_accepts(native):
    assert {"handoff", "mutex"} <= set(stores.queues())
    for name, description in stores.queues().items():
        assert description
        native.Middleware(queue=name)


def test_an_engine_is_opened_with_its_options(tmp_path):
    assert stores.open_store("map").describe().startswith("map")
    if "pmemkv" not in stores.engines() or not os.path.ismount(SHM):
        pytest.skip("no pmemkv, or no folder in main memory")
    file = os.path.join(SHM, f"pmtwin-test-{os.getpid()}")
    try:
        assert file in stores.open_store("pmemkv", path=file, pool_bytes=16 << 20).describe()
        assert os.path.getsize(file) == 16 << 20
    finally:
        os.unlink(file)


@pytest.mark.parametrize(
    ("engine", "options", "field", "allowed"),
    [
        ("nope", {}, "engine", "map, null"),
        ("map", {"path": "x"}, "path", "options of engine map: none"),
        ("map", {"path": True}, "path", "text, or a whole number"),
        ("map", {"path": -1}, "path", "text, or a whole number"),
        ("map", {"path": None}, "path", "text, or a whole number"),
    ],
)
def test_what_an_engine_does_not_take_is_refused(engine, options, field, allowed):
    with pytest.raises(InputError, match=allowed) as error:
        stores.open_store(engine, **options)
    assert error.value.field == field


def test_a_module_of_older_sources_is_not_used(native, monkeypatch):
    monkeypatch.setattr(binding, "LATEST", "NotThereYet")
    binding.load.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"was built from older sources: .*make build"):
        binding.load()
    assert stores.built_engines() == {}
    stores.remove_abandoned(SHM)
