"""`pmtwin bench middleware --ycsb`: YCSB's mixes through the middleware and by raw calls, in one run."""

import json

import pytest

from pmtwin.bench import Request, middleware_ycsb
from pmtwin.cli import main
from pmtwin.machine.native_programs import program
from pmtwin.sim.errors import MissingDependencyError


def _case(access, *samples):
    times = [{"requests": n, "batch": 0, "wall_s": 0.5, "cpu_s": 0.4, "p99_us": p99} for n, p99 in samples]
    place = {"group": "ycsb-b", "engine": "map", "workers": 5, "clients": 200}
    return place | {"access": access, "samples": times}


@pytest.fixture
def program_prints(monkeypatch):
    """Function of cases: what the native program prints from now on; returns the options that it is given."""

    def prints(*cases):
        options = []

        def run(name, directory, given, environment):
            options.extend(given)
            return {"cases": list(cases)}

        monkeypatch.setattr(middleware_ycsb, "run_program", run)
        return options

    return prints


def test_ratios_are_within_a_round_with_their_interval(program_prints, capsys):
    raw = _case("raw", (1000, 10.0), (2000, 20.0), (4000, 10.0))
    options = program_prints(raw, _case("handoff", (500, 20.0), (500, 20.0), (1000, 40.0)))
    result = middleware_ycsb.measure(Request("/dev/shm", 3, 0.5), ["b"])
    assert "--ycsb=b" in options
    (row,) = result["rows"]
    assert (row["mix"], row["store"], row["rounds"]) == ("B", "map", 3)
    assert row["over_raw"]["ops_per_s"] == {"median": 0.25, "low": 0.25, "high": 0.5, "confidence": 0.75}
    assert row["over_raw"]["p99_us"] == {"median": 2.0, "low": 1.0, "high": 4.0, "confidence": 0.75}
    assert (row["raw"]["ops_per_s"]["median"], row["middleware"]["ops_per_s"]["median"]) == (4000.0, 1000.0)
    middleware_ycsb.show(result)
    printed = capsys.readouterr().out
    assert "0.25 (0.25 to 0.50)" in printed and "B: 95 % reads" in printed


def test_a_round_in_which_one_side_answered_nothing_does_not_count(program_prints, capsys):
    raw = _case("raw", (1000, 10.0), (0, 0.0))
    program_prints(raw, _case("handoff", (500, 20.0), (500, 20.0)))
    result = middleware_ycsb.measure(Request("/dev/shm", 2, 0.5), [])
    assert result["ycsb"] == ["A", "B", "C", "D", "F"]
    assert (result["rows"][0]["rounds"], result["rows"][0]["over_raw"]["p99_us"]["median"]) == (1, 2.0)
    program_prints(raw | {"samples": raw["samples"][1:]}, _case("handoff", (500, 20.0)))
    result = middleware_ycsb.measure(Request("/dev/shm", 1, 0.5), [])
    assert result["rows"][0]["over_raw"] == {"ops_per_s": None, "p99_us": None}
    middleware_ycsb.show(result)
    assert " - " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["middleware", "--ycsb", "E"], "--ycsb: 'E' is not accepted; allowed: A, B, C, D, F (E scans"),
        (["middleware", "--ycsb", "A", "x"], "--ycsb: 'x'"),
        (["middleware", "--ycsb", "A", "a"], "each mix once"),
        (["engine", "--ycsb", "A"], "--ycsb belongs to target middleware"),
        (["middleware", "--ycsb", "A", "--path", "/no/such"], "--path"),
    ],
)
def test_bad_input_is_refused(arguments, named, capsys):
    if "--path" in arguments:
        _needs_program()
    assert main(["bench", *arguments]) == 2
    said = capsys.readouterr()
    assert named in said.err and said.out == ""


def _needs_program():
    try:
        program("pmtwin-middleware-bench")
    except MissingDependencyError as error:
        pytest.skip(str(error))


def test_the_native_program_serves_every_mix(capsys):
    _needs_program()
    assert main(["bench", "middleware", "--ycsb", "--repeats", "1", "--seconds", "0.02", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["mix"] for row in result["rows"]} == {*"ABCDF"}
    assert {row["store"] for row in result["rows"]} >= {"map"}
    for row in result["rows"]:
        assert (row["workers"], row["clients"]) == (5, 200)
