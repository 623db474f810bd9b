"""A network's file gives back its network; what is no network, or serves another scenario, is refused by name."""

import numpy as np
import pytest

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.network.files import load_network, save_network
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.control import Column
from pmtwin.sim.errors import InputError
from pmtwin.sim.normalization import Normalization


def network(columns=8, actions=9, activation="tanh", **changes):
    random = np.random.default_rng(3)
    given = {
        "scaling": np.array([np.zeros(columns), np.zeros(columns), np.ones(columns)]),
        "weights": [random.normal(size=(5, columns)), random.normal(size=(actions, 5))],
        "biases": [random.normal(size=5), random.normal(size=actions)],
        "activation": activation,
    }
    return Perceptron(**given | changes)


@pytest.mark.parametrize(("activation", "function"), [("tanh", np.tanh), ("relu", lambda x: np.maximum(x, 0.0))])
def test_values_are_those_of_the_matrix_products(activation, function):
    made, observation = network(activation=activation), np.linspace(-1.0, 1.0, 8)
    expected = made.weights[1] @ function(made.weights[0] @ observation + made.biases[0]) + made.biases[1]
    np.testing.assert_allclose(made.values(observation), expected, rtol=1e-12)


def test_a_file_gives_the_same_network_and_the_same_bytes(tmp_path):
    made = network()
    path = save_network(tmp_path / "a.npz", made, {"scenario": "nvm-middleware"})
    read, origin = load_network(path)
    assert origin == {"scenario": "nvm-middleware"}
    assert all(np.array_equal(old, new) for old, new in zip(made.weights, read.weights, strict=True))
    assert save_network(tmp_path / "b.npz", read, origin).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"activation": "gelu"}, "activation.*gelu.*tanh, relu"),
        ({"weights": [np.zeros((5, 7)), np.zeros((9, 5))]}, "layer 0"),
        ({"biases": [np.zeros(5), np.full(9, np.nan)]}, "not finite"),
        ({"weights": [], "biases": []}, "0 layers"),
        ({"scaling": np.zeros((3, 8))}, "scaling"),
    ],
)
def test_arrays_that_are_no_network_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        network(**changes)


def test_a_file_for_other_observations_or_another_scenario_is_refused(tmp_path):
    context = PolicyContext.of(NvmMiddleware.of())
    for made, origin, message in (
        (network(columns=7), {}, "observation_size.*7"),
        (network(actions=4), {}, "action_count.*4"),
        (network(), {"scenario": "another"}, "scenario.*another"),
    ):
        path = save_network(tmp_path / "n.npz", made, origin)
        with pytest.raises(InputError, match=message):
            make_policy(f"mlp:{path}").start(context)


def test_an_action_value_file_is_no_network(tmp_path):
    np.savez(tmp_path / "q.npz", header=np.array('{"format": "pmtwin-linear-q", "schema": 1}'))
    with pytest.raises(InputError, match=r"pmtwin-linear-q schema 1.*pmtwin-mlp schema 1"):
        make_policy(f"mlp:{tmp_path / 'q.npz'}")


def test_bounds_become_minus_one_and_one_and_ratios_equal_steps():
    normalization = Normalization([Column("threads", 1, 31, scale="log"), Column("share", 0, 1)])
    rows = np.array([[1.0, 0.0], [7.0, 0.5], [31.0, 1.0]])
    np.testing.assert_allclose(normalization.observation(rows), [[-1, -1], [0, 0], [1, 1]], atol=1e-12)
    assert normalization.reward(0.0) == 0.0
    assert normalization.reward(-9.0) == -np.log(10.0)


def test_a_column_without_bounds_cannot_be_normalised():
    with pytest.raises(InputError, match="queue, from 0 to inf"):
        Normalization([Column("queue", 0, np.inf)])
