"""Plausible devices differ as the data leave their parameters uncertain."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device import load_profile
from pmtwin.sim.errors import InputError


@pytest.fixture(scope="module")
def shipped():
    return load_profile()


def test_the_same_seed_gives_the_same_devices_however_many(shipped):
    five, two = shipped.sample(5, seed=3), shipped.sample(2, seed=3)
    assert [device.parameters for device in five[:2]] == [device.parameters for device in two]
    assert five[0].parameters != five[1].parameters != shipped.parameters
    assert [device.name for device in two] == ["optane-dcpmm-100-sample-0", "optane-dcpmm-100-sample-1"]


def test_the_spread_is_the_stated_interval(shipped):
    drawn = [device.parameters["load"]["media_mib_s"] for device in shipped.sample(400, seed=0)]
    low, high = shipped.record["parameters"]["load"]["media_mib_s"]["interval_90"]
    assert np.quantile(drawn, [0.05, 0.95]) == pytest.approx([low, high], rel=0.01)


def test_parameters_stay_in_bounds_and_fixed_ones_fixed(shipped):
    for device in shipped.sample(20, seed=1, spread=20):
        assert device.parameters["ntstore"]["drain_ns"] == 0.0
        assert device.parameters["ntstore"]["softness"] <= 20
        assert np.all(np.isfinite(device.bandwidth_mib_s("ntstore", "random", 2.0 ** np.arange(6, 20), 8)))


def test_without_spread_it_is_the_fit(shipped):
    (device,) = shipped.sample(1, spread=0.0)
    for operation, values in shipped.parameters.items():
        assert device.parameters[operation] == pytest.approx(values, rel=1e-12)


def test_a_profile_that_states_no_uncertainty_is_refused(shipped):
    with pytest.raises(InputError, match="--bootstrap"):
        replace(shipped, uncertainty=None).sample(1)
    with pytest.raises(InputError, match="n: 0"):
        shipped.sample(0)
