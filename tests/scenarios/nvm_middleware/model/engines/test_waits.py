"""Sums in numpy's order."""

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines.waits import pairwise_sum, waited_ns


def test_the_order_is_that_of_numpy():
    rng = np.random.default_rng(3)
    for count in (*range(300), 1000, 4096, 10_001):
        values = rng.lognormal(0.0, 3.0, count)
        assert pairwise_sum(values) == np.sum(values)


def test_nobody_has_waited_in_an_empty_queue():
    assert waited_ns(5.0, np.empty(0)) == 0.0
    assert waited_ns(5.0, np.array([1.0, 4.0])) == 5.0
