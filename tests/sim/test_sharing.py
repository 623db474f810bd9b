"""Requests that share a server and leave it before their end."""

import pytest

from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
from pmtwin.sim.stations.sharing import Sharing


class Equal(Sharing):
    """All requests together progress at speed 1."""

    def row(self) -> tuple[float, float]:
        present = len(self._present[0])
        return (1.0 / present, float(present)) if present else (0.0, 0.0)


@pytest.fixture
def shared():
    return Equal(AbsoluteEnvironment(), 1, 2)


def test_who_leaves_keeps_the_work_that_is_left(shared):
    env, ends = shared._env, []
    leaver, stayer = shared.join(0, 10.0), shared.join(0, 6.0)
    for request in (leaver, stayer):
        request.callbacks.append(lambda event: ends.append((event is stayer, env.now)))
    env.run_to(4.0)
    assert shared.leave(0, leaver) == pytest.approx(8.0)
    env.run_to(100.0)
    assert ends == [(True, 8.0)]  # 2 done in 4, the other 4 alone


def test_what_was_left_is_done_later(shared):
    env = shared._env
    request = shared.join(0, 10.0)
    env.run_to(3.0)
    left = shared.leave(0, request)
    env.run_to(50.0)
    again = shared.join(0, left)
    env.run_to(57.0)
    assert again.processed
    assert env.now == 57.0
