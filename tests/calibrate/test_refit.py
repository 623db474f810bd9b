"""The shipped profile is what calibration finds in the sweep, and its stated errors are those of the sweep."""

import numpy as np
import pytest

from pmtwin.calibrate.build import calibrate
from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.readers import read_sources
from pmtwin.sim.device import OPERATIONS, PATTERNS, load_profile
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.prediction import predict

# Error targets in %: median, mean, 90th percentile.
UNSEEN_CONFIGURATIONS = {
    "load": (1.2, 2.0, 4.5),
    "ntstore": (1.2, 2.0, 4.5),
    "store_clwb": (1.0, 1.6, 3.5),
    "store": (1.0, 2.0, 4.5),
}
# Whole counts between others, with up to 26 sizes each: harder than one more point on a measured curve.
UNSEEN_THREAD_COUNTS = {"load": (2, 3, 6.5), "ntstore": (2, 3, 6.5), "store_clwb": (2, 3, 6.5), "store": (3, 5, 9)}


@pytest.fixture(scope="module")
def sweep(shared_data):
    path = shared_data / "optane" / "lattester_bandwidth.csv"
    if not path.is_file():
        pytest.skip("lattester_bandwidth.csv is not in ../shared/data/optane")
    return read_sources([path])[0]


@pytest.fixture(scope="module")
def refit(sweep):
    return calibrate(sweep, "refit", "test", bootstrap=0).profile


def test_the_sweep_is_the_one_that_the_shipped_profile_names(sweep):
    record = load_profile().record
    assert [vars(source) for source in sweep.sources] == record["sources"]
    assert dict(sorted(sweep.dropped.items())) == record["dropped_rows"]
    assert len(group(sweep)[0]) == record["configurations"]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_refit_finds_the_shipped_law_again(refit, operation, pattern):
    sizes, threads = 2.0 ** np.arange(6, 22)[:, None, None], np.arange(1.0, 25.0)[:, None]
    at = (operation, pattern, sizes, threads, np.array([1.0, 6.0]))
    ratio = bandwidth_mib_s(refit, *at) / bandwidth_mib_s(load_profile(), *at)
    assert ratio == pytest.approx(np.ones(ratio.shape), rel=0.01)


def test_a_refit_finds_the_media_bandwidths_inside_their_intervals(refit):
    for operation in OPERATIONS:
        low, high = load_profile().record["parameters"][operation]["media_mib_s"]["interval_90"]
        assert low <= refit.parameters[operation]["media_mib_s"] <= high


@pytest.mark.parametrize("operation", UNSEEN_CONFIGURATIONS)
def test_the_stated_errors_on_kept_aside_data_meet_the_targets(operation):
    errors = load_profile().record["errors_percent"][operation]
    assert np.all(np.array(errors["unseen_configurations"]["predict"]) <= UNSEEN_CONFIGURATIONS[operation])
    assert np.all(np.array(errors["unseen_thread_counts"]["predict"]) <= UNSEEN_THREAD_COUNTS[operation])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_stated_intervals_cover_and_are_not_wide(operation):
    errors = load_profile().record["errors_percent"][operation]
    assert 0.85 <= errors["coverage_90"]["configurations"] <= 0.97
    assert 0.85 <= errors["coverage_90"]["curves"] <= 0.97
    assert errors["coverage_90"]["thread_counts"] >= 0.85
    assert errors["unseen_knees"]["coverage_90"] >= (0.8 if operation != "store" else 0.7)  # misses by up to 37 %
    assert errors["median_half_width"]["thread_counts"] <= 12.0
    assert errors["median_half_width"]["curves"] <= 12.0
    assert errors["median_half_width"]["configurations"] <= 3.2 * errors["unseen_configurations"]["predict"][0]


def test_predictions_of_measured_configurations_are_near_and_inside_their_intervals(sweep):
    configurations, _ = group(sweep)
    columns = dict(vars(configurations))
    unused = {"read_threads": np.zeros(len(configurations)), "write_threads": np.zeros(len(configurations))}
    predicted = predict(load_profile(), columns | unused | {"write_operation": np.full(len(configurations), "")})
    error = np.abs(predicted["bandwidth_mib_s"] / configurations.bandwidth_mib_s - 1)
    assert np.median(error) < 0.01 and not predicted["extrapolated"].any()
    inside = configurations.bandwidth_mib_s >= predicted["bandwidth_low_mib_s"]
    inside &= configurations.bandwidth_mib_s <= predicted["bandwidth_high_mib_s"]
    assert inside.mean() > 0.9
