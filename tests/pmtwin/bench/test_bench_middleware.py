"""`pmtwin bench middleware` and `durability`: what the native programs measure, summed up."""

import json

import pytest

from pmtwin.bench import Request, durability, middleware
from pmtwin.cli import main
from pmtwin.native_programs import program
from sim.errors import CheckFailedError, InputError, MissingDependencyError

REQUEST = Request("/dev/shm", 1, 0.5)


def _sample(requests, cpu_s):
    return {"requests": requests, "wall_s": 0.5, "cpu_s": cpu_s, "p50_us": 1.0, "p99_us": 2.0, "mean_us": 1.5}


def _case(access, *cpu_s, workers=5):
    samples = [_sample(1000, cpu) for cpu in cpu_s]
    return {
        "group": "hand-off", "engine": "map", "access": access, "workers": workers, "clients": 200, "samples": samples,
    }  # fmt: skip


def test_the_cost_is_over_the_raw_calls_of_the_same_round(monkeypatch):
    cases = [_case("raw", 0.001, 0.003, 0.002, workers=0), _case("handoff", 0.006, 0.009, 0.008)]
    monkeypatch.setattr(middleware, "run_program", lambda *_: {"cases": cases})
    result = middleware.measure(Request("/dev/shm", 3, 0.5))
    assert result["handoff"]["over_raw_cpu_us"] == {"median": 6.0, "min": 5.0, "max": 6.0}
    assert result["handoff"]["cpu_us"] == {"median": 8.0, "min": 6.0, "max": 9.0}
    assert result["handoff"]["ops_per_s"] == 2000
    assert "over_raw_cpu_us" not in result["cases"][0]


@pytest.mark.parametrize("bad", ["lost", "torn", "unusable", "leftovers"])
def test_what_a_kill_destroyed_fails_the_command(monkeypatch, bad):
    found = {"under_load": {"lost": 0, "torn": 0}, "during_creation": {"unusable": 0, "leftovers": 0}}
    monkeypatch.setattr(durability, "run_program", lambda *_: found)
    assert durability.measure(REQUEST).items() >= found.items()
    next(part for part in found.values() if bad in part)[bad] = 2
    with pytest.raises(CheckFailedError, match=f"2 {bad}"):
        durability.measure(REQUEST)


@pytest.fixture
def _programs():
    try:
        for name in ("pmtwin-middleware-bench", "pmtwin-middleware-durability"):
            program(name)
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("_programs")
def test_a_run_of_the_program_has_every_queue_beside_raw_calls():
    result = middleware.measure(Request("/dev/shm", 1, 0.01), "round trip")
    assert {"raw", "handoff", "mutex"} <= {case["access"] for case in result["cases"]}
    # a case of 10 ms may see no request answered where others have the processors; not all of them
    assert any(case["ops_per_s"] > 0 for case in result["cases"])


@pytest.mark.usefixtures("_programs")
def test_kills_lose_nothing(capsys):
    main(["bench", "durability", "--repeats", "2", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["under_load"]["rounds"] == report["during_creation"]["rounds"] == 2
    assert report["under_load"]["acknowledged_puts"] > 0


@pytest.mark.usefixtures("_programs")
def test_a_folder_that_is_none_is_refused():
    with pytest.raises(InputError, match="/absent"):
        durability.measure(Request("/absent", 1, 0.5))
