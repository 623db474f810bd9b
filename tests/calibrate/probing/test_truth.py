"""Devices with known parameters: they come back inside their intervals; and a sweep that is replayed."""

import json

import numpy as np
import pytest

from calibrate.probing import replay_study, truth_study
from calibrate.probing.replay import DESIGN, RANDOM, Recording, kept_aside_errors, replay
from calibrate.probing.simulated import normal_noise
from calibrate.probing.truth import Recovered, coverage, recover, replicate_noise, wilson
from sim.device import load_profile


def test_parameters_come_back_inside_their_intervals():
    """Few devices, so that only a gross miss fails; `truth_study` counts many."""
    found = [
        each
        for seed in range(2)
        for each in recover(load_profile(), normal_noise(0.01), "store_clwb", seconds=15.0, replicates=8, seed=seed)
    ]
    of = coverage(found)
    assert of["judged"] >= 10 and of["share"] >= 0.7
    assert all(each.low <= each.fitted <= each.high for each in found)


def test_coverage_counts_identified_parameters_only():
    def one(truth, identified=True):
        return Recovered("load", "media_mib_s", truth, 10.0, 9.0, 11.0, identified)

    of = coverage([one(10.5), one(12.0), one(9.5), one(99.0, identified=False)])
    assert (of["judged"], of["inside"], of["share"]) == (3, 2, 0.667)
    assert of["by_name"] == {"load.media_mib_s": {"times": 3, "inside": 2}}
    assert coverage([])["share"] is None


def test_the_interval_of_a_share():
    low, high = wilson(9, 10)
    assert (low, high) == (pytest.approx(0.65, abs=0.02), pytest.approx(0.98, abs=0.01))  # by Wilson's own formula
    assert wilson(0, 0) == (0.0, 1.0)


def test_noise_is_that_of_the_replicates(make_sweep):
    from calibrate.measurements import join

    replicated = join([make_sweep(noise=0.02, seed=seed) for seed in range(3)])
    drawn = replicate_noise(replicated)(np.random.default_rng(0), 20_000)
    # a median of three keeps one of the deviations at 0, so that a spread from few replicates is a little too small
    assert 0.012 < drawn.std() < 0.024 and abs(np.median(drawn)) < 0.002


@pytest.fixture(scope="module")
def recording(make_sweep):
    return Recording(make_sweep(operation="load", noise=0.01).take(np.arange(0, 224, 6)))


def test_both_orders_measure_as_many_and_the_same_seed_the_same(recording):
    for order in (DESIGN, RANDOM):
        points = [next(replay(recording, order, [14], 0, "pmem")) for _ in range(2)]
        assert points[0].measured.sum() == 14
        assert np.array_equal(points[0].log_error, points[1].log_error)


def test_every_configuration_is_predicted_from_others(recording):
    truth = recording.configurations
    bandwidth = np.where(np.arange(len(truth)) % 3 == 0, truth.bandwidth_mib_s, np.nan)
    before = kept_aside_errors(truth, bandwidth, "pmem", seed=0)
    assert np.all(np.isfinite(before))
    spoiled = bandwidth.copy()
    spoiled[0] *= 1.5
    after = kept_aside_errors(truth, spoiled, "pmem", seed=0)
    assert after[0] == pytest.approx(before[0], abs=1e-9)  # its own measurement has no part in its prediction


def test_both_studies_run_on_a_file(lattester_file, known_device, capsys):
    rows = []
    for size in (64, 256, 1024, 4096, 65536):
        for threads in (1, 2, 4, 8, 16):
            bandwidth = known_device.bandwidth_mib_s(
                "load", "random", np.array([float(size)]), np.array([float(threads)])
            )
            for factor in (0.995, 1.0, 1.01):
                rows.append({"access_size": size, "threads": threads, "throughput": float(bandwidth[0]) * factor})
    path = str(lattester_file(*rows))
    assert replay_study.main([path, "--seeds", "1", "--shares", "0.16,0.24", "--jobs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["usable"], found["configurations"]) == (75, 75, 25)
    assert [entry["measurements"] for entry in found["curve"]] == [12, 18, 12, 18]
    assert replay_study.main([path, "--shares", "0.9", "--jobs", "1"]) == 2
    assert truth_study.main([path, "--seeds", "0"]) == 2
    assert truth_study.main(["absent.csv"]) == 2
    assert "absent.csv" in capsys.readouterr().err
