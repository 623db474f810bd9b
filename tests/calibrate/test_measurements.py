"""Replicates become one configuration with their median."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.measurements import group, join, noise_percent


@pytest.fixture
def three_and_one(make_sweep):
    """Three replicates of one configuration and a single measurement of another."""
    few = make_sweep()
    columns = {name: value[[0, 0, 0, 1]] for name, value in vars(few).items() if isinstance(value, np.ndarray)}
    columns["bandwidth_mib_s"] = np.array([100.0, 110.0, 101.0, 50.0])
    columns["effective_write_ratio"] = np.array([np.nan, 0.8, 0.6, np.nan])
    return replace(few, **columns)


def test_a_configuration_has_the_median_of_its_replicates(three_and_one):
    configurations, index = group(three_and_one)
    assert sorted(configurations.bandwidth_mib_s.tolist()) == [50.0, 101.0]
    assert sorted(configurations.replicates.tolist()) == [1, 3]
    assert configurations.bandwidth_mib_s[index].tolist() == [101.0, 101.0, 101.0, 50.0]
    tripled = configurations.take(configurations.replicates == 3)
    assert tripled.effective_write_ratio[0] == pytest.approx(0.7)
    assert np.isnan(configurations.take(configurations.replicates == 1).effective_write_ratio[0])


def test_the_noise_is_the_deviation_from_the_own_median(three_and_one):
    noise = noise_percent(three_and_one, *group(three_and_one))
    assert noise == pytest.approx([100 / 101, 900 / 101, 0.0])


def test_joined_measurements_are_counted_together(three_and_one):
    both = join([three_and_one, three_and_one])
    assert len(both) == 8
    assert group(both)[0].replicates.sum() == 8
