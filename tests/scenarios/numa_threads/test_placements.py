"""Settings as logical cores of threads."""

from itertools import product

import pytest

from pmtwin.scenarios.numa_threads.placements import SETTINGS, cores_of_threads
from pmtwin.sim.numa.machine import Machine

MACHINE = Machine(cores=2, nodes=2)  # cores 0 to 3 and 4 to 7; 0 and 2 are siblings


@pytest.mark.parametrize(
    ("setting", "threads", "cores"),
    [
        ((3, 2, 4), 5, [0, 1, 0, 4, 5]),
        ((6, 2, 0), 3, [0, 1, 0]),
        ((0, 2, 0), 3, [0, 1, 0]),  # nowhere else to go
        ((2, 0, 36), 5, [4, 5, 6, 7, 4]),
        ((6, 1, 4), 4, [0, 0, 0, 0]),
        ((6, 0, 0), 4, None),
    ],
)
def test_threads_share_the_cores_of_their_side_evenly(setting, threads, cores):
    assert cores_of_threads(MACHINE, 0, setting, threads) == cores


def test_near_is_where_the_data_are_and_far_cores_are_of_all_other_nodes_in_turn():
    machine = Machine(cores=2, nodes=3)
    assert cores_of_threads(machine, 1, (1, 1, 4), 5) == [4, 0, 8, 1, 9]


def test_on_one_node_there_is_no_far_side():
    machine = Machine(cores=2, nodes=1)
    assert cores_of_threads(machine, 0, (0, 0, 4), 5) is None
    assert cores_of_threads(machine, 0, (1, 2, 4), 3) == [0, 1, 0]


def test_the_settings_reach_all_cores_and_threads_of_the_papers_machine():
    machine = Machine()
    assert SETTINGS.high == (72, machine.node_cores, machine.node_cores)
    assert all(SETTINGS.contains(each) for each in [(0, 0, 0), (48, 36, 0), (24, 12, 12)])


def test_searches_try_each_placement_near_the_data_in_one_way_of_stating_it():
    tried = list(SETTINGS.all())
    near = [setting for setting in tried if setting[1] > 0 and setting[2] == 0]
    assert near == [(72, cores, 0) for cores in SETTINGS.levels[1][1:]]
    machine = Machine()
    for threads in (24, 48, 72):
        placed = {tuple(cores_of_threads(machine, 0, setting, threads) or ()) for setting in tried}
        stated = [setting for setting in product(*SETTINGS.levels) if not SETTINGS.contradiction(setting)]
        assert placed == {tuple(cores_of_threads(machine, 0, setting, threads) or ()) for setting in stated}
