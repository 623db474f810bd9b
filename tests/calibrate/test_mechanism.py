"""The fit finds a law that it knows, whatever a few bad rows say."""

import numpy as np
import pytest

from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.mechanism import fit_mechanism
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.specification import FIXED, STARTS, free_names, start_values
from pmtwin.sim.device import OPERATIONS
from pmtwin.sim.device.parameters import LAW_PARAMETERS


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_fit_finds_the_law_behind_exact_data(operation, make_sweep):
    configurations, _ = group(make_sweep(operation=operation))
    fit = fit_mechanism(operation, configurations)
    error = fit.log_bandwidth(configurations) - np.log(configurations.bandwidth_mib_s)
    assert ape(error)[2] < 1.0  # %


def test_media_bandwidth_comes_back_from_noisy_data(make_sweep, known_device):
    configurations, _ = group(make_sweep(operation="ntstore", noise=0.01))
    fitted = fit_mechanism("ntstore", configurations).parameters["media_mib_s"]
    assert fitted == pytest.approx(known_device.parameters["ntstore"]["media_mib_s"], rel=0.02)


def test_bad_rows_do_not_bend_the_law(make_sweep):
    configurations, _ = group(make_sweep())
    wrong = configurations.bandwidth_mib_s.copy()
    wrong[::25] *= 2.0
    bent = fit_mechanism("load", configurations.take(np.arange(len(configurations)))).log_bandwidth(configurations)
    bad = configurations.take(np.arange(len(configurations)))
    object.__setattr__(bad, "bandwidth_mib_s", wrong)
    shift = fit_mechanism("load", bad).log_bandwidth(configurations) - bent
    assert np.median(np.abs(shift)) < 0.01


def test_a_parameter_on_its_bound_is_not_identified(make_sweep):
    configurations, _ = group(make_sweep())
    fit = fit_mechanism("load", configurations)
    low = np.log(LAW_PARAMETERS[fit.free[0]].low)
    fit.logs[0] = low + 1e-4
    assert fit.on_bound() == [fit.free[0]]


def test_power_exponents_are_fitted_only_where_the_budget_varies():
    assert set(free_names("load", True)) - set(free_names("load", False)) == {
        "low_power_exponent",
        "high_power_exponent",
        "contention_power_exponent",
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_specification_names_parameters_of_the_law_only(operation):
    assert set(FIXED[operation]) | set(STARTS[operation]) <= set(LAW_PARAMETERS)
    values = start_values(operation)
    for name in free_names(operation, True):
        assert LAW_PARAMETERS[name].low < values[name] < LAW_PARAMETERS[name].high
