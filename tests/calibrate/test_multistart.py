"""The best of many starts is the lowest minimum, and the prior does not outvote data that is better than it."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from pmtwin.calibrate import multistart
from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.mechanism import fit_mechanism
from pmtwin.calibrate.multistart import LEAST_CONFIGURATIONS, fit_best
from pmtwin.calibrate.settings import FEW_PRIOR_WEIGHT, fit_settings
from pmtwin.calibrate.specification import start_values
from pmtwin.sim.device.parameters import READ_AHEAD


@pytest.fixture(autouse=True)
def one_thread():
    """As `calibrate` fits: threads of the linear algebra would only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def of_one_set(make_sweep):
    """Function of an operation, noise and seed that returns the configurations of six DIMMs, few enough."""

    def make(operation, noise, seed=0):
        configurations = group(make_sweep(operation=operation, noise=noise, seed=seed))[0]
        return configurations.take(configurations.dimms == 6)

    return make


def test_no_fit_from_the_truth_ends_lower(of_one_set, known_device):
    few = of_one_set("ntstore", 0.003)
    fit = fit_best("ntstore", few, fit_settings(few, "pmem"))
    truth = np.log([known_device.parameters["ntstore"][name] for name in fit.free])
    assert fit.cost <= 1.005 * fit_mechanism("ntstore", few, replace(fit, logs=truth)).cost


@pytest.mark.parametrize(("noise", "lowest", "highest"), [(0.002, 0.1, 0.4), (0.05, 1.0, 1.0)])
def test_the_prior_is_as_strong_as_the_scatter_allows(of_one_set, noise, lowest, highest):
    few = of_one_set("store_clwb", noise)
    weight = fit_best("store_clwb", few, fit_settings(few, "pmem")).settings.prior_weight
    assert lowest * FEW_PRIOR_WEIGHT <= weight <= highest * FEW_PRIOR_WEIGHT


def test_minima_are_compared_under_the_weak_prior(of_one_set, monkeypatch):
    few = of_one_set("store_clwb", 0.002)
    weights = []

    def fit(*args, settings=None, **more):
        result = fit_mechanism(*args, settings=settings, **more)
        weights.append(result.settings.prior_weight)
        return result

    monkeypatch.setattr(multistart, "fit_mechanism", fit)
    fit_best("store_clwb", few, fit_settings(few, "pmem"))
    assert weights[0] == FEW_PRIOR_WEIGHT
    assert len(weights) > multistart.STARTS
    assert max(weights[1:]) < 0.4 * FEW_PRIOR_WEIGHT


def test_collisions_are_held_where_no_load_comes_near_a_chunk(of_one_set):
    loads = of_one_set("load", 0.0)
    short = loads.take(loads.access_size_bytes <= 1024)
    assert fit_settings(short, "pmem").held["collision"] == start_values("load")["collision"]
    assert fit_settings(short, "dram").held["collision"] == 0.0
    assert "collision" not in fit_settings(loads, "pmem").held
    assert "collision" not in fit_settings(of_one_set("ntstore", 0.0), "pmem").held


@pytest.mark.parametrize("prefetchers", [False, True])
def test_the_data_tell_whether_prefetchers_were_on(of_one_set, prefetchers):
    loads = of_one_set("load", 0.003)
    loads = loads.take((loads.access_size_bytes <= 1024) | ~loads.random)
    waste = 1.0 + prefetchers * 1.125 * (loads.random & (loads.access_size_bytes == 1024) & (loads.threads > 8))
    few = replace(loads, bandwidth_mib_s=loads.bandwidth_mib_s / waste)
    fit = fit_best("load", few, fit_settings(few, "pmem"))
    assert (READ_AHEAD in fit.parameters) == prefetchers


def test_little_data_is_left_to_the_prior(of_one_set):
    little = of_one_set("store_clwb", 0.005).take(np.arange(LEAST_CONFIGURATIONS - 1))
    settings = fit_settings(little, "pmem")
    alone = fit_mechanism("store_clwb", little, settings=settings)
    assert fit_best("store_clwb", little, settings).logs.tolist() == alone.logs.tolist()


def test_a_dense_sweep_is_fitted_once(make_sweep):
    dense = group(make_sweep(operation="store_clwb", noise=0.005))[0]
    settings = fit_settings(dense, "pmem")
    assert not settings.few
    alone = fit_mechanism("store_clwb", dense, settings=settings)
    assert fit_best("store_clwb", dense, settings).logs.tolist() == alone.logs.tolist()
