"""What prefetchers read ahead of random loads: counted by hand, and none where a profile has no such parameter."""

import numpy as np
import pytest

from pmtwin.sim.device import law, load_profile
from pmtwin.sim.device.parameters import READ_AHEAD
from pmtwin.sim.device.read_ahead import LINES_AHEAD, read_ahead_loss

ON = {READ_AHEAD: LINES_AHEAD}


@pytest.mark.parametrize("size", [64.0, 256.0, 4096.0, 16384.0])
def test_short_accesses_and_whole_pages_waste_nothing(size):
    assert read_ahead_loss(ON, np.array(True), np.array(size)) == 0.0


@pytest.mark.parametrize("size", [512, 1024, 2048])
def test_the_waste_is_the_mean_over_the_places_in_a_page(size):
    ahead = 2 * (size - 256)
    by_hand = [min(ahead, 4096 - end) for end in range(size, 4097, size)]
    assert read_ahead_loss(ON, np.array(True), np.array(float(size))) == pytest.approx(np.mean(by_hand) / size)


def test_sequential_accesses_want_what_is_read_ahead():
    assert read_ahead_loss(ON, np.array(False), np.array(1024.0)) == 0.0


def test_it_costs_media_time_where_the_profile_has_it():
    parameters = load_profile().parameters["load"]
    at = (np.array(True), np.array(1024.0), np.array(16.0), np.array(6.0), np.array(15.0))
    without, with_it = (law.media_bound_mib_s(each, *at) for each in (parameters, parameters | ON))
    assert READ_AHEAD not in parameters and with_it < 0.7 * without
