"""A deep Q-network that learns a known problem; killed and resumed it has the same bits; returns of several steps."""

import numpy as np
import pytest

from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.deep_q import DeepQ
from pmtwin.policies.network.heads import CategoricalHead, LinearHead
from pmtwin.policies.network.layers import Layers
from pmtwin.policies.network.n_step import NStep
from pmtwin.policies.network.optimisers import OPTIMISERS
from pmtwin.policies.network.replay import Ring, transition_type
from pmtwin.policies.network.replay_file import ReplayFile
from pmtwin.policies.network.target_copy import TargetCopy
from pmtwin.sim.errors import CheckFailedError
from pmtwin.sim.files.checkpoint import Checkpoint

STATES, GAMMA = 5, 0.9
HEADS = [LinearHead(2), CategoricalHead(2, Atoms(51, 0.0, 1.0))]
NAMES = ["linear", "categorical"]


def chain(random, steps, n_step):
    """Rows of a walk over five places: action 1 goes right, 0 left; the right end is worth 1 and ends the episode."""
    collected, rows, place = NStep(transition_type(STATES), n_step, GAMMA), [], 0
    shown = np.eye(STATES, dtype=np.float32)
    for _ in range(steps):
        action = int(random.integers(2))
        after = min(max(place + (1 if action else -1), 0), STATES - 1)
        ended = after == STATES - 1
        rows.append(collected.step(shown[place], action, float(ended), shown[after], ended))
        place = 0 if ended else after
    return np.concatenate(rows)


def agent(head, replay=None, optimiser="adam", seed=0, rate=3e-3):
    layers = Layers.drawn((STATES, 16, head.outputs), "swish", np.random.default_rng(seed))
    replay = replay or Ring(transition_type(STATES), 2000)
    parts = OPTIMISERS[optimiser](layers.parameters, rate), TargetCopy(layers.parameters, 0.05), replay
    return DeepQ(layers, head, *parts, np.random.default_rng(seed + 1))


@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize("head", HEADS, ids=NAMES)
def test_it_learns_the_values_of_a_chain(head, double):
    learner = agent(head)
    learner.double = double
    learner.replay.add(chain(np.random.default_rng(3), 2000, 1))
    for _ in range(2500):
        learner.learn()
    values = np.array([learner.values(state) for state in np.eye(STATES)[:-1]])
    np.testing.assert_allclose(values[:, 1], GAMMA ** np.arange(3, -1, -1), atol=0.06)
    assert np.all(values[:, 1] > values[:, 0])


@pytest.mark.parametrize("kind", ["ring", "file"])
@pytest.mark.parametrize(("head", "optimiser"), list(zip(HEADS, OPTIMISERS, strict=True)))
def test_stopped_and_resumed_from_a_checkpoint_it_has_the_same_bits(tmp_path, kind, head, optimiser):
    def replay():
        row = transition_type(STATES)
        return Ring(row, 300) if kind == "ring" else ReplayFile(tmp_path / "replay.sqlite", row, 300)

    def go_on(learner, first, last):
        for number in range(first, last):
            learner.replay.add(chain(np.random.default_rng(number), 40, 2))
            for _ in range(10):
                learner.learn()

    whole, checkpoint = agent(head, replay(), optimiser), Checkpoint(tmp_path / "c", {})
    go_on(whole, 0, 10)
    checkpoint.save_arrays("learner", whole.state())
    go_on(whole, 10, 15)
    whole.replay.close()
    resumed = agent(head, replay(), optimiser, seed=77)
    resumed.restore(checkpoint.load_arrays("learner"))
    assert resumed.steps == 100
    go_on(resumed, 10, 15)
    assert resumed.layers.parameters.tobytes() == whole.layers.parameters.tobytes()
    assert resumed.target.parameters.tobytes() == whole.target.parameters.tobytes()
    resumed.replay.close()


def test_it_says_that_it_diverged():
    learner = agent(HEADS[0], rate=1e30)
    learner.replay.add(chain(np.random.default_rng(3), 200, 1))
    with pytest.raises(CheckFailedError, match="diverged at step"), np.errstate(all="ignore"):
        for _ in range(50):
            learner.learn()


def steps(n_step, ends):
    """The rows of four steps with rewards 1, 2, 3, 4 from states 0 to 4, as (state, reward, discount, after)."""
    collected = NStep(transition_type(1), n_step, 0.5)
    rows = [
        collected.step(
            np.array([k]), 7, k + 1.0, np.array([k + 1]), k == 3 and ends == "ended", k == 3 and ends == "cut"
        )
        for k in range(4)
    ]
    return [
        (int(row["state"][0]), float(row["reward"]), float(row["discount"]), int(row["after"][0]))
        for row in np.concatenate(rows)
    ]


@pytest.mark.parametrize(
    ("n_step", "ends", "expected"),
    [
        (1, "cut", [(0, 1.0, 0.5, 1), (1, 2.0, 0.5, 2), (2, 3.0, 0.5, 3), (3, 4.0, 0.5, 4)]),
        (3, "", [(0, 2.75, 0.125, 3), (1, 4.5, 0.125, 4)]),
        (3, "cut", [(0, 2.75, 0.125, 3), (1, 4.5, 0.125, 4), (2, 5.0, 0.25, 4), (3, 4.0, 0.5, 4)]),
        (3, "ended", [(0, 2.75, 0.125, 3), (1, 4.5, 0.0, 4), (2, 5.0, 0.0, 4), (3, 4.0, 0.0, 4)]),
    ],
)
def test_returns_of_several_steps(n_step, ends, expected):
    assert steps(n_step, ends) == expected
