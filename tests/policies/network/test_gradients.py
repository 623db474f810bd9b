"""Gradients of every layer, activation and head are those of finite differences; both ways to run layers agree."""

import numpy as np
import pytest

from pmtwin.policies.network.activations import ACTIVATIONS
from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.heads import CategoricalHead, LinearHead
from pmtwin.policies.network.layers import Layers, parameter_count
from pmtwin.policies.network.regression import penalised_gradient
from pmtwin.sim.errors import InputError

ACTIONS, COLUMNS, ROWS = 3, 4, 7
HEADS = [LinearHead(ACTIONS), CategoricalHead(ACTIONS, Atoms(5, -1.0, 2.0))]
NAMES = ["linear", "categorical"]
STEP = 1e-6


@pytest.fixture
def random():
    return np.random.default_rng(5)


def by_differences(loss, parameters):
    """Slope of a function without arguments with respect to each parameter, by central differences."""
    slopes = np.empty_like(parameters)
    for k, value in enumerate(parameters.tolist()):
        parameters[k] = value + STEP
        above = loss()
        parameters[k] = value - STEP
        slopes[k] = (above - loss()) / (2.0 * STEP)
        parameters[k] = value
    return slopes


@pytest.mark.parametrize("units", [(), (6,), (6, 5, 4)], ids=str)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("head", HEADS, ids=NAMES)
def test_of_a_value_network(random, head, activation, units):
    layers = Layers.drawn((COLUMNS, *units, head.outputs), activation, random, np.float64)
    states, actions = random.normal(size=(ROWS, COLUMNS)), random.integers(ACTIONS, size=ROWS)
    targets = head.targets(
        random.normal(size=ROWS),
        random.uniform(size=ROWS),
        random.normal(size=(ROWS, head.outputs)),
        random.integers(ACTIONS, size=ROWS),
    )

    def loss():
        return head.gradient(layers.run(states).outputs, actions, targets)[0]

    passed, gradient = layers.run(states), np.empty_like(layers.parameters)
    layers.gradient(passed, head.gradient(passed.outputs, actions, targets)[1], gradient)
    np.testing.assert_allclose(gradient, by_differences(loss, layers.parameters), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_of_a_regression(random, penalty):
    layers = Layers.drawn((COLUMNS, 6, 2), "tanh", random, np.float64)
    inputs, targets, gradient = (
        random.normal(size=(ROWS, COLUMNS)),
        random.normal(size=(ROWS, 2)),
        np.empty_like(layers.parameters),
    )
    penalised_gradient(layers, inputs, targets, penalty, gradient)
    unused = np.empty_like(gradient)

    def loss():
        # the mean over outputs is halved again in the loss, as scikit-learn states it, and not in its gradient
        return 2.0 * penalised_gradient(layers, inputs, targets, 0.0, unused) + sum(
            0.5 * penalty * float((weights**2).sum()) / ROWS for weights in layers.weights
        )

    np.testing.assert_allclose(gradient, by_differences(loss, layers.parameters), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_compiled_values_of_an_observation_are_those_of_a_batch(random, activation, dtype):
    layers = Layers.drawn((COLUMNS, 16, 16, ACTIONS), activation, random, dtype)
    states = random.normal(scale=30.0, size=(ROWS, COLUMNS)).astype(dtype)
    alone = np.array([layers.values(state) for state in states])
    assert alone.dtype == dtype
    np.testing.assert_allclose(alone, layers.run(states).outputs, rtol=50 * np.finfo(dtype).eps, atol=1e-5)


@pytest.mark.parametrize(
    ("sizes", "activation", "count", "message"),
    [
        ((4,), "tanh", 0, "sizes of layers.*4"),
        ((4, 0, 2), "tanh", 0, "sizes of layers"),
        ((4, 2), "tanh", 9, r"shape \(10,\)"),
        ((4, 2), "swosh", 10, "swish"),
    ],
)
def test_layers_that_cannot_be_are_refused(sizes, activation, count, message):
    with pytest.raises(InputError, match=message):
        Layers(sizes, activation, np.zeros(count))


def test_a_copy_learns_alone(random):
    layers = Layers.drawn((COLUMNS, 5, ACTIONS), "relu", random)
    other = layers.copy()
    other.parameters += 1.0
    assert layers.parameters.dtype == np.float32
    assert len(layers.parameters) == parameter_count(layers.sizes) == 43
    np.testing.assert_array_equal(other.weights[1], layers.weights[1] + 1.0)
