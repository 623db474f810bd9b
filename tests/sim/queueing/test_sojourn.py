"""Percentiles by transforms: against distributions in closed form, and beside the simulation."""

import numpy as np
import pytest
from scipy import stats

from pmtwin.sim.errors import InputError
from pmtwin.sim.queueing.sojourn import gamma_time, percentile, tail, waiting_time
from pmtwin.sim.queueing.waiting import waiting_probability

TIMES = np.array([0.01, 0.3, 1.0, 5.0, 12.0])


@pytest.mark.parametrize("scv", [0.25, 1.0, 4.0])
def test_a_gamma_distribution(scv):
    known = stats.gamma(1.0 / scv, scale=2.0 * scv)
    assert tail(gamma_time(2.0, scv), TIMES) == pytest.approx(known.sf(TIMES), abs=1e-6)
    assert percentile(gamma_time(2.0, scv), 0.999, 2.0) == pytest.approx(known.ppf(0.999), rel=1e-5)


def test_time_in_an_m_m_1_queue_is_exponential():
    def transform(s):
        return waiting_time("queue", 0.8, 1, 1.0)(s) * gamma_time(1.0)(s)

    assert tail(transform, TIMES) == pytest.approx(np.exp(-0.2 * TIMES), abs=1e-6)


def test_wait_in_an_m_m_k_queue():
    waits = waiting_time("queue", 3.0, 4, 1.0)
    known = waiting_probability(4, 3.0) * np.exp(-TIMES)
    assert tail(waits, TIMES) == pytest.approx(known, abs=1e-6)


def test_wait_behind_constant_services_by_erlangs_formula():
    """M/D/1 at half load, within one service: P(W <= t) = (1 - rho) exp(rate t)."""
    waits = waiting_time("queue", 0.5, 1, 1.0, 0.0)
    assert tail(waits, np.array([0.5])) == pytest.approx(1.0 - 0.5 * np.exp(0.25), abs=2e-4)


@pytest.mark.parametrize("share", [0.0, 1.0, float("nan")])
def test_no_percentile_is_refused(share):
    with pytest.raises(InputError, match="share"):
        percentile(gamma_time(1.0), share, 1.0)
