"""`pmtwin bench`: samples taken in turn, an honest summary, and engines that must agree before they are timed."""

import itertools
import json

import pytest

from pmtwin import cli
from pmtwin.bench import engine, timing, vector
from pmtwin.bench.timing import Sample
from pmtwin.commands.bench import TARGETS
from pmtwin.sim.numerics.statistics import spread

EVERY = ", ".join(sorted(TARGETS))


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only by `clock(seconds)`, all of it on the processor."""
    now = [0.0]

    def tick(seconds):
        now[0] += seconds

    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(timing.time, "process_time", lambda: now[0])
    return tick


def test_a_sample_repeats_until_its_time_is_up(clock):
    def work():
        clock(0.3)
        return 6

    assert timing.sample(work, 1.0) == Sample(24, pytest.approx(1.2), pytest.approx(1.2))
    assert timing.sample(work, 0.1).units == 6


def test_contenders_run_in_turn(clock):
    order = []

    def contender(name):
        def work():
            order.append(name)
            clock(1.0)
            return 1

        return work

    steps = itertools.count()
    timing.sample_in_turn({"a": contender("a"), "b": contender("b")}, 3, 1.0, lambda: next(steps))
    assert "".join(order) == "ababab"
    assert next(steps) == 6


def test_rates_and_ratios_are_medians_with_their_spread_in_processor_time():
    fast = [Sample(100, 1.0, 1.0), Sample(400, 2.0, 2.0), Sample(900, 6.0, 3.0)]
    slow = [Sample(10, 1.0, 1.0), Sample(10, 1.0, 1.0), Sample(10, 1.0, 1.0)]
    assert timing.rates(fast) == {
        "median": 200.0,
        "min": 100.0,
        "max": 300.0,
        "wall_clock_median": 150.0,
        "cpu_share_min": 0.5,
    }
    assert spread(timing.quotients(fast, slow)) == {"median": 20.0, "min": 10.0, "max": 30.0}
    assert timing.was_disturbed({"slow": slow}) is False
    assert timing.was_disturbed({"slow": slow, "fast": fast}) is True


def test_the_engines_agree_and_are_both_timed(monkeypatch, capsys):
    monkeypatch.setattr(engine, "SETTINGS", (engine.Setting(1, (2, 2)),))
    monkeypatch.setattr(engine, "WARM_UP_WINDOWS", 1)
    assert cli.main(["bench", "engine", "--repeats", "1", "--seconds", "0.001", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (result,) = report["results"]
    assert report["unit"] == "requests per core and second of processor time"
    assert result["case"] == "phase 1, pools 2,2"
    assert list(result["rates"]) == ["compiled", "simpy", "replicas"]
    assert list(result["ratios"]) == ["compiled/simpy", "compiled/replicas"]
    assert result["ratios"]["compiled/simpy"]["median"] > 1
    assert report["host"]["versions"]["numba"]


def test_engines_that_disagree_are_not_timed(monkeypatch, capsys):
    class Twin:
        def __init__(self, engine):
            self.engine = engine

        def get_stats(self):
            return (self.engine,)

    monkeypatch.setattr(engine, "_warm_middleware", lambda setting, name: Twin(name))
    assert cli.main(["bench", "engine"]) == 1
    assert capsys.readouterr().err.startswith("pmtwin bench: the engines disagree: ")


def test_replicas_that_disagree_are_not_timed(monkeypatch, capsys):
    class Hasty:
        def run_windows(self, middlewares):
            for _ in range(2):
                middlewares[0].run_window()

    monkeypatch.setattr(engine, "Replicas", Hasty)
    monkeypatch.setattr(engine, "SETTINGS", (engine.Setting(1, (2, 2)),))
    assert cli.main(["bench", "engine"]) == 1
    assert capsys.readouterr().err.startswith("pmtwin bench: replicas disagree with one: ")


def test_environments_are_timed_together_and_in_a_loop(monkeypatch, capsys):
    monkeypatch.setattr(vector, "REQUESTS", (20,))
    monkeypatch.setattr(vector, "ENVIRONMENTS", (3, 1))
    monkeypatch.setattr(vector, "usable_processors", lambda: 4)
    arguments = ["bench", "vector", "--repeats", "1", "--seconds", "0.001"]
    assert cli.main([*arguments, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (result,) = report["results"]
    together = ["3 environments, 2 cores", "3 environments, 1 core", "1 environment, 1 core"]
    assert list(result["rates"]) == [*together, "3 single environments in a loop"]
    assert list(result["ratios"]) == list(result["wall_clock_ratios"])
    assert report["unit"] == "windows per core and second of processor time"
    assert cli.main(arguments) == 0
    assert "times by the wall clock" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["engin"],
            f"TARGET: 'engin' is not accepted; allowed: {EVERY} (did you mean 'engine'?)",
        ),
        (["engine", "--repeats", "0"], "--repeats: 0 is not accepted; allowed: 1 to 1000"),
        (["engine", "--seconds", "nan"], "--seconds: nan is not accepted; allowed: 0.001 to 600 s"),
        (["engine", "--seconds", "-1"], "--seconds: -1.0 is not accepted; allowed: 0.001 to 600 s"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(arguments, error, capsys):
    assert cli.main(["bench", *arguments]) == 2
    assert capsys.readouterr().err == f"pmtwin bench: {error}\n"
