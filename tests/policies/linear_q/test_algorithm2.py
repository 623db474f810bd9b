"""Algorithm 2, step by step, against the same thing written plainly with scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor

from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, QLearner, QLearningParameters, SgdSettings
from pmtwin.policies.linear_q.rewards import scaled_reward
from pmtwin.sim.errors import CheckFailedError, InputError

LOG_COLUMNS = (True,) * 6 + (False,) * 2
"""Table 3.2: two pools, two queues and two block sizes are counts or sizes; two write ratios are shares."""


def some_states(count, seed=0):
    random = np.random.default_rng(seed)
    return np.column_stack(
        [
            random.integers(1, 33, (count, 2)),
            random.uniform(0, 400, (count, 2)),
            np.full((count, 4), (50, 8192, 0.2, 0.5)),
        ]
    )


def models(degrees=(2,) * 9, **settings):
    feature_map = FeatureMap.fit(some_states(200), max(degrees), LOG_COLUMNS)
    return LinearQ(feature_map, [ModelChoice(degree, SgdSettings(**settings)) for degree in degrees])


def plain_algorithm2(feature_map, degrees, transitions, q, settings):
    """Lines 16 to 27 with nine `SGDRegressor`s; values by the sequential dot product."""
    counts = [44 if degree == 2 else 8 for degree in degrees]
    nine = [SGDRegressor(**settings.sklearn_arguments()) for _ in degrees]
    for model, count in zip(nine, counts, strict=True):
        model.coef_, model.intercept_ = np.zeros(count), np.zeros(1)

    def value(a, x):
        total = 0.0
        for j in range(counts[a]):
            total += nine[a].coef_[j] * x[j]
        return total + nine[a].intercept_[0]

    for state, action, reward, next_state, terminal in transitions:
        x, next_x = feature_map.transform([state, next_state])
        target = q.target_reward(reward)
        if not terminal:
            target += q.gamma * max(value(a, next_x) for a in range(9))
        q_now = value(action, x)
        nine[action].partial_fit(x[None, : counts[action]], [q_now + q.learning_rate * (target - q_now)])
    return nine


@pytest.mark.parametrize("degrees", [(2,) * 9, (1, 2, 2, 1, 2, 1, 2, 2, 1)])
def test_the_compiled_learner_is_algorithm_2(degrees):
    random, states = np.random.default_rng(1), some_states(301)
    q, settings = QLearningParameters(), SgdSettings(penalty="elasticnet", alpha=0.001)
    model = models(degrees, penalty="elasticnet", alpha=0.001)
    learner, transitions = QLearner(model, q), []
    greedy = learner.begin(states[0])
    for k in range(300):
        action = int(random.integers(9)) if random.random() < 0.5 else greedy
        reward, terminal = float(-random.exponential(1000.0)), bool(k % 100 == 99)
        transitions.append((states[k], action, reward, states[k + 1], terminal))
        greedy = learner.learn(action, reward, states[k + 1], terminal)
        assert greedy == model.greedy(states[k + 1])
    plain = plain_algorithm2(model.feature_map, degrees, transitions, q, settings)
    for action, regressor in enumerate(plain):
        assert model.weights[: len(regressor.coef_), action].tobytes() == regressor.coef_.tobytes()
        assert (model.intercepts[action], model.counts[action]) == (
            regressor.intercept_[0],
            getattr(regressor, "t_", 1.0),
        )


def test_a_terminal_step_looks_no_further():
    results = []
    for terminal in (False, True):
        model = models()
        model.intercepts[:] = 5.0
        learner = QLearner(model, QLearningParameters(reward_transform="linear"))
        first, second = some_states(2)
        learner.begin(first)
        learner.learn(3, -20.0, second, terminal)
        results.append(learner.last_error)
    assert results == pytest.approx([0.05 * -20 + 0.95 * 5 - 5, 0.05 * -20 - 5])


def test_a_learning_rate_of_one_is_the_target_as_printed():
    model = models()
    learner = QLearner(model, QLearningParameters(learning_rate=1.0, reward_transform="linear"))
    states = some_states(2)
    learner.begin(states[0])
    learner.learn(0, -100.0, states[1], True)
    # the first step of gradient descent from zero: intercept = eta0 * target, target = (1 - gamma) r
    assert model.intercepts[0] == pytest.approx(0.01 * 0.05 * -100.0)


def test_learning_finds_the_action_that_pays():
    model, states = models(), some_states(500, seed=3)
    learner, random = QLearner(model, QLearningParameters(gamma=0.5)), np.random.default_rng(0)
    learner.begin(states[0])
    for k in range(20_000):
        action = int(random.integers(9))
        learner.learn(action, 5.0 if action == 7 else -500.0, states[(k + 1) % 500], False)
    assert {model.greedy(state) for state in states} == {7}


def test_epsilon_explores_first_and_exploits_last():
    q = QLearningParameters()
    assert [q.epsilon_at(episode, 900) for episode in (0, 300, 600)] == pytest.approx([1.0, 0.1, 0.01])
    assert q.epsilon_at(899, 900) < 0.0011


def test_scaled_rewards_keep_order_and_sign():
    rewards = np.array([-1e5, -1e4, -3.0, -0.5, 0.0, 0.3, 5.0])
    for transform in ("log", "linear"):
        scaled = scaled_reward(rewards, transform, 2.0)
        assert np.all(np.diff(scaled) > 0)
        assert np.array_equal(np.sign(scaled), np.sign(rewards))
        np.testing.assert_allclose([scaled_reward(float(r), transform, 2.0) for r in rewards], scaled, rtol=1e-15)
    assert scaled_reward(-1e5, "log", 1.0) == pytest.approx(-np.log(100_001))


def test_divergence_is_an_error():
    model = models(eta0=10.0, learning_rate="constant")
    learner, states = QLearner(model, QLearningParameters()), some_states(200)
    learner.begin(states[0])
    with pytest.raises(CheckFailedError, match="diverged in episode 7"):
        for state in states:
            learner.learn(4, -1000.0, state, False)
            model.check_finite("in episode 7")


def test_nan_weights_are_divergence():
    model = models()
    model.weights[3, 3] = np.nan
    with pytest.raises(CheckFailedError, match="nan"):
        model.check_finite("now")


@pytest.mark.parametrize(
    "changes",
    [
        {"gamma": 1.0},
        {"gamma": -0.1},
        {"learning_rate": 0.0},
        {"epsilon": 1.1},
        {"reward_transform": "cube"},
        {"reward_unit": 0.0},
    ],
)
def test_parameters_out_of_bounds_are_refused(changes):
    with pytest.raises(InputError):
        QLearningParameters(**changes)
