"""Devices with known parameters: they come back inside their intervals; and a sweep that is replayed."""

import json

import numpy as np
import pytest

from pmtwin.sim.device import load_profile
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from studies import replay as replay_study
from studies import truth as truth_study
from studies.recording import JUDGES, ORDERS, RANDOM, SPREAD, Recording, replay
from studies.recovery import Recovered, coverage, recover, replicate_noise
from studies.simulated import normal_noise


def test_parameters_come_back_inside_their_intervals():
    """Few devices, so that only a gross miss fails; `truth_study` counts many."""
    recovered = [
        each
        for seed in range(2)
        for each in recover(load_profile(), normal_noise(0.01), "store_clwb", seconds=15.0, replicates=8, seed=seed)
    ]
    counts = coverage(recovered)
    assert counts["judged"] >= 10 and counts["share"] >= 0.7
    assert all(each.low <= each.fitted <= each.high for each in recovered)


def test_coverage_counts_identified_parameters_only():
    def parameter(truth, identified=True):
        return Recovered("load", "media_mib_s", truth, 10.0, 9.0, 11.0, identified)

    counts = coverage([parameter(10.5), parameter(12.0), parameter(9.5), parameter(99.0, identified=False)])
    assert (counts["judged"], counts["inside"], counts["share"]) == (3, 2, 0.667)
    assert counts["by_name"] == {"load.media_mib_s": {"times": 3, "inside": 2}}
    assert coverage([])["share"] is None


def test_noise_is_that_of_the_replicates(make_sweep):
    from pmtwin.calibrate.measurements import join

    replicated = join([make_sweep(noise=0.02, seed=seed) for seed in range(3)])
    drawn = replicate_noise(replicated)(np.random.default_rng(0), 20_000)
    # a median of three keeps one of the deviations at 0, so that a spread from few replicates is a little too small
    assert 0.012 < drawn.std() < 0.024 and abs(np.median(drawn)) < 0.002


@pytest.fixture(scope="module")
def recording(make_sweep):
    return Recording(make_sweep(operation="load", noise=0.01).take(np.arange(0, 224, 6)))


def test_both_orders_are_judged_alike_and_the_same_seed_gives_the_same(recording):
    replays = {order: [[*replay(recording, order, [14, 20], 0, "pmem")] for _ in range(2)] for order in ORDERS}
    for first, second in replays.values():
        assert first == second and np.all(np.isfinite(first))
    assert replays[SPREAD] != replays[RANDOM]


def test_nothing_that_judges_is_ever_measured(recording, monkeypatch):
    requested, answer = [], recording.answer
    monkeypatch.setattr(recording, "answer", lambda number, rng: requested.append(number) or answer(number, rng))
    allowed, judges = recording.parted(3)
    assert sorted([*allowed, *judges]) == list(range(len(recording.configurations)))
    assert judges.size == int(JUDGES * len(recording.configurations))
    for order in ORDERS:
        requested.clear()
        next(replay(recording, order, [16], 3, "pmem"))
        assert len(requested) == len(set(requested)) == 16 and set(requested) <= set(allowed)


def test_both_studies_run_on_a_file(lattester_file, known_device, capsys):
    rows = []
    for size in (64, 256, 1024, 4096, 65536):
        for threads in (1, 2, 4, 8, 16):
            bandwidth = bandwidth_mib_s(
                known_device, "load", "random", np.array([float(size)]), np.array([float(threads)])
            )
            for factor in (0.995, 1.0, 1.01):
                rows.append({"access_size": size, "threads": threads, "throughput": float(bandwidth[0]) * factor})
    path = str(lattester_file(*rows))
    assert replay_study.main([path, "--seeds", "1", "--shares", "0.2,0.3", "--jobs", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["rows"], result["usable"], result["configurations"]) == (75, 75, 25)
    assert [entry["measurements"] for entry in result["curve"]] == [12, 18, 12, 18]
    assert replay_study.main([path, "--shares", "0.9", "--jobs", "1"]) == 2
    assert truth_study.main([path, "--seeds", "0"]) == 2
    assert truth_study.main(["absent.csv"]) == 2
    assert "absent.csv" in capsys.readouterr().err
