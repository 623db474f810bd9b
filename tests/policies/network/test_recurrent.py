"""The recurrent network: its gradient is that of finite differences, and it learns what depends on the order."""

import numpy as np
import pytest

from pmtwin.policies.network.recurrent import add_gradient, drawn, make_passed, output, parameter_count


@pytest.mark.parametrize("units", [1, 3])
def test_the_gradient_equals_finite_differences(units):
    random = np.random.default_rng(8)
    parameters, sequence = drawn(units, random), random.normal(0.0, 1.0, 5)
    passed, gradient = make_passed(7, units), np.zeros(parameter_count(units))
    parameters += random.normal(0.0, 0.2, parameters.size)
    output(parameters, sequence, passed)
    add_gradient(parameters, sequence, passed, 1.0, gradient)
    for place in range(parameters.size):
        ends = []
        for change in (1e-6, -1e-6):
            moved = parameters.copy()
            moved[place] += change
            ends.append(output(moved, sequence, make_passed(7, units)))
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-8)


def test_the_output_depends_on_the_order_of_the_sequence():
    parameters = drawn(4, np.random.default_rng(9))
    rising, falling = (output(parameters, np.array(row), make_passed(3, 4)) for row in ([0.0, 1, 2], [2.0, 1, 0]))
    assert rising != falling
