"""Steps of the learner beside scikit-learn's: the same weights after 100 minibatches of Table 1's kind of network."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.neural_network import MLPRegressor

from pmtwin.policies.network.layers import by_layer
from pmtwin.policies.online.learner import OnlineLearner
from pmtwin.policies.online.presets import PRESETS

COLUMNS, ACTIONS = 4, 5


def learner(**changes):
    """Table 1's network of four indicators, with 200 ticks in its replay."""
    made = OnlineLearner(replace(PRESETS["paper"], units=24, **changes), COLUMNS, ACTIONS, np.random.SeedSequence(5))
    random = np.random.default_rng(1)
    for _ in range(200):
        made.choose(random.normal(size=COLUMNS).astype(np.float32), 0.0, random.normal() + 3.0)
        made.replay.note_action(int(random.integers(ACTIONS)))
    made.rewards.fit(made.replay.levels(40))
    return made


@pytest.mark.parametrize("double", [False, True])
def test_weights_after_100_steps_are_those_of_mlp_regressor(double):
    """Scikit-learn predicts the outputs as they are, but for the action taken, whose target is the learner's."""
    ours = learner(double=double, step_size=1e-3)
    inputs = COLUMNS * 10
    theirs = MLPRegressor(
        hidden_layer_sizes=(24, 24), activation="tanh", learning_rate_init=1e-3, batch_size=32, alpha=0.0, shuffle=False
    )
    theirs.partial_fit(np.zeros((32, inputs), np.float32), np.zeros((32, ACTIONS), np.float32))
    del theirs._optimizer
    theirs.coefs_ = [weights.copy() for weights in ours.layers.weights]
    theirs.intercepts_ = [biases.copy() for biases in ours.layers.biases]
    minibatches = np.random.default_rng()
    target = ours.deep_q.target.parameters.copy()
    for _ in range(100):
        minibatches.bit_generator.state = ours.deep_q.random.bit_generator.state
        rows = ours.replay.sample(minibatches, 32)
        after = _outputs(ours.layers.sizes, target, rows["after"])
        online = _outputs(ours.layers.sizes, ours.layers.parameters, rows["after"])
        best = (online if double else after).argmax(axis=1)
        wanted = theirs.predict(rows["state"]).astype(np.float32)
        wanted[np.arange(32), rows["action"]] = rows["reward"] + rows["discount"] * after[np.arange(32), best]
        ours.deep_q.learn()
        target = (1.0 - 0.01) * target + 0.01 * ours.layers.parameters
        theirs.partial_fit(rows["state"], wanted)
    for our, their in zip(ours.layers.weights, theirs.coefs_, strict=True):
        np.testing.assert_allclose(our, their, atol=1e-5, rtol=0.0)
    np.testing.assert_allclose(ours.deep_q.target.parameters, target, atol=1e-5, rtol=0.0)
    assert ours.deep_q.steps == 100


def _outputs(sizes, parameters, inputs):
    for number, (weights, biases) in enumerate(zip(*by_layer(sizes, parameters), strict=True)):
        inputs = inputs @ weights + biases
        inputs = np.tanh(inputs) if number < len(sizes) - 2 else inputs
    return inputs


def test_the_limit_of_the_code_is_that_of_the_mean_squared_error():
    """Half of it for half of the error, and for each tensor by itself."""
    made = learner(norm=5.0, optimiser="rmsprop")
    assert made.deep_q.norm == 2.5 and len(made.deep_q._tensors) == 6
    assert (made.deep_q.optimiser.rate, made.deep_q.optimiser.decay) == (1e-4, 0.9)


def test_the_same_ticks_give_the_same_bits_and_other_seeds_others():
    first, second = learner(), learner()
    for made in (first, second):
        made.learn(1)
    assert np.array_equal(first.layers.parameters, second.layers.parameters)
    assert first.losses == second.losses and len(first.losses) == 1


def test_nothing_is_learned_before_a_minibatch_of_usable_ticks():
    made = OnlineLearner(PRESETS["default"], COLUMNS, ACTIONS, np.random.SeedSequence(0))
    for count in range(60):
        made.choose(np.zeros(COLUMNS, np.float32), 0.0, float(count))
        made.learn(0)
        assert bool(made.losses) == (made.replay.usable >= 32)
