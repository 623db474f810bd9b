"""The fused categorical network: values, targets and gradients of the kit's layers and head, and finite differences."""

import numpy as np
import pytest

from pmtwin.policies.network import fused
from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.heads import CategoricalHead
from pmtwin.policies.network.layers import Layers, parameter_count
from pmtwin.policies.network.optimisers import OPTIMISERS, descend

SIZES = [(7, 10, 2, 51), (9, 10, 4, 51), (1, 3, 2, 5), (6, 1, 3, 2)]
LOW, HIGH, STEP = -3.0, 9.0, 1e-6


class Case:
    """A network of a type with random parameters, its sizes, workspaces, and the same network of the kit."""

    def __init__(self, sizes, dtype):
        columns, units, actions, atoms = sizes
        self.random, self.sizes, self.dtype = np.random.default_rng(sum(sizes)), np.array(sizes), dtype
        self.head = CategoricalHead(actions, Atoms(atoms, LOW, HIGH))
        self.layers = Layers.drawn((columns, units, actions * atoms), "swish", self.random, dtype)
        self.parameters, self.step = self.layers.parameters, dtype((HIGH - LOW) / (atoms - 1))
        self.work, self.values = np.zeros((fused.WORK_ROWS, fused.work_width(sizes)), dtype), np.zeros(actions, dtype)

    def inputs(self, rows=1):
        """Observations."""
        return self.random.normal(size=(rows, self.sizes[0])).astype(self.dtype)

    def target(self, after, reward, discount):
        """The target of a row; it also stays in the workspace."""
        numbers = self.dtype(reward), self.dtype(discount), self.dtype(LOW), self.step
        fused.set_target(self.parameters, self.sizes, after, *numbers, self.work, self.values)
        return self.work[fused.TARGET, : self.sizes[3]].copy()

    def gradient(self, state, action, gradient):
        """The loss of a row with the target in the workspace; its gradient is added."""
        weight = self.dtype(1.0)
        return fused.add_gradient(self.parameters, self.sizes, state, action, weight, self.work, gradient)


@pytest.fixture(params=SIZES, ids=str)
def case(request):
    """In double precision; the exponentials are those of single precision."""
    return Case(request.param, np.float64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_values_are_those_of_the_kit(sizes, dtype):
    case = Case(sizes, dtype)
    for inputs in case.inputs(50) * dtype(3.0):
        fused.action_values(case.parameters, case.sizes, inputs, dtype(LOW), case.step, case.work, case.values)
        np.testing.assert_allclose(case.values, case.head.values(case.layers.values(inputs)), atol=2e-5)


def test_the_exponential_is_that_of_single_precision():
    numbers = np.linspace(-87.0, 80.0, 20_001, dtype=np.float32)
    ours = np.array([fused.exponential(number) for number in numbers])
    np.testing.assert_allclose(ours, np.exp(numbers.astype(float)), rtol=1e-5)
    near = np.abs(numbers) < 8.0
    np.testing.assert_allclose(ours[near], np.exp(numbers[near].astype(float)), rtol=1e-6)
    assert fused.exponential(np.float32(-1e9)) < 1e-37


def test_the_target_is_that_of_the_head(case):
    for after in case.inputs(20):
        reward, discount = case.random.normal(scale=5.0), case.random.choice([0.0, 0.9, 1.0])
        outputs = case.layers.values(after)[None]
        best = case.head.values(outputs).argmax(axis=1)
        expected = case.head.targets(np.array([reward]), np.array([discount]), outputs, best)[0]
        target = case.target(after, reward, discount)
        np.testing.assert_allclose(target, expected, atol=2e-5)
        assert target.sum() == pytest.approx(1.0, abs=1e-6)


def test_the_gradient_is_that_of_finite_differences_and_of_the_kit(case):
    state, after = case.inputs(2)
    action = int(case.random.integers(case.sizes[2]))
    target = case.target(after, 0.7, 0.9)
    gradient, unused = np.zeros_like(case.parameters), np.zeros_like(case.parameters)
    loss = case.gradient(state, action, gradient)

    def exact_loss():
        return case.head.gradient(case.layers.run(state[None]).outputs, np.array([action]), target[None])[0]

    slopes = np.empty_like(gradient)
    for k, value in enumerate(case.parameters.tolist()):
        case.parameters[k] = value + STEP
        above = exact_loss()
        case.parameters[k] = value - STEP
        slopes[k] = (above - exact_loss()) / (2.0 * STEP)
        case.parameters[k] = value
    assert loss == pytest.approx(exact_loss(), abs=1e-5)
    np.testing.assert_allclose(gradient, slopes, atol=2e-6, rtol=1e-4)
    passed = case.layers.run(state[None])
    of_outputs = case.head.gradient(passed.outputs, np.array([action]), target[None])[1]
    case.layers.gradient(passed, of_outputs, unused)
    np.testing.assert_allclose(gradient, unused, atol=2e-6, rtol=1e-4)


def test_gradients_of_rows_add_up(case):
    states, after = case.inputs(2), case.inputs()[0]
    case.target(after, -1.0, 0.5)
    alone = [np.zeros_like(case.parameters) for _ in states]
    together = np.zeros_like(case.parameters)
    for state, gradient in zip(states, alone, strict=True):
        case.gradient(state, 0, gradient)
        case.gradient(state, 0, together)
    np.testing.assert_allclose(together, sum(alone), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_steps_inside_compiled_code_are_those_of_the_optimiser(name):
    random = np.random.default_rng(2)
    count = parameter_count((4, 3, 6))
    start = random.normal(size=count).astype(np.float32)
    ours, theirs, moments = start.copy(), start.copy(), np.zeros((2, count), np.float32)
    optimiser = OPTIMISERS[name](theirs, 3e-3)
    for step in range(1, 30):
        gradient = random.normal(size=count).astype(np.float32)
        descend(list(OPTIMISERS).index(name), ours, gradient, moments, step, 3e-3)
        optimiser.step(theirs, gradient)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    assert np.abs(ours - start).min() > 1e-4
