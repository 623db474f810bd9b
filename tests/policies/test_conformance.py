"""What every registered policy must do; a new policy is tested by being registered."""

import ast
import subprocess
import sys
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

from pmtwin import policies
from pmtwin.policies import Policy, PolicyContext, make_policy, policy_class, policy_names
from pmtwin.policies.base import DIRECT, MIDDLEWARE
from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, save_model
from pmtwin.policies.linear_q.features import POOL_STATE_LOG_COLUMNS

ARGUMENTS = {"fixed": "10,12"}
"""What comes after the colon, for policies that need something there; `saved_policy` makes the rest."""

ALLOWED_OF_OURS = {f"pmtwin.sim.{name}" for name in ("control", "errors", "files", "json_file", "options")}
"""Policies know no engine and no scenario; they share the errors and the atomic files."""


@pytest.fixture(scope="session")
def saved_policy(tmp_path_factory):
    """A file of action values with random weights: what matters here is that it acts, not how well."""
    random = np.random.default_rng(0)
    states = np.array([observation for observation, _ in windows(50)])
    feature_map = FeatureMap.fit(states, 2, POOL_STATE_LOG_COLUMNS)
    model = LinearQ(feature_map, [ModelChoice()] * 9)
    model.weights[:] = random.normal(size=model.weights.shape)
    return save_model(tmp_path_factory.mktemp("policy") / "q.npz", model, {"scenario": "nvm-middleware"})


@pytest.fixture(params=policy_names())
def spec(request):
    """The spec of each registered policy."""
    cls = policy_class(request.param)
    if cls.argument is not None and cls.argument.startswith("FILE"):
        return f"{request.param}:{request.getfixturevalue('saved_policy')}"
    return request.param if cls.argument is None else f"{request.param}:{ARGUMENTS[request.param]}"


def context(seed=0, phase=1, **changes):
    return PolicyContext(seed=seed, phase=phase, best_pools={1: (10, 10), 2: (7, 9), 3: (5, 6), 4: (12, 3)}, **changes)


def windows(count, seed=0):
    """Observations and measures such as a scenario gives, goals met and missed in turn."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        pools = random.integers(1, 33, 2)
        queues = random.uniform(0, 400, 2)
        observation = np.array([*pools, *queues, 50.0, 8192.0, 0.2, 0.5])
        yield (
            observation,
            {
                "p99_us": float(random.lognormal(5.3, 1.0)),
                "throughput_ops": float(random.uniform(1e5, 3.5e5)),
            },
        )


def play(policy, started, count=200):
    """The first setting and the actions over `count` windows, rewards and phases told as a scenario would."""
    actions = [policy.start(started)]
    for index, (observation, info) in enumerate(windows(count)):
        if policy.needs_phase and index == count // 2:
            policy.on_phase(3)
        action = policy.act(observation, info)
        policy.observe(observation, action, -1.0, observation, False)
        actions.append(action)
    return actions


def valid(action, started):
    if isinstance(action, tuple):
        return len(action) == 2 and all(
            type(size) is int and started.pool_min <= size <= started.pool_max for size in action
        )
    return type(action) is int and 0 <= action < started.action_count


def test_it_is_a_policy_with_its_name_and_a_docstring(spec):
    policy = make_policy(spec)
    assert isinstance(policy, Policy)
    assert policy.name == spec.partition(":")[0]
    assert policy.mode in (MIDDLEWARE, DIRECT)
    assert type(policy).__doc__


def test_its_spec_makes_it_again(spec):
    policy = make_policy(spec)
    again = make_policy(policy.spec)
    assert again.spec == policy.spec
    assert play(again, context()) == play(policy, context())


def test_every_action_is_valid(spec):
    started = context()
    first, *actions = play(make_policy(spec), started)
    assert first is None or valid(first, started)
    assert [action for action in actions if not valid(action, started)] == []


def test_it_acts_before_anything_was_measured(spec):
    policy, started = make_policy(spec), context()
    policy.start(started)
    observation, _ = next(windows(1))
    for info in (None, {}):
        assert valid(policy.act(observation, info), started)


def test_same_seed_same_actions_on_one_object_and_on_two(spec):
    policy = make_policy(spec)
    first = play(policy, context(seed=3))
    assert play(policy, context(seed=3)) == first
    assert play(make_policy(spec), context(seed=3)) == first


def test_it_starts_the_same_whatever_else_was_drawn_from_the_seed(spec):
    fresh, used = np.random.SeedSequence(5), np.random.SeedSequence(5)
    used.spawn(4)
    assert play(make_policy(spec), context(seed=used)) == play(make_policy(spec), context(seed=fresh))


def test_it_leaves_the_global_random_numbers_alone(spec):
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the very state that must not be touched
    play(make_policy(spec), context())
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_it_does_not_write_into_the_observation(spec):
    policy = make_policy(spec)
    policy.start(context())
    for observation, info in windows(20):
        observation.flags.writeable = False
        policy.act(observation, info)


def test_a_needless_or_missing_argument_is_refused(spec):
    name, _, argument = spec.partition(":")
    with pytest.raises(policies.registry.InputError, match=name):
        make_policy(name if argument else f"{name}:7")


def imported_modules(path):
    """Full names of all modules that a file imports, at the top or inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("path", sorted(Path(policies.__file__).parent.rglob("*.py")), ids=lambda path: path.stem)
def test_no_file_of_policies_knows_an_engine_or_a_scenario(path):
    others = ("pmtwin",)
    found = {module for module in imported_modules(path) if module.split(".")[0] in others}
    found = {module for module in found if not module.startswith("pmtwin.policies")}
    assert found - ALLOWED_OF_OURS == set()


def test_it_survives_being_sent_to_another_process(spec):
    policy = make_policy(spec)
    before = play(policy, context(seed=2))
    assert play(cloudpickle.loads(cloudpickle.dumps(make_policy(spec))), context(seed=2)) == before


def test_listing_the_policies_imports_nothing_slow():
    code = (
        "import sys; from pmtwin.policies import policy_names; policy_names();"
        "print(sorted({'sklearn', 'matplotlib', 'gymnasium', 'pmtwin.policies.linear_q'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
