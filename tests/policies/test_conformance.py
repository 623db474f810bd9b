"""What every registered policy must do, in unlike scenarios; a new policy is tested by being registered."""

import importlib.util
import inspect
import subprocess
import sys
from itertools import product

import cloudpickle
import numpy as np
import pytest

from pmtwin.policies import Policy, describe, make_policy, policy_class, policy_names
from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, save_model
from pmtwin.policies.network.files import save_network
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.policies.value.files import save_value
from pmtwin.policies.value.inputs import Inputs
from pmtwin.policies.value.model import AfterstateValue
from pmtwin.scenarios.comparison.clairvoyant import WindowPlan
from pmtwin.scenarios.system import Load
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, leaves

ABSENT = {"optuna"} if importlib.util.find_spec("optuna") is None else set()
"""Policies whose package is not installed."""

NAMES = [name for name in policy_names() if name not in ABSENT]
SERVED = {
    "toy": set(NAMES) - {"predictive"},
    "gate": set(NAMES) - {"predictive"},
    "threads": {
        "none",
        "fixed",
        "random",
        "best-fixed",
        "best-constant",
        "clairvoyant",
        "prophet",
        "gp-ucb",
        *({"random-search", "hill-climbing", "optuna"} - ABSENT),
    },
}
"""Scenario -> policies that serve it; the others refuse it."""

PLACEMENTS = {"fillrandom": (48, 12, 0), "readseq": (24, 36, 12)}


class World:
    """A scenario as the tests see it: contexts for policies, and windows that it might show.

    `files`: the world whose trained files are given to policies; None: it has some of its own.
    """

    def __init__(self, name, module, contexts, best, folder, files=None):
        self.name, self.module, self.contexts, self.best = name, module, contexts, best
        self.fixed = ",".join(map(str, best[contexts[0]]))
        if files is not None:
            self.file, self.network, self.value = files.file, files.network, files.value
            return
        self.file = self._saved(folder / f"{name}.npz")
        self.network = self._saved_network(folder / f"{name}-network.npz")
        self.value = self._saved_value(folder / f"{name}-value.npz")

    def context(self, seed=0, **changes):
        settings = tuple(self.best.values())
        plan = WindowPlan(settings, np.zeros((len(settings), 1, 0)), np.arange(float(len(settings)))[:, None])
        plans = {name: dict.fromkeys(product((True, False), repeat=2), plan) for name in self.contexts}
        oracles = {"best": self.best, "constant": settings[0], "plans": plans}
        return self.module.context(seed=seed, context=self.contexts[0], **(oracles | changes))

    def windows(self, count, seed=0):
        """Observations and measures within the declared columns, goals met and missed in turn."""
        random = np.random.default_rng(seed)
        columns, settings = self.module.COLUMNS, self.module.SETTINGS
        for _ in range(count):
            observation = np.array([random.uniform(column.low, min(column.high, 1e4)) for column in columns])
            for name, values in zip(settings.names, settings.levels, strict=True):
                index = [column.name for column in columns].index(name)
                observation[index] = values[random.integers(len(values))]
            limits = {each.name: 1.0 for each in self.context().measures}
            limits |= {goal.measure.name: goal.limit for goal in self.context().goals}
            yield observation, {name: limit * random.lognormal(0.0, 0.5) for name, limit in limits.items()}

    def spec(self, name):
        """A spec of the policy: its first option is a setting or a trained file, if it must be given."""
        required = [leaf for leaf in leaves(policy_class(name).Takes) if describe(name)[0]["default"] == "required"]
        if not required:
            return name
        if required[0].name == "file":
            files = {"mlp": self.network, "afterstate": self.value}
            return f"{name}:{files.get(name, self.file)}"
        return f"{name}:{self.fixed}"

    def _saved(self, path):
        """A file of action values with random weights: what matters here is that it acts, not how well."""
        states = np.array([observation for observation, _ in self.windows(50)])
        feature_map = FeatureMap.fit(states, 2, self.context().log_columns)
        model = LinearQ(feature_map, [ModelChoice()] * self.context().action_count)
        model.weights[:] = np.random.default_rng(0).normal(size=model.weights.shape)
        return save_model(path, model, {"scenario": self.context().scenario})

    def _saved_network(self, path):
        """A file of a network with random weights."""
        random, columns = np.random.default_rng(0), len(self.module.COLUMNS)
        scaling = np.array([self.context().log_columns, np.ones(columns), np.full(columns, 5.0)], dtype=float)
        actions = self.context().action_count
        weights = [random.normal(size=(6, columns)), random.normal(size=(actions, 6))]
        network = Perceptron(scaling, weights, [np.zeros(6), np.zeros(actions)], "tanh")
        return save_network(path, network, {"scenario": self.context().scenario})

    def _saved_value(self, path):
        """A file of a value model with random weights."""
        random, inputs = np.random.default_rng(0), Inputs.of(self.context())
        columns = 2 * inputs.window_size + len(self.module.SETTINGS.names)
        scaling = np.array([np.zeros(columns), np.ones(columns), np.full(columns, 5.0)])
        weights = [random.normal(size=(6, columns)), random.normal(size=(1, 6))]
        network = Perceptron(scaling, weights, [np.zeros(6), np.zeros(1)], "relu")
        return save_value(path, AfterstateValue(inputs, network), {"scenario": self.context().scenario})

    def play(self, policy, context, count=200):
        """The first setting and the actions over `count` windows, rewards and contexts told as a scenario would."""
        actions = [policy.start(context)]
        for index, (observation, info) in enumerate(self.windows(count)):
            if policy.needs_context and index == count // 2:
                policy.on_context(self.contexts[1])
            if policy.needs_load:
                policy.on_load(Load())
            if policy.needs_trials:
                policy.on_trials(lambda setting: (float(sum(setting)), Load()))
            action = policy.act(observation, info)
            policy.observe(observation, action, -1.0, observation, False)
            actions.append(action.tolist() if isinstance(action, np.ndarray) else action)
        return actions

    def accepts(self, action, context):
        if isinstance(action, tuple):
            return all(type(number) is int for number in action) and (not action or context.settings.contains(action))
        if context.is_discrete:
            return type(action) is int and 0 <= action < context.action_count
        return context.action_space.contains(np.asarray(action))


@pytest.fixture(scope="session")
def worlds(toy, gate, threads, tmp_path_factory):
    folder = tmp_path_factory.mktemp("worlds")
    best = {1: (10, 10), 3: (5, 6)}
    toys = World("toy", toy, (1, 3), best, folder)
    return {
        "toy": toys,
        "gate": World("gate", gate, ("quiet", "rush"), {"quiet": (3,), "rush": (6,)}, folder),
        "threads": World("threads", threads, tuple(PLACEMENTS), PLACEMENTS, folder, files=toys),
    }


@pytest.fixture(params=[(world, name) for world, names in SERVED.items() for name in sorted(names)], ids="-".join)
def served(request, worlds):
    """Every scenario, and the spec of each policy that serves it."""
    world, name = request.param
    return worlds[world], worlds[world].spec(name)


@pytest.mark.parametrize("world", SERVED)
def test_every_policy_serves_a_scenario_or_refuses_it_by_name(world, worlds):
    serving = set()
    for name in NAMES:
        try:
            make_policy(worlds[world].spec(name)).start(worlds[world].context())
        except InputError as error:
            assert error.field in ("policy", "scenario") and worlds[world].context().scenario in str(error)
        else:
            serving.add(name)
    assert serving == SERVED[world]


@pytest.mark.parametrize("missing", ["action_space", "settings", "columns", "goals"])
@pytest.mark.parametrize("name", NAMES)
def test_without_a_part_of_the_scenario_a_policy_runs_or_refuses(worlds, name, missing):
    world = worlds["toy"]
    context = world.context(**{missing: None if missing in ("action_space", "settings") else ()})
    policy = make_policy(world.spec(name))
    try:
        policy.start(context)
    except InputError:
        return
    for observation, info in world.windows(20):
        assert world.accepts(policy.act(observation, info), world.context())


def test_it_is_a_policy_with_its_name_and_a_docstring(served):
    _, spec = served
    policy = make_policy(spec)
    assert isinstance(policy, Policy)
    assert policy.name == spec.partition(":")[0]
    assert policy.mode in (None, "direct")
    assert type(policy).__doc__


@pytest.mark.parametrize("spec", ["Lucky", "Stubborn", "Stubborn:windows=5", "Stubborn:5"])
def test_the_policies_of_the_documentation_run_in_any_scenario_with_numbered_actions(worlds, tmp_path, spec):
    examples = inspect.getdoc(Policy).partition("\nArgs:")[0].splitlines()
    file = tmp_path / "my_policies.py"
    file.write_text("\n".join(line.removeprefix("    ") for line in examples if line.startswith("    ")))
    for world in (each for each in worlds.values() if each.context().is_discrete):
        actions = world.play(make_policy(f"{file}:{spec}"), world.context())[1:]
        assert all(world.accepts(action, world.context()) for action in actions)
        assert len(set(actions)) == world.context().action_count


def test_its_options_are_a_frozen_dataclass_with_a_line_of_help_each(served):
    takes = policy_class(served[1].partition(":")[0]).Takes
    assert issubclass(takes, Options)
    assert takes.__dataclass_params__.frozen
    assert [leaf.name for leaf in leaves(takes) if not leaf.about.help] == []


def test_its_spec_makes_it_again(served):
    world, spec = served
    policy = make_policy(spec)
    again = make_policy(policy.spec)
    assert again.spec == policy.spec
    assert world.play(again, world.context()) == world.play(policy, world.context())


def test_its_options_stand_under_their_keys_as_well(served):
    _, spec = served
    name, _, text = spec.partition(":")
    if text:
        key = leaves(policy_class(name).Takes)[0].name
        assert make_policy(f"{name}:{key}={text}").spec == make_policy(spec).spec


def test_every_action_is_valid(served):
    world, spec = served
    context = world.context()
    first, *actions = world.play(make_policy(spec), context)
    assert first is None or world.accepts(first, context)
    assert [action for action in actions if not world.accepts(action, context)] == []


def test_it_acts_before_anything_was_measured(served):
    world, spec = served
    policy, context = make_policy(spec), world.context()
    policy.start(context)
    observation, _ = next(world.windows(1))
    for info in (None, {}):
        assert world.accepts(policy.act(observation, info), context)


def test_same_seed_same_actions_on_one_object_and_on_two(served):
    world, spec = served
    policy = make_policy(spec)
    first = world.play(policy, world.context(seed=3))
    assert world.play(policy, world.context(seed=3)) == first
    assert world.play(make_policy(spec), world.context(seed=3)) == first


def test_it_starts_the_same_whatever_else_was_drawn_from_the_seed(served):
    world, spec = served
    fresh, used = np.random.SeedSequence(5), np.random.SeedSequence(5)
    used.spawn(4)
    assert world.play(make_policy(spec), world.context(used)) == world.play(make_policy(spec), world.context(fresh))


def test_it_leaves_the_global_random_numbers_alone(served):
    world, spec = served
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the very state that must not be touched
    world.play(make_policy(spec), world.context())
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_it_does_not_write_into_the_observation(served):
    world, spec = served
    policy = make_policy(spec)
    policy.start(world.context())
    for observation, info in world.windows(20):
        observation.flags.writeable = False
        policy.act(observation, info)


def test_a_needless_missing_or_unknown_option_is_refused(served):
    name, _, options = served[1].partition(":")
    for spec in (name if options else f"{name}:needless", f"{name}:nosuch=1"):
        with pytest.raises(InputError, match=name):
            make_policy(spec)


def test_it_survives_being_sent_to_another_process(served):
    world, spec = served
    policy = make_policy(spec)
    before = world.play(policy, world.context(seed=2))
    sent = cloudpickle.loads(cloudpickle.dumps(make_policy(spec)))
    assert world.play(sent, world.context(seed=2)) == before


def test_listing_the_policies_and_their_options_imports_nothing_slow():
    code = (
        "import sys; from pmtwin.policies import describe, policy_names, trainable_names, training_options;"
        "[describe(name) for name in policy_names()]; [training_options(name) for name in trainable_names()];"
        "print(sorted({'sklearn', 'matplotlib', 'gymnasium', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
