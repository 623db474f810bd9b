"""Adam beside scikit-learn's, RMSProp beside its formula, limits of gradients, target copies."""

import warnings

import numpy as np
import pytest
from sklearn.neural_network import MLPRegressor

from pmtwin.policies.network.layers import Layers
from pmtwin.policies.network.optimisers import OPTIMISERS, Adam, RmsProp, limit_norm, limit_norms
from pmtwin.policies.network.regression import fit, penalised_gradient
from pmtwin.policies.network.target_copy import TargetCopy
from pmtwin.sim.errors import CheckFailedError, InputError

PENALTY, RATE, BATCH = 0.01, 2e-3, 20


@pytest.fixture
def data():
    """Inputs, and targets that are a smooth function of them."""
    random = np.random.default_rng(2)
    inputs = random.normal(size=(2000, 6))
    return inputs, np.sin(inputs[:, 0]) + inputs[:, 1] * inputs[:, 2]


def parts(ours, theirs):
    """Pairs of what both have learnt: weights, then biases."""
    return zip([*ours.weights, *ours.biases], [*theirs.coefs_, *theirs.intercepts_], strict=True)


def sklearn_regressor(activation, **arguments):
    return MLPRegressor(
        hidden_layer_sizes=(16, 12),
        activation=activation,
        alpha=PENALTY,
        learning_rate_init=RATE,
        batch_size=BATCH,
        **arguments,
    )


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 1e-5)])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_a_hundred_steps_of_adam_are_those_of_scikit_learn(data, activation, dtype, tolerance):
    """The same first weights, the same minibatches."""
    inputs, targets = data[0].astype(dtype), data[1].astype(dtype)
    theirs = sklearn_regressor(activation, shuffle=False, random_state=4)
    ours = Layers.drawn((6, 16, 12, 1), activation, np.random.RandomState(4), dtype)
    optimiser, gradient = Adam(ours.parameters, RATE), np.empty_like(ours.parameters)
    for begin in range(0, 2000, BATCH):
        batch = inputs[begin : begin + BATCH], targets[begin : begin + BATCH]
        theirs.partial_fit(*batch)
        penalised_gradient(ours, batch[0], batch[1][:, None], PENALTY, gradient)
        optimiser.step(ours.parameters, gradient)
    assert optimiser.steps == 100
    for our_part, their_part in parts(ours, theirs):
        np.testing.assert_allclose(our_part, their_part, atol=tolerance, rtol=0.0)


@pytest.mark.parametrize(("sweeps", "rows"), [(15, 2000), (40, 333), (60, 30)])
def test_a_fit_has_the_bits_of_scikit_learn(data, sweeps, rows):
    """To the last sweep, with a last minibatch that is smaller, and with an early end."""
    inputs, targets = data[0][:rows], data[1][:rows] * (0.01 if rows == 30 else 1.0)
    theirs = sklearn_regressor("relu", max_iter=sweeps, random_state=9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(inputs, targets)
    assert (theirs.n_iter_ < sweeps) == (rows == 30)
    ours = fit(inputs, targets, (16, 12), "relu", sweeps, BATCH, RATE, PENALTY, 9)
    for our_part, their_part in parts(ours, theirs):
        np.testing.assert_array_equal(our_part, their_part)


def test_a_fit_that_diverges_says_so(data):
    with pytest.raises(CheckFailedError, match="2000 rows diverged"), np.errstate(all="ignore"):
        fit(data[0] * 1e200, data[1] * 1e200, (4,), "relu", 2, BATCH, RATE, PENALTY, 0)


def test_rms_prop_by_its_formula():
    parameters, gradient = np.array([1.0, -2.0]), np.array([0.5, 4.0])
    optimiser, mean, expected = RmsProp(parameters, rate=0.1, decay=0.9), np.zeros(2), parameters.copy()
    for _ in range(5):
        mean = 0.9 * mean + 0.1 * gradient**2
        expected -= 0.1 * gradient / (np.sqrt(mean) + 1e-8)
        optimiser.step(parameters, gradient)
    np.testing.assert_allclose(parameters, expected, rtol=1e-14)


@pytest.mark.parametrize("name", OPTIMISERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_optimiser_goes_on_from_its_state(name, dtype):
    random, parameters = np.random.default_rng(1), np.ones(50, dtype)
    gradients = random.normal(size=(10, 50)).astype(dtype)
    optimiser = OPTIMISERS[name](parameters, 0.01)
    for gradient in gradients[:5]:
        optimiser.step(parameters, gradient)
    state, resumed = optimiser.state(), parameters.copy()
    for gradient in gradients[5:]:
        optimiser.step(parameters, gradient)
    other = OPTIMISERS[name](resumed, 0.01)
    other.restore(state)
    for gradient in gradients[5:]:
        other.step(resumed, gradient)
    assert resumed.tobytes() == parameters.tobytes()
    assert other.steps == 10


def test_the_state_of_another_network_is_refused():
    with pytest.raises(InputError, match="moments of the optimiser"):
        Adam(np.ones(3)).restore(Adam(np.ones(4)).state())


def test_a_long_gradient_is_shortened_and_a_short_one_is_not():
    gradient = np.array([3.0, 4.0], dtype=np.float32)
    assert limit_norm(gradient, 10.0) == 5.0
    np.testing.assert_array_equal(gradient, [3.0, 4.0])
    assert limit_norm(gradient, 1.0) == 5.0
    np.testing.assert_allclose(gradient, [0.6, 0.8])


def test_a_soft_copy_comes_nearer_and_a_periodic_one_waits():
    learning = np.array([10.0])
    soft, periodic = TargetCopy(np.zeros(1), share=0.1), TargetCopy(np.zeros(1), share=1.0, every=3)
    shown = []
    for step in range(1, 5):
        for copy in (soft, periodic):
            copy.follow(learning + step, step)
        shown.append((round(float(soft.parameters[0]), 4), float(periodic.parameters[0])))
    assert shown == [(1.1, 0.0), (2.19, 0.0), (3.271, 13.0), (4.3439, 13.0)]


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_a_step_that_the_target_follows_has_the_bits_of_a_step_and_then_of_the_target(kind):
    random = np.random.default_rng(3)
    apart, together = (random.normal(size=500).astype(np.float32) for _ in range(2))
    together[...] = apart
    optimisers = [OPTIMISERS[kind](apart, 1e-2) for _ in range(2)]
    targets = [TargetCopy(parameters, 0.01) for parameters in (apart, together)]
    for step in range(1, 30):
        gradient = random.normal(size=500).astype(np.float32)
        optimisers[0].step(apart, gradient)
        targets[0].follow(apart, step)
        optimisers[1].step_and_follow(together, gradient, targets[1].parameters, 0.01)
        assert np.array_equal(apart, together)
        assert np.array_equal(targets[0].parameters, targets[1].parameters)


def test_a_limit_by_tensor_leaves_short_tensors_alone():
    gradient = np.array([3.0, 4.0, 0.3, 0.4])
    assert limit_norms([gradient[:2], gradient[2:]], 1.0) == 5.0
    np.testing.assert_allclose(gradient, [0.6, 0.8, 0.3, 0.4])
