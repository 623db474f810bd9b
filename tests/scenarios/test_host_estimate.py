"""What the predictive controller learns of the host from windows."""

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.host_estimate import HostEstimate
from pmtwin.scenarios.nvm_middleware.load_estimate import LoadEstimate
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim.host.file import read_host
from pmtwin.sim.parameters.values import resolve

BELIEVED = {"handoff_ns": 10_000.0, "cpu_noise_sigma": 0.3, "handoff_contention_threads": 20.0}
DRAWS = [{"handoff_ns": ns, "cpu_noise_sigma": sigma} for ns in (7e3, 1e4, 14e3, 2e4) for sigma in (0.1, 0.3, 0.9)]
NO_INPUTS = np.zeros(0)


@pytest.fixture
def believed():
    return resolve({**read_host("inferred").values, **BELIEVED})


def cost_and_spread(values, away):
    """Two measures: of the hand-off alone, and of both parameters."""
    return np.log([values["handoff_ns"], values["handoff_ns"] * (1.0 + values["cpu_noise_sigma"])])


def shown(handoff_ns, sigma):
    return cost_and_spread({"handoff_ns": handoff_ns, "cpu_noise_sigma": sigma}, None)


def after(believed, windows, **how):
    estimate = HostEstimate(believed, DRAWS, **how)
    for window in windows:
        estimate.update(window, cost_and_spread, np.array([0.01, 0.01]) ** 2, NO_INPUTS)
    return estimate.values


def test_windows_lead_to_the_host_that_shows_them(believed):
    values = after(believed, [shown(15_000.0, 0.6)] * 20)
    assert values["handoff_ns"] == pytest.approx(15_000.0, rel=0.01)
    assert values["cpu_noise_sigma"] == pytest.approx(0.6, rel=0.05)
    assert values["handoff_contention_threads"] == 20.0, "the draws do not vary it"


def test_a_window_far_from_its_forecast_counts_less(believed):
    steady = [shown(10_000.0, 0.3)] * 20
    near, far = (after(believed, [*steady, shown(factor * 1e4, 0.3)])["handoff_ns"] / 1e4 for factor in (1.02, 3.0))
    assert near == pytest.approx(1.02, abs=0.002)
    assert 1.0 < far < 1.5


def test_what_is_known_or_has_no_draws_stays(believed):
    assert after(believed, [shown(15_000.0, 0.6)] * 5, known={"handoff_ns"})["handoff_ns"] == 10_000.0
    assert not HostEstimate(believed, ()).names
    assert HostEstimate(believed, ()).values == believed


def load_after(believed, windows, tied=0.5):
    estimate = LoadEstimate(phase_workload(1), believed, 5_000.0, tied)
    for answered, queues in windows:
        estimate.update(np.array(answered, dtype=float), np.array(queues, dtype=float), anew=False)
    return estimate


CALM = [((100e3, 200e3), (0.0, 0.0))] * 10
CAPACITIES = (100e3, 60e3, 120e3, 70e3, 90e3, 50e3) * 2
HELD_UP = [((0.5 * ops, ops), (0.0, 150.0)) for ops in CAPACITIES]
APART = [((100e3, ops), (0.0, 150.0)) for ops in CAPACITIES]


def test_classes_are_tied_where_one_follows_the_other_that_is_behind(believed):
    assert load_after(believed, CALM + HELD_UP).tied
    assert not load_after(believed, CALM + APART).tied


def test_what_is_certain_of_tied_classes_stays(believed):
    assert not load_after(believed, CALM + HELD_UP, tied=0.0).tied
    assert load_after(believed, CALM + APART, tied=1.0).tied


def test_a_class_that_is_held_up_offers_more_than_it_is_answered(believed):
    estimate = load_after(believed, CALM + HELD_UP[:2], tied=1.0)
    assert estimate.held_up.tolist() == [True, False]
    assert estimate.rates()[0] == pytest.approx(100e3, rel=0.1)
