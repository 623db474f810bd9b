"""Another hand-off in a model that is built already gives what a model built with it gives."""

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.model.analytic.handoff import Handoff
from pmtwin.scenarios.nvm_middleware.model.analytic.predict import Predictor
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.host.file import read_host
from pmtwin.sim.parameters.values import resolve

POOLS = np.array([[1, 1], [7, 12], [16, 16], [32, 32]])
RATES = np.full((4, 2), 1.5e-4)
CHANGED = {
    "handoff_ns": 15_000.0,
    "handoff_contention_threads": 25.0,
    "handoff_contention_power": 2.0,
    "handoff_contention_most": 30.0,
    "handoff_bytes": 50_000.0,
    "client_contention_clients": 400.0,
    "cpu_noise_sigma": 0.6,
}


def model_with(**parameters):
    return build_model(
        load_profile(), phase_workload(1), resolve({**read_host("inferred").values, **parameters}), False
    )


@pytest.mark.parametrize("changed", [CHANGED, {"handoff_bytes": 0.0}])
def test_forecasts_are_those_of_a_model_built_with_it(changed):
    model = model_with()
    predictor, before = Predictor(model), Predictor(model)(POOLS, RATES)
    Handoff(model).set(resolve({**read_host("inferred").values, **changed}))
    after = predictor(POOLS, RATES)
    np.testing.assert_allclose(after, Predictor(model_with(**changed))(POOLS, RATES), rtol=2e-3)
    assert not np.allclose(after, before, rtol=0.02)
