"""The real middleware as a live system, as docs/examples has it: over a map and over pmemkv, where they are built."""

import json
import tempfile
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.middleware import binding, stores

EXAMPLE = Path(__file__).resolve().parents[3] / "docs/examples/middleware_store.py"
SHM = Path("/dev/shm")


@pytest.fixture
def in_memory(monkeypatch):
    """Sets the store of the example, if it can be had."""
    with tempfile.TemporaryDirectory(dir=SHM if SHM.is_mount() else None) as folder:

        def choose(name):
            if binding.path() is None:
                pytest.skip("the native module of the middleware is not built (make build)")
            if name not in stores.engines() or (name == "pmemkv" and not SHM.is_mount()):
                pytest.skip(f"no {name}, or no folder in main memory for it")
            monkeypatch.setenv("PMTWIN_STORE", name)
            if name == "pmemkv":
                monkeypatch.setenv("PMTWIN_STORE_PATH", folder)

        yield choose


@pytest.mark.parametrize(("store", "latency"), [("map", ("--latency", "p99_us")), ("pmemkv", ())])
def test_a_policy_resizes_the_pools_of_the_real_middleware(in_memory, capsys, store, latency):
    in_memory(store)
    tuner = ("--policy", "random-search:windows=1,settle=0,trials=4,again=1")
    words = ("--ticks", "8", "--pairs", "2", "--block-ticks", "1", "--settle-ticks", "0", "--json")
    assert cli.main(["tune", f"{EXAMPLE}:middleware", *tuner, *words, *latency]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["default"] == {"interactive_threads": 15, "batch_threads": 15} and result["ticks"] == 8
    assert all(1 <= threads <= 32 for threads in result["result"].values())
    assert all(level < 10.0 for level in result["objective"]) if latency else min(result["objective"]) > 1e3
