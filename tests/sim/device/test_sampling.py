"""Plausible devices differ as the data leave their parameters uncertain, in every direction."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device import load_profile, profile_names
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.sampling import covariance_root, sample_profiles, shrinkage_weight
from pmtwin.sim.errors import InputError


@pytest.fixture(scope="module")
def shipped():
    return load_profile()


def test_the_same_seed_gives_the_same_devices_however_many(shipped):
    five, two = sample_profiles(shipped, 5, seed=3), sample_profiles(shipped, 2, seed=3)
    assert [device.parameters for device in five[:2]] == [device.parameters for device in two]
    assert five[0].parameters != five[1].parameters != shipped.parameters
    assert [device.name for device in two] == ["optane-dcpmm-100-sample-0", "optane-dcpmm-100-sample-1"]


def logs_of(profile, devices, operation, names):
    """Deviations of the logarithms of parameters, shape (devices, names)."""
    drawn = np.array([[device.parameters[operation][name] for name in names] for device in devices])
    return np.log(drawn / [profile.parameters[operation][name] for name in names])


@pytest.mark.parametrize("name", profile_names())
@pytest.mark.parametrize("replicates", [2, 24, None])
def test_every_direction_of_the_parameters_is_explored(name, replicates):
    """24 replicates span 23 directions of 28; what no replicate moves is not uncertain by them."""
    profile = load_profile(name)
    uncertainty = {
        operation: {**entry, "deviations": _centred(entry["deviations"][:replicates])}
        for operation, entry in profile.uncertainty.items()
    }
    profile = replace(profile, uncertainty=uncertainty)
    devices = sample_profiles(profile, 300, spread=0.01)  # so near that no bound cuts a direction off
    for operation, entry in uncertainty.items():
        moved = [
            name
            for name, column in zip(entry["parameters"], np.transpose(entry["deviations"]), strict=True)
            if np.any(column)
        ]
        logs = logs_of(profile, devices, operation, moved)
        free = logs.std(axis=0) > 0  # a fit on its bound is cut off on one side, or on both
        assert free.sum() > 0.8 * len(moved) > 8
        assert np.linalg.eigvalsh(np.corrcoef(logs[:, free], rowvar=False))[0] > 0.005


def _centred(rows):
    rows = np.asarray(rows)
    return np.round(rows - rows.mean(axis=0), 12).tolist()


def test_the_shipped_profiles_rest_on_several_replicates_for_each_parameter():
    for name in profile_names():
        for entry in load_profile(name).uncertainty.values():
            assert len(entry["deviations"]) >= 4 * len(entry["parameters"])


def known_covariance(count: int, rng: np.random.Generator) -> np.ndarray:
    """Of parameters on different scales that trade off against each other."""
    mixing = rng.standard_normal((count, 4))
    scale = np.diag(np.geomspace(0.02, 0.5, count))
    return scale @ (0.3 * np.eye(count) + 0.7 * mixing @ mixing.T / 4) @ scale


def test_shrinking_brings_few_replicates_nearer_to_the_truth():
    rng = np.random.default_rng(0)
    truth = known_covariance(20, rng)
    scale = np.sqrt(np.outer(np.diag(truth), np.diag(truth)))
    nearer = 0
    for _ in range(20):
        few = rng.multivariate_normal(np.zeros(20), truth, 24)
        few -= few.mean(axis=0)
        root = covariance_root(few)
        misses = [np.linalg.norm((result - truth) / scale) for result in (root.T @ root, few.T @ few / 23)]
        nearer += misses[0] < misses[1]
        assert np.diag(root.T @ root) == pytest.approx(few.var(axis=0, ddof=1))
    assert nearer >= 18


def test_many_replicates_need_no_shrinking_and_two_need_much():
    rng = np.random.default_rng(1)
    many = rng.multivariate_normal(np.zeros(20), known_covariance(20, rng), 4000)
    assert 0.0 < shrinkage_weight(many - many.mean(axis=0)) < 0.02
    assert shrinkage_weight(np.array([[0.1, -0.2], [-0.1, 0.2]])) == 0.5
    assert shrinkage_weight(np.array([[0.1, 0.0], [-0.1, 0.0]])) == 1.0  # one parameter alone


def test_devices_spread_as_the_parameters_that_the_replicates_came_from(shipped):
    names = list(shipped.parameters["load"])[:6]
    rng = np.random.default_rng(2)
    truth = known_covariance(len(names), rng) / 25.0  # small: no bound is in reach
    rows = _centred(rng.multivariate_normal(np.zeros(len(names)), truth, 3000))
    profile = replace(shipped, uncertainty={"load": {"parameters": names, "deviations": rows}})
    drawn = logs_of(profile, sample_profiles(profile, 3000, seed=5), "load", names)
    result = np.cov(drawn, rowvar=False)
    assert np.sqrt(np.diag(result)) == pytest.approx(np.sqrt(np.diag(truth)), rel=0.05)
    assert np.corrcoef(drawn, rowvar=False) == pytest.approx(truth / np.sqrt(np.outer(*[np.diag(truth)] * 2)), abs=0.06)


def test_parameters_stay_in_bounds_and_fixed_ones_fixed(shipped):
    for device in sample_profiles(shipped, 20, seed=1, spread=20):
        assert device.parameters["ntstore"]["drain_ns"] == 0.0
        assert device.parameters["ntstore"]["softness"] <= 20
        assert np.all(np.isfinite(bandwidth_mib_s(device, "ntstore", "random", 2.0 ** np.arange(6, 20), 8)))


def test_without_spread_it_is_the_fit(shipped):
    (device,) = sample_profiles(shipped, 1, spread=0.0)
    for operation, values in shipped.parameters.items():
        assert device.parameters[operation] == pytest.approx(values, rel=1e-12)


def test_a_profile_that_states_no_uncertainty_is_refused(shipped):
    with pytest.raises(InputError, match="--bootstrap"):
        sample_profiles(replace(shipped, uncertainty=None), 1)
    with pytest.raises(InputError, match="n: 0"):
        sample_profiles(shipped, 0)
