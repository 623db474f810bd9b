"""A network's file gives back its network; what is no network, or serves another scenario, is refused by name."""

import numpy as np
import pytest

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.network.files import load_network, save_network
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.control import Column, Measure
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.errors import InputError


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
        ({"activation": "gelu"}, "activation.*gelu.*relu, swish, tanh"),
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


def test_a_network_that_sees_two_windows_with_measures_and_jumps(tmp_path):
    interface = {"measures": ["p99_us", "throughput_ops"], "windows": 2, "jumps": True}
    made = network(columns=20, actions=64)
    origin = {"scenario": "nvm-middleware", "interface": interface}
    policy = make_policy(f"mlp:{save_network(tmp_path / 'n.npz', made, origin)}")
    context = PolicyContext.of(NvmMiddleware.of())
    policy.start(context)
    observations = [np.linspace(1.0, 2.0, 8), np.linspace(3.0, -2.0, 8)]
    infos = [{"p99_us": 150.0, "throughput_ops": 3e5}, {"p99_us": 250.0, "throughput_ops": 2e5}]
    rows = [[*observation, *info.values()] for observation, info in zip(observations, infos, strict=True)]
    assert policy.act(observations[0]) == 0  # nothing was measured: no change
    for numbers, observation, info in (
        (rows[0] * 2, observations[0], infos[0]),
        (rows[1] + rows[0], observations[1], infos[1]),
    ):
        values = made.values(np.array(numbers))
        assert policy.act(observation, info) == (1 + values[:32].argmax(), 1 + values[32:].argmax())
    assert policy.exported(context).items() >= interface.items()


@pytest.mark.parametrize(
    ("interface", "message"),
    [
        ({"windows": 2}, "observation_size: 16.*20"),
        ({"windows": 0}, "windows: 0"),
        ({"windows": True}, "windows: true"),
        ({"measures": [3]}, "measures"),
        ({"measures": "p"}, "measure: 'p'"),
        ({"jumps": 1}, "jumps: 1"),
        ({"jumps": True}, "action_count: 64.*9"),
        ([], "interface"),
        ({"measures": ["p99_us", "height_m"], "windows": 2}, "measure: 'height_m'.*throughput_ops"),
    ],
)
def test_a_file_whose_interface_does_not_fit_is_refused(interface, message, tmp_path):
    path = save_network(tmp_path / "n.npz", network(columns=20), {"interface": interface})
    with pytest.raises(InputError, match=message):
        make_policy(f"mlp:{path}").start(PolicyContext.of(NvmMiddleware.of()))


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


def test_a_measure_without_goal_or_usual_range_cannot_be_normalised():
    with pytest.raises(InputError, match="served_per_s, low None, high None"):
        Normalization([], [Measure("served_per_s", "1/s", "visitors served")])
