"""Times that were measured elsewhere take the place of the profile's."""

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads.model import costs_of
from pmtwin.scenarios.numa_threads.stated_times import far_factors, lone_ns
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.numa.load import FAR, GET, NEAR, PUT


@pytest.fixture
def costs(small):
    """Costs under stated times."""
    return lambda **times: costs_of(small(**times).options, Workload(0.5))


def test_what_is_stated_holds_whatever_the_load(costs):
    stated = costs(get_us=2.0, put_us=5.0, get_far=3.0, put_far=1.5)
    for running in (0.0, 7.0):
        software, memory = stated.times(np.full((1, 2, 2, 2), running))
        assert software[0, 1].tolist() == [[2000.0, 5000.0], [6000.0, 7500.0]]
        assert not memory.any()


def test_what_is_not_stated_is_the_profiles(costs):
    profile, stated = costs(), costs(put_us=5.0)
    near, factors = lone_ns(profile, 2)[NEAR], far_factors(profile, 2)
    lone = lone_ns(stated, 2)
    assert lone[NEAR].tolist() == pytest.approx([near[GET], 5000.0])
    assert (lone[FAR] / lone[NEAR]).tolist() == pytest.approx(factors.tolist())
    assert factors[PUT] > factors[GET] > 1.0
