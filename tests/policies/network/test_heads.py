"""What outputs mean: the projection of C51 beside ten plain lines, means of distributions, targets."""

import numpy as np
import pytest

from pmtwin.policies.network.atoms import Atoms, means
from pmtwin.policies.network.heads import CategoricalHead, LinearHead
from pmtwin.policies.network.projection import projected
from pmtwin.sim.errors import InputError


def plainly_projected(probabilities, reward, discount, low, high):
    """Bellemare et al. 2017, algorithm 1, of one row."""
    step, out = (high - low) / (len(probabilities) - 1), [0.0] * len(probabilities)
    for atom, probability in enumerate(probabilities):
        place = (min(max(reward + discount * (low + atom * step), low), high) - low) / step
        below, above = int(np.floor(place)), int(np.ceil(place))
        if below == above:
            out[below] += probability
        else:
            out[below] += probability * (above - place)
            out[above] += probability * (place - below)
    return out


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 1e-6)])
@pytest.mark.parametrize(("atoms", "low", "high"), [(2, 0.0, 1.0), (11, -3.0, 7.0), (51, -10.0, 10.0)])
def test_the_projection_is_that_of_ten_plain_lines(atoms, low, high, dtype, tolerance):
    """Discounts of 0 and 1, and rewards far beyond the ends, are among the rows."""
    random = np.random.default_rng(atoms)
    probabilities = random.dirichlet(np.ones(atoms), 200).astype(dtype)
    rewards = random.normal(scale=high - low, size=200).astype(dtype)
    rewards[:20] = np.round(rewards[:20])
    discounts = random.choice([0.0, 1.0, 0.99, 0.9801], 200).astype(dtype)
    out = projected(probabilities, rewards, discounts, low, high)
    given = zip(*(numbers.astype(float) for numbers in (probabilities, rewards, discounts)), strict=True)
    expected = [plainly_projected(*row, low, high) for row in given]
    np.testing.assert_allclose(out, expected, atol=tolerance, rtol=0.0)
    np.testing.assert_allclose(out.sum(axis=1), 1.0, rtol=1e-5)


def test_the_value_of_a_distribution_is_its_mean():
    head = CategoricalHead(2, Atoms(3, 0.0, 10.0))
    outputs = np.log(np.array([[0.5, 0.25, 0.25, 0.1, 0.1, 0.8]]))
    np.testing.assert_allclose(head.values(outputs), [[3.75, 8.5]])
    np.testing.assert_allclose(head.values(outputs[0]), [3.75, 8.5])
    np.testing.assert_allclose(head.values(outputs + 1000.0), [[3.75, 8.5]])
    np.testing.assert_allclose(means(outputs[0] - 1000.0, *head.atoms), [3.75, 8.5])


def test_linear_targets_are_reward_and_discounted_value():
    head, after = LinearHead(2), np.array([[1.0, 5.0], [3.0, 2.0]])
    targets = head.targets(np.array([10.0, 20.0]), np.array([0.5, 0.0]), after, np.array([1, 0]))
    np.testing.assert_array_equal(targets, [12.5, 20.0])


@pytest.mark.parametrize("ends", [(1.0, 1.0), (2.0, 1.0), (0.0, np.inf), (np.nan, 1.0)])
def test_a_range_without_width_is_refused(ends):
    with pytest.raises(InputError, match="range of returns"):
        CategoricalHead(2, Atoms(51, *ends))
