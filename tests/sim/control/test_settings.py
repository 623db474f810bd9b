"""Settings whose numbers have stated values: ranges with steps, logarithmic ranges, lists."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.control import NO_SETTINGS, Settings, logarithmic
from pmtwin.sim.errors import InputError

STATED = Settings.of(
    "parameters",
    {"window": logarithmic(1, 256, 9), "rate": range(100, 1001, 100), "level": [1, 3, 7], "threads": range(5)},
    moves=((1, 0, 0, 0), (0, -1, 0, 0), (0, 0, 1, 1)),
)
PLAIN = Settings("pools", ("interactive", "batch"), (1, 0), (32, 9), moves=((-1, 1), (0, 0)))


def test_a_logarithmic_range_has_equal_ratios_and_each_whole_number_once():
    assert logarithmic(1, 256, 9) == (1, 2, 4, 8, 16, 32, 64, 128, 256)
    assert logarithmic(1, 8, 20) == tuple(range(1, 9))
    for low, high, count in ((0, 8, 3), (8, 8, 3), (1, 8, 1)):
        with pytest.raises(InputError, match="logarithmic"):
            logarithmic(low, high, count)


def test_a_policy_sees_the_values_themselves():
    assert STATED.low == (1, 100, 1, 0) and STATED.high == (256, 1000, 7, 4)
    assert len(STATED) == 9 * 10 * 3 * 5 == len(set(STATED.all()))
    assert all(STATED.contains(setting) for setting in STATED.all())
    assert STATED.parse("--parameters", "64,300,7,4") == (64, 300, 7, 4)
    assert STATED.written((64, 300, 7, 4)) == "64,300,7,4"


def test_an_action_leads_to_the_next_value_and_stays_within_the_bounds():
    assert STATED.moved((4, 100, 3, 2), 0) == (8, 100, 3, 2)
    assert STATED.moved((4, 100, 3, 2), 1) == (4, 100, 3, 2)
    assert STATED.moved((4, 100, 3, 2), 2) == (4, 100, 7, 3)
    assert STATED.shifted((256, 100, 1, 0), (1, 0, 0, 0)) is None
    assert STATED.distance((1, 100, 1, 0), (256, 300, 7, 4)) == 8 + 2 + 2 + 4
    assert STATED.way((1, 100, 1, 0), (4, 100, 1, 0)) == [(1, 100, 1, 0), (2, 100, 1, 0), (4, 100, 1, 0)]
    assert STATED.clipped((3, 151, 6, 9)) == (2, 200, 7, 4)


def test_another_value_is_refused_with_the_allowed_ones():
    with pytest.raises(InputError) as error:
        STATED.parse("--parameters", "3,300,7,4")
    said = str(error.value)
    assert "one of 1 2 4 8 16 32 64 128 256, 100 to 1000 in steps of 100, one of 1 3 7, 0 to 4" in said
    assert "3,300,7,4" in said


def test_a_stated_setting_that_contradicts_itself_is_refused_and_agents_may_play_it():
    odd = replace(PLAIN, contradiction=lambda setting: "as many of both" if setting[0] != setting[1] else "")
    assert odd.parse("--pools", "3,3") == (3, 3) and odd.check("pools", (3, 4)) == (3, 4)
    for stated in (lambda: odd.parse("--pools", "3,4"), lambda: odd.stated("--pools", (3, 4))):
        with pytest.raises(InputError, match="--pools: '3,4' is not accepted; allowed: as many of both"):
            stated()
    assert [*odd.all()] == [setting for setting in PLAIN.all() if setting[0] == setting[1]] != []


def test_a_setting_that_repeats_another_is_accepted_and_not_searched():
    twice = replace(PLAIN, repeats=lambda setting: setting[0] > setting[1])
    assert twice.parse("--pools", "4,3") == (4, 3)
    assert [*twice.all()] == [setting for setting in PLAIN.all() if setting[0] <= setting[1]] != []
    assert len(twice) == len(PLAIN)


@pytest.mark.parametrize("values", [[], [3, 1], [1, 1], [0.5, 1.5], ["a"], [True, 2]])
def test_values_that_are_no_rising_whole_numbers_are_refused(values):
    with pytest.raises(InputError, match=r"parameters: values of window: .*choose a smaller unit"):
        Settings.of("parameters", {"window": values})


def test_an_agent_counts_places_of_stated_values_and_the_numbers_of_others():
    assert STATED.widths == [9, 10, 3, 5] and STATED.starts == [0, 0, 0, 0]
    assert STATED.of_agent((3, 2, 1, 4)) == (8, 300, 3, 4)
    assert PLAIN.starts == [1, 0] and PLAIN.of_agent((8, 3)) == (8, 3)
    assert PLAIN.of_agent((8, 3), from_zero=True) == (9, 3)


def test_whole_numbers_without_stated_values_are_as_they_were():
    assert Settings.of("pools", {"interactive": range(1, 33), "batch": range(10)}, moves=PLAIN.moves) == PLAIN
    assert list(PLAIN.all())[:11] == [(1, n) for n in range(10)] + [(2, 0)]
    draws, places = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(100):
        drawn = draws.integers(PLAIN.low, np.add(PLAIN.high, 1)).tolist()
        assert tuple(drawn) == PLAIN.at(places.integers(0, PLAIN.widths).tolist())


def test_there_is_one_setting_where_there_are_none():
    assert not NO_SETTINGS and list(NO_SETTINGS.all()) == [()] and NO_SETTINGS.check("setting", ()) == ()
    with pytest.raises(InputError, match="there are no settings"):
        NO_SETTINGS.check("setting", (3,))


def test_settings_are_sent_to_another_process():
    assert STATED.levels and pickle.loads(pickle.dumps(STATED)) == STATED
