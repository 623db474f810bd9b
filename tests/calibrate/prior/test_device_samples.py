"""Plausible devices of a profile of few measurements: as far apart as its intervals say."""

import numpy as np
import pytest

from pmtwin.calibrate.measurements import Measurements
from pmtwin.calibrate.prior.build import calibrate_few
from pmtwin.calibrate.prior.family import shipped_family
from pmtwin.calibrate.prior.knowledge import knowledge_of
from pmtwin.calibrate.prior.modes import modes_of
from pmtwin.calibrate.prior.observed import grid
from pmtwin.calibrate.prior.tables import SIZES, THREADS
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.readers.cleaning import ceiling_mib_s
from pmtwin.sim.device import OPERATIONS, PATTERNS, load_profile, predict, sample_profiles
from pmtwin.sim.device.profile import profile_from_json
from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.statistics import NORMAL_90

ROWS = """operation,pattern,access_size_bytes,threads,dimms,bandwidth_mib_s
load,random,256,1,4,1500
load,random,256,8,4,9000
load,sequential,4096,4,4,12000
ntstore,random,256,8,4,3000
"""


@pytest.fixture(scope="module")
def measurements(tmp_path_factory) -> Measurements:
    path = tmp_path_factory.mktemp("few") / "few.csv"
    path.write_text(ROWS)
    return read_sources([str(path)], ReadOptions(None, None, "pmem"))[0]


@pytest.fixture(scope="module")
def profile(measurements):
    return calibrate_few(measurements, "few", "a device")


def columns_of(operation, pattern, sizes=(64.0, 256.0, 1024.0, 4096.0), threads=(1.0, 4.0, 8.0, 16.0)):
    size, count = (axis.ravel() for axis in np.meshgrid(sizes, threads))
    names = {"operation": np.full(size.size, operation), "pattern": np.full(size.size, pattern)}
    numbers = {"access_size_bytes": size, "threads": count}
    return names | numbers | {"dimms": np.full(size.size, 4.0), "power_w": np.full(size.size, 15.0)}


def logs_of(devices, columns):
    return np.array([np.log(predict(device, columns)["bandwidth_mib_s"]) for device in devices])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_samples_spread_as_the_intervals_of_predictions(profile, operation):
    devices = sample_profiles(profile.profile, 150, seed=3)
    for pattern in PATTERNS:
        columns = columns_of(operation, pattern)
        answer = predict(profile.profile, columns)
        half = np.log(answer["bandwidth_high_mib_s"] / answer["bandwidth_mib_s"])
        drawn = logs_of(devices, columns)
        unsure = half > 0.2  # elsewhere the noise of a measurement is most of the interval
        assert np.median(NORMAL_90 * drawn.std(axis=0)[unsure] / half[unsure]) == pytest.approx(1.0, abs=0.15)
        off = drawn.mean(axis=0) - np.log(answer["bandwidth_mib_s"])
        assert np.all(np.abs(off) < 0.02 + 4.0 * drawn.std(axis=0) / np.sqrt(len(devices)))


def test_samples_agree_where_the_device_was_measured_and_not_elsewhere(profile):
    devices = sample_profiles(profile.profile, 50)
    measured = logs_of(devices, columns_of("load", "random", (256.0,), (1.0, 8.0))).std(axis=0)
    elsewhere = logs_of(devices, columns_of("load", "random", (4096.0,), (16.0,))).std(axis=0)
    assert measured.max() < 0.05 < 0.1 < elsewhere.min()


def test_operations_of_a_sample_are_fast_or_slow_together(profile):
    """Stores of either kind, which nobody measured: drawn apart they would not be correlated."""
    devices = sample_profiles(profile.profile, 150)
    first, second = (
        logs_of(devices, columns_of(name, "sequential", (4096.0,), (8.0,)))[:, 0] for name in OPERATIONS[2:]
    )
    assert np.corrcoef(first, second)[0, 1] > 0.3


def test_a_sample_is_the_same_for_any_number_and_after_a_save(profile, tmp_path):
    loaded = load_profile(profile.profile.save(tmp_path / "few.json"))
    five, two = sample_profiles(loaded, 5, seed=3), sample_profiles(profile.profile, 2, seed=3)
    columns = columns_of("load", "random")
    assert np.array_equal(logs_of(five[:2], columns), logs_of(two, columns))
    (plain,) = sample_profiles(loaded, 1, spread=0.0)
    assert np.array_equal(logs_of([plain], columns), logs_of([loaded], columns))
    assert not plain.uncertainty and loaded.uncertainty


def test_a_profile_with_modes_in_some_cells_only_is_refused(profile):
    value = profile.profile.to_json()
    cell = value["uncertainty"]["load"]["cells"][0]

    def read(**wrong):
        uncertainty = {**value["uncertainty"], "load": {"cells": [{**cell, **wrong}]}}
        return profile_from_json({**value, "uncertainty": uncertainty}, "here")

    assert read()
    with pytest.raises(InputError, match="as in other cells"):
        read(modes=cell["modes"][:-1])
    with pytest.raises(InputError, match="finite numbers over"):
        read(modes=[[[[0.0]]]] * len(cell["modes"]))
    with pytest.raises(InputError, match="at least 0"):
        read(most=[[[-1.0 for _ in row] for row in table] for table in cell["most"]])
    with pytest.raises(InputError, match="at least 2, or cells with modes"):
        profile_from_json({**value, "uncertainty": {"load": {"cells": []}}}, "here")


def test_samples_differ_beyond_the_knots_as_at_the_last_one(profile):
    devices = sample_profiles(profile.profile, 30)
    last = logs_of(devices, columns_of("load", "random", (1024.0,), (32.0,)))
    for changed in ({"threads": 48.0}, {"dimms": 6.0}, {"access_size_bytes": 1024.0, "dimms": 1.0}):
        columns = columns_of("load", "random", (1024.0,), (32.0,)) | {
            name: np.array([value]) for name, value in changed.items()
        }
        beyond = logs_of(devices, columns)
        assert beyond.std() == pytest.approx(last.std(), rel=0.05)
        assert np.corrcoef(last[:, 0], beyond[:, 0])[0, 1] > 0.99


def test_no_sample_is_faster_than_its_channels(profile):
    devices = sample_profiles(profile.profile, 40, spread=20.0)
    fastest = logs_of(devices, columns_of("store", "sequential", (4096.0,), (16.0,))).max()
    assert fastest == pytest.approx(np.log(ceiling_mib_s("pmem", 4.0)), abs=0.01)


def test_modes_have_the_variances_and_nearly_the_correlations_of_the_posterior(measurements):
    known = knowledge_of(measurements, shipped_family(), None)
    covariance = known.posterior.covariance(known.points(grid(OPERATIONS, PATTERNS, SIZES, THREADS, 4.0)))
    modes = modes_of(covariance)
    assert np.allclose(np.sum(modes**2, axis=0), np.diag(covariance))
    deviation = np.sqrt(np.diag(covariance))
    unsure = np.flatnonzero(deviation > 0.1)
    off = (modes.T @ modes - covariance)[np.ix_(unsure, unsure)] / np.outer(deviation[unsure], deviation[unsure])
    assert len(modes) < 60
    assert np.median(np.abs(off)) < 0.03 and np.quantile(np.abs(off), 0.95) < 0.15


def test_a_profile_of_two_sets_of_modules_draws_them_together(measurements, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text(ROWS + "load,random,256,1,1,1400\n")
    both = calibrate_few(read_sources([str(path)], ReadOptions(None, None, "pmem"))[0], "two", "a device").profile
    devices = sample_profiles(both, 100)
    one, four = (
        logs_of(devices, columns_of("store", "random", (1024.0,), (4.0,)) | {"dimms": np.array([dimms])})[:, 0]
        for dimms in (1.0, 4.0)
    )
    assert one.std() > 0.05 and np.corrcoef(one, four)[0, 1] > 0.5
