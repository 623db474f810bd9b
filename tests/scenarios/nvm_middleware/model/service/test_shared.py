"""The device side of a model is built once for all hosts and rates, and again for all that changes it."""

from dataclasses import replace

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.model.pools import WindowSpec
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.parameters.values import resolve


def model(workload=None, direct=False, **values):
    return build_model(load_profile(), workload or phase_workload(1), resolve(values), direct)


def test_a_host_and_a_rate_change_nothing_of_the_device():
    first, other = model(), model(phase_workload(1, 70_000.0, 90_000.0), handoff_ns=9_000, timeslice_ns=1e6)
    assert first.rows is other.rows
    assert np.array_equal(first.records["demand_ns"], other.records["demand_ns"])
    assert not np.array_equal(first.records["handoff_ns"], other.records["handoff_ns"])


def test_what_changes_the_device_is_built_anew():
    rows = model().rows
    workload = phase_workload(1)
    assert model(phase_workload(2)).rows is rows  # other clients
    assert model(phase_workload(3)).rows is not rows
    assert model(replace(workload, batch=replace(workload.batch, clients=0))).rows is not rows
    for changed in (model(put_persists=7), model(dimms=3), model(cores=12), model(direct=True)):
        assert changed.rows is not rows


def test_the_same_numbers_whatever_was_simulated_before():
    def latencies():
        middleware = Middleware(phase_workload(1), window=WindowSpec(requests=500), parameters={"handoff_ns": 12_345})
        middleware.start(5, 5)
        middleware.run_window()
        return middleware.latencies()[1]

    first = latencies()
    model(handoff_ns=50_000)
    assert np.array_equal(first, latencies())
