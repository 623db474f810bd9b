"""`live`: what a user's file declares, and what it may not."""

import pytest

from pmtwin import live
from pmtwin.scenarios.live_system.scenario_of import columns_of
from pmtwin.scenarios.live_system.ticking import MOST_LOST, Ticking, first_ticks
from pmtwin.sim.errors import InputError, ScenarioError

PARAMETERS = {"cache": (4, [1, 2, 4, 8]), "threads": (2, range(1, 5))}


def declared(collect=lambda: {"served": 1.0}, control=print, parameters=PARAMETERS, objective="served", tick_s=0):
    return live(collect, control, parameters, objective, tick_s, "db")


def test_actions_are_none_then_up_and_down_for_each_parameter():
    system = declared()
    assert system.initial == (4, 2)
    assert system.settings.moves == ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
    assert [system.settings.moved((4, 2), action) for action in range(5)] == [(4, 2), (8, 2), (2, 2), (4, 3), (4, 1)]
    assert system.settings.moved((8, 4), 1) == (8, 4)


def test_the_objective_is_an_indicator_or_a_function_of_them():
    assert declared().level({"served": 3.0}) == 3.0
    assert declared(objective=lambda seen: seen["a"] - seen["b"]).level({"a": 3.0, "b": 1.0}) == 2.0
    with pytest.raises(InputError, match="db: objective: 'served' is not accepted; allowed: one of the indicators: a"):
        declared().level({"a": 1.0})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameters": {"cache": (3, [1, 2, 4])}}, "cache: start: 3 is outside the range; allowed: one of 1 2 4"),
        ({"parameters": {"cache": (9, range(1, 5))}}, "cache: start: 9 is outside the range; allowed: 1 to 4"),
        ({"parameters": {"cache": (1, [2, 1])}}, "values of cache"),
        ({"parameters": {"cache": (1.5, [1, 2])}}, "start: 1.5 is outside the range"),
        ({"parameters": {"cache": 3}}, r"value now, list"),
        ({"parameters": {}}, "parameters"),
        ({"collect": 3}, "db: collect: '3' is not accepted; allowed: a function"),
        ({"objective": 3}, "objective"),
        ({"tick_s": -1}, "tick_s: -1"),
        ({"tick_s": float("nan")}, "tick_s"),
    ],
)
def test_what_is_not_accepted_is_named(changes, message):
    with pytest.raises(InputError, match=message):
        declared(**changes)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "fast", True, None])
def test_an_indicator_that_is_no_finite_number_is_refused(value):
    with pytest.raises(InputError, match=r"db: collect\(\): served: .* is not accepted; allowed: a finite number"):
        declared(collect=lambda: {"served": value}).collected()


@pytest.mark.parametrize("answer", [3.0, {}, "served", {1: 2.0}])
def test_an_answer_that_is_no_mapping_is_refused(answer):
    with pytest.raises(InputError, match=r"db: collect\(\): .*a mapping"):
        declared(collect=lambda: answer).collected()


def test_a_function_that_raises_is_named_with_its_line():
    def control(values):
        raise OSError("no such store")

    with pytest.raises(
        ScenarioError, match=r"scenario db: control failed: OSError: no such store \(.*test_decl.*py:\d"
    ):
        declared(control=control).set((4, 2))


def test_lost_ticks_are_left_out_until_too_many_are_lost():
    answers = iter([None, None, {"served": 1.0}, None, {"served": 2.0}])
    assert first_ticks(declared(collect=lambda: next(answers)), 2) == [{"served": 1.0}, {"served": 2.0}]
    calls = []
    with pytest.raises(InputError, match=f"indicators in at least one of {MOST_LOST} ticks"):
        Ticking(declared(collect=lambda: calls.append(1))).next()
    assert len(calls) == MOST_LOST


def test_a_clock_that_runs_back_is_refused(monkeypatch):
    stamps = iter([100.0, 101.0, 100.5])
    monkeypatch.setattr("time.time", lambda: next(stamps))
    ticking = Ticking(declared())
    ticking.next()
    with pytest.raises(InputError, match=r"clock: '0.500000 s' backwards"):
        ticking.next()


def test_ticks_keep_their_rhythm_and_leave_out_those_that_passed(monkeypatch):
    now, slept = [10.0], []
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(
        "time.sleep", lambda seconds: (slept.append(round(seconds, 6)), now.__setitem__(0, now[0] + seconds))
    )
    ticking = Ticking(declared(tick_s=0.5))
    for work in (0.1, 0.1, 3.0, 0.0):
        ticking.next()
        now[0] += work
    assert slept == [0.5, 0.4, 0.4, 0.5]


def test_bounds_of_indicators_come_from_the_first_ticks():
    samples = [{"served": 100.0, "drift": -2.0, "idle": 0.0}, {"served": 200.0, "drift": 1.0, "idle": 0.0}]
    bounds = {column.name: (column.low, column.high, column.scale) for column in columns_of(declared(), samples)}
    assert bounds == {
        "cache": (1, 8, "linear"),
        "threads": (1, 4, "linear"),
        "served": (12.5, 1600.0, "log"),
        "drift": (-16.0, 16.0, "linear"),
        "idle": (0.0, 8.0, "log"),
    }
