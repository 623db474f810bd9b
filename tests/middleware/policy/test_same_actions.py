"""An exported policy decides in C++ as the policy itself does in Python, on every state that the twin went through."""

import json
import os
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies import PolicyContext, make_policy, policy_class, policy_names
from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, save_model
from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.files import DEEP_Q, save_network
from pmtwin.policies.network.interface import Interface
from pmtwin.policies.network.layers import Layers
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.policies.steering import exportable_names, steering_document, write_steering
from pmtwin.policies.value.files import save_value
from pmtwin.policies.value.inputs import Inputs
from pmtwin.policies.value.model import AfterstateValue
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.nvm_middleware import NvmMiddleware, NvmMiddlewareEnv
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.errors import InputError

PROGRAM = Path(__file__).parents[3] / "build" / "native" / "pmtwin-act"
WINDOWS = 400
MEASURES = "p99_us", "throughput_ops", "interactive_ops", "batch_ops"
"""Of a window, in the order in which the program reads them."""


def written(choice):
    """An action, or pools to jump to, as the program writes them."""
    return ",".join(map(str, choice)) if isinstance(choice, tuple) else str(choice)


def context_of(latency_us=200.0, throughput_ops=250_000.0):
    """What a policy is told of the thread pools, with these goals."""
    return PolicyContext.of(NvmMiddleware.of(latency_goal_us=latency_us, throughput_goal_ops=throughput_ops))


@pytest.fixture(scope="module")
def act():
    """Asks the program: file, lines -> answers."""
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("pmtwin-act is not built (make build)")

    def ask(path, lines):
        done = subprocess.run([PROGRAM, path], input="\n".join(lines) + "\n", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return ask


@pytest.fixture(scope="module", params=[1, 2, 3])
def q_file(request, tmp_path_factory):
    """A file of action values of each degree; random weights, so that every action is some state's best."""
    random = np.random.default_rng(request.param)
    states = np.column_stack(
        [
            random.integers(1, 33, (500, 2)),
            random.uniform(0, 400, (500, 2)),
            random.choice([50, 500], 500),
            random.choice([4096, 8192], 500),
            random.uniform(0, 1, (500, 2)),
        ]
    )
    feature_map = FeatureMap.fit(states, request.param, context_of().log_columns)
    degrees = [1 + index % request.param for index in range(9)]
    model = LinearQ(feature_map, [ModelChoice(degree) for degree in degrees])
    for action, count in enumerate(model.features):
        model.weights[:count, action] = random.normal(size=count)
    return save_model(tmp_path_factory.mktemp("q") / "q.npz", model, {"scenario": "nvm-middleware"})


@pytest.fixture(
    scope="module", params=[("tanh", None), ("relu", None), ("swish", None), ("swish", Atoms(11, -2.0, 5.0))]
)
def network_file(request, tmp_path_factory):
    """A file of a network with random weights, large enough that every action is some state's best."""
    random, (activation, atoms) = np.random.default_rng(5), request.param
    shapes = [(16, 8), (12, 16), (9 * (atoms.count if atoms else 1), 12)]
    weights, biases = [random.normal(size=shape) for shape in shapes], [random.normal(size=n) for n, _ in shapes]
    network = Perceptron(Normalization(NvmMiddleware.columns).scaling, weights, biases, activation, atoms)
    return save_network(tmp_path_factory.mktemp("mlp") / "mlp.npz", network, {"scenario": "nvm-middleware"})


@pytest.fixture(scope="module", params=[(True, 2, True), (True, 1, False), (False, 3, True)])
def seeing_file(request, tmp_path_factory):
    """A file of a network that sees measures or windows before the last, and jumps or acts."""
    random, scenario = np.random.default_rng(6), NvmMiddleware.of()
    interface = Interface.showing_measures(context_of(), *request.param)
    shown = scenario.measures if interface.measures else ()
    scaling = Normalization(scenario.columns, shown, scenario.goals, interface.windows).scaling
    shapes = [(16, scaling.shape[1]), (interface.outputs(context_of()), 16)]
    weights, biases = [random.normal(size=shape) for shape in shapes], [random.normal(size=n) for n, _ in shapes]
    origin = {"scenario": "nvm-middleware", "interface": interface.to_dict()}
    network = Perceptron(scaling, weights, biases, "tanh")
    return save_network(tmp_path_factory.mktemp("mlp") / "mlp.npz", network, origin)


@pytest.fixture(scope="module", params=["tanh", "relu"])
def value_file(request, tmp_path_factory):
    """A file of a value model with random weights; many pools are some window's best."""
    random = np.random.default_rng(8)
    inputs = Inputs.of(context_of())
    size = 2 * inputs.window_size
    logs, means, scales = [*inputs.logs[:-2], *inputs.logs], random.normal(4, 2, size + 2), np.full(size + 2, 2.0)
    scaling = np.array([logs, means, scales], dtype=float)
    shapes = [(12, size + 2), (7, 12), (1, 7)]
    weights, biases = [random.normal(size=shape) for shape in shapes], [random.normal(size=n) for n, _ in shapes]
    value = AfterstateValue(inputs, Perceptron(scaling, weights, biases, request.param))
    return save_value(tmp_path_factory.mktemp("value") / "value.npz", value, {"scenario": "nvm-middleware"})


class Recorder:
    """A policy that keeps what it was told and what it chose."""

    def __init__(self, policy):
        self.policy, self.lines, self.actions = policy, [], []
        for name in ("needs_context", "needs_load", "needs_trials", "hears_workloads", "mode", "inline"):
            setattr(self, name, getattr(policy, name))

    def start(self, context):
        pools = self.policy.start(context)
        self.lines.append("start")
        self.actions.append("-" if pools is None else written(pools))
        return pools

    def act(self, observation, info=None):
        action = self.policy.act(observation, info)
        measured = [info[name] for name in MEASURES] if info else []
        self.lines.append(" ".join(repr(float(value)) for value in (*observation, *measured)))
        self.actions.append(written(action))
        return action

    def on_workload(self):
        self.policy.on_workload()

    def note(self):
        return self.policy.note()

    def observe(self, *_):
        pass


def recorded(spec, context):
    """What happened to the policy in the twin, over all phases, twice."""
    recorder = Recorder(make_policy(spec))
    schedule = [Block(phase, WINDOWS // 8) for phase in (1, 2, 3, 4, 2, 4, 3, 1)]
    for seed, warmup in ((1, 1), (2, 0)):
        env = NvmMiddlewareEnv(
            episode_steps=None,
            requests_per_window=200,
            warmup_windows=warmup,
            mode=recorder.mode,
            initial_pools="random",
        )
        run_policy(recorder, context, env, schedule, seed)
    return recorder


def same(spec, act, tmp_path, least_different, context=None):
    context = context or context_of()
    recorder = recorded(spec, context)
    assert len(set(recorder.actions)) >= least_different
    path = write_steering(tmp_path / "policy.json", make_policy(spec), context)
    assert act(path, recorder.lines) == recorder.actions


@pytest.mark.parametrize("spec", ["none", "fixed:10,12"])
def test_constant_policies(spec, act, tmp_path):
    same(spec, act, tmp_path, 2)


@pytest.mark.parametrize("goals", [(200.0, 250_000.0), (4000.0, 280_000.0), (1e5, 1e4), (100.0, 1e4)])
def test_threshold_with_goals_met_and_missed(goals, act, tmp_path):
    same("threshold", act, tmp_path, 3, context_of(*goals))


def test_q_learning_of_each_degree(q_file, act, tmp_path):
    same(f"q-learning:{q_file}", act, tmp_path, 3)


def test_a_network(network_file, act, tmp_path):
    same(f"mlp:{network_file}", act, tmp_path, 3)


def test_a_deep_q_network_is_exported_as_a_network(act, tmp_path):
    random, interface = np.random.default_rng(7), Interface.showing_measures(context_of(), True, 2, False)
    scenario = NvmMiddleware.of()
    scaling = Normalization(scenario.columns, scenario.measures, scenario.goals, 2).scaling
    layers = Layers.drawn((scaling.shape[1], 16, 9 * 5), "relu", random)
    network = Perceptron.of(layers, scaling, Atoms(5, -1.0, 1.0))
    origin = {"scenario": "nvm-middleware", "interface": interface.to_dict()}
    same(f"dqn:{save_network(tmp_path / 'dqn.npz', network, origin, DEEP_Q)}", act, tmp_path, 3)


def test_a_network_with_measures_history_and_jumps(seeing_file, act, tmp_path):
    same(f"mlp:{seeing_file}", act, tmp_path, 3)


def test_afterstate_values(value_file, act, tmp_path):
    same(f"afterstate:{value_file}", act, tmp_path, 8)


def test_afterstate_values_with_hysteresis(value_file, act, tmp_path):
    spec = f"afterstate:{value_file},hysteresis=0.3"
    same(spec, act, tmp_path, 4)
    usual, lazy = (recorded(each, context_of()).actions for each in (f"afterstate:{value_file}", spec))
    changes = [sum(before != after for before, after in pairwise(actions)) for actions in (usual, lazy)]
    assert changes[1] < changes[0]


def test_a_trained_file_is_exported_as_the_policy_in_it(value_file):
    documents = [
        steering_document(make_policy(f"{name}:{value_file}"), context_of()) for name in ("trained", "afterstate")
    ]
    assert documents[0]["layers"] == documents[1]["layers"]
    assert documents[0]["kind"] == documents[1]["kind"] == "afterstate"


def test_q_learning_on_states_far_from_its_training_and_at_the_bounds(q_file, act, tmp_path):
    same_anywhere(f"q-learning:{q_file}", act, tmp_path, 6)


def test_a_network_on_any_states(network_file, act, tmp_path):
    same_anywhere(f"mlp:{network_file}", act, tmp_path, 4)


def same_anywhere(spec, act, tmp_path, least_different):
    random = np.random.default_rng(4)
    low, high = ([getattr(column, end) for column in NvmMiddleware.columns] for end in ("low", "high"))
    corners = np.where(random.integers(0, 2, (300, 8)), low, high).astype(float)
    anywhere = np.exp2(random.uniform(-10, 20, (5000, 8)))
    policy, context = make_policy(spec), context_of()
    states = np.concatenate([corners, anywhere])
    states[:, :2] = np.floor(states[:, :2])  # threads
    path = write_steering(tmp_path / "policy.json", policy, context)
    actions = [str(policy.act(state)) for state in states]
    assert len(set(actions)) >= least_different
    assert act(path, [" ".join(map(repr, state.tolist())) for state in states]) == actions


def test_the_shipped_policies_that_need_no_oracle_no_luck_and_no_lessons_can_be_exported():
    without = set(policy_names()) - set(exportable_names())
    assert {"none", "fixed", "threshold", "q-learning", "mlp", "dqn", "afterstate", "trained"} <= set(
        exportable_names()
    )
    assert {"best-fixed", "online-q", "random"} <= without and policy_class("best-fixed").needs_context


def test_others_are_refused_by_name(tmp_path, capsys):
    path = tmp_path / "policy.json"
    with pytest.raises(InputError, match="afterstate, dqn, fixed, mlp, none, q-learning, threshold, trained"):
        write_steering(path, make_policy("random"), context_of())
    assert cli.main(["export", "best-fixed", "-o", str(path)]) == 2
    assert "policy" in capsys.readouterr().err
    assert not path.exists()


def test_the_command_writes_the_goals_that_it_is_given(tmp_path, capsys):
    path = tmp_path / "policy.json"
    assert cli.main(["export", "threshold", "-o", str(path), "--latency-goal-us", "150", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == str(path)
    written = json.loads(path.read_text())
    assert (written["latency_goal_us"], written["throughput_goal_ops"]) == (150.0, 250_000.0)
    assert cli.main(["export", "threshold", "-o", str(path), "--latency-goal-us", "nan"]) == 2
    assert "--latency-goal-us" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    ["1 2 3", "1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 8 9 10", "1 2 3 4 5 6 7 8 9 10 11 12 13", "1.5 2 3 4 5 6 7 8", "a"],
)
def test_a_line_that_is_no_state_ends_with_2(line, act, tmp_path):
    path = write_steering(tmp_path / "policy.json", make_policy("none"), context_of())
    done = subprocess.run([PROGRAM, path], input=line + "\n", capture_output=True, text=True)
    assert done.returncode == 2
    assert "line 1" in done.stderr
