"""Pages change places by a score."""

import numpy as np
import pytest

from pmtwin.policies.tiering.exchange import plan_exchange

MANY = 1 << 40


def exchanged(score, gain, device_of, free):
    """The moves as (page, target), in order."""
    moves = np.full(len(score), -1)
    plan_exchange(np.array(score, float), gain, np.array(device_of, np.int8), np.array(free), moves)
    return [divmod(number, len(free)) for number in moves.tolist() if number >= 0]


def test_the_best_pages_take_free_places_first():
    assert exchanged([0, 5, 1, 7], 1.0, [1, 1, 1, 1], [2, MANY]) == [(3, 0), (1, 0)]


def test_a_page_takes_the_place_of_a_worse_one_which_leaves_before():
    assert exchanged([2, 9, 4, 3], 1.0, [0, 1, 1, 0], [0, MANY]) == [(0, 1), (1, 0), (3, 1), (2, 0)]


@pytest.mark.parametrize(("gain", "moves"), [(2.0, 2), (2.1, 0)])
def test_no_page_moves_for_less_than_the_gain(gain, moves):
    assert len(exchanged([3, 5], gain, [0, 1], [0, MANY])) == moves


def test_of_three_devices_each_gets_the_best_that_are_left():
    moves = exchanged([1, 9, 6, 0], 0.5, [0, 2, 2, 1], [0, 0, MANY])
    assert moves == [(0, 2), (1, 0), (3, 2), (2, 1)]


def test_no_device_is_overfull_at_any_time_and_no_page_moves_twice():
    random = np.random.default_rng(7)
    for _ in range(50):
        device_of = random.integers(0, 3, 60)
        free = [int(random.integers(0, 4)), int(random.integers(0, 4)), MANY]
        moves = exchanged(random.exponential(2.0, 60), random.random(), device_of, free)
        assert len({page for page, _ in moves}) == len(moves)
        for page, target in moves:
            free[target] -= 1
            free[device_of[page]] += 1
            assert min(free) >= 0
