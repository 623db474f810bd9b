"""Replay of ticks: which timestamps can be drawn, and what a drawn transition holds."""

import numpy as np
import pytest

from pmtwin.policies.online.ticks import NO_ACTION, TickReplay
from pmtwin.sim.errors import InputError


def replay(seen=3, missing=0.2, capacity=10**6):
    return TickReplay(2, seen, 0.9, missing, lambda now, later: later - now, capacity)


def filled(ticks, count, missing=None, actions=None, levels=None):
    """Tick k has the cells (k, -k), the level k^2 and the action k % 5."""
    for k in range(count):
        level = float(k * k) if levels is None else levels.get(k, float(k * k))
        ticks.add_tick(np.array([k, -k], np.float32), (missing or {}).get(k, 0.0), level)
        ticks.note_action((actions or {}).get(k, k % 5))
    return ticks


def drawn(ticks, count=400):
    """The timestamps that come up, by the newest cell of their observations."""
    return set(ticks.sample(np.random.default_rng(1), count)["state"][:, 0].astype(int).tolist())


def test_a_transition_has_two_observations_newest_first_an_action_and_the_reward_between():
    rows = filled(replay(), 6).sample(np.random.default_rng(0), 50)
    for row in rows:
        k = int(row["state"][0])
        assert row["state"].tolist() == [k, -k, k - 1, 1 - k, k - 2, 2 - k]
        assert row["after"].tolist() == [k + 1, -k - 1, k, -k, k - 1, 1 - k]
        assert (row["action"], row["reward"]) == (k % 5, (k + 1) ** 2 - k**2)
        assert row["discount"] == np.float32(0.9)


def test_only_timestamps_with_enough_ticks_around_them_are_drawn():
    assert drawn(filled(replay(), 8)) == {2, 3, 4, 5, 6}
    assert drawn(filled(replay(), 8, actions={3: NO_ACTION})) == {2, 4, 5, 6}
    assert drawn(filled(replay(), 8, levels={4: np.nan})) == {2, 5, 6}, "the level at 4 is that before or after"
    with pytest.raises(InputError, match="no usable tick"):
        filled(replay(), 3).sample(np.random.default_rng(0), 1)


def test_a_fifth_of_missing_cells_is_tolerated_in_both_observations_and_more_is_not():
    assert drawn(filled(replay(seen=5), 9, missing={4: 1.0})) == {4, 5, 6, 7}, "one of five ticks"
    assert drawn(filled(replay(seen=5), 12, missing={4: 1.0, 5: 0.1})) == {9, 10}, "from 4 on, and in s' at 4"


@pytest.mark.parametrize("seen", [1, 3])
def test_when_the_room_is_used_up_the_oldest_ticks_are_never_drawn(seen):
    ticks = filled(replay(seen=seen, capacity=10), 37)
    kept = set(range(27 + seen - 1, 36))
    assert drawn(ticks) == kept
    assert ticks.usable == len(kept) and len(ticks) == 10


def test_room_grows_without_a_change_of_what_is_drawn(monkeypatch):
    monkeypatch.setattr("pmtwin.policies.online.ticks.FIRST_ROOM", 4)
    grown = filled(replay(), 50)
    monkeypatch.undo()
    for ticks in (grown, filled(replay(), 50)):
        rows = ticks.sample(np.random.default_rng(3), 64)
        assert drawn(ticks) == set(range(2, 49)) and ticks.usable == 47
    assert np.array_equal(grown.sample(np.random.default_rng(3), 64), rows)


def test_the_observation_now_repeats_the_oldest_tick_where_there_are_too_few():
    ticks = filled(replay(), 2)
    assert ticks.state_now().tolist() == [1, -1, 0, 0, 0, 0]
    assert filled(replay(capacity=10), 25).state_now().tolist() == [24, -24, 23, -23, 22, -22]
