"""Rounds of several actors: the same bits on any number of processes and after a kill; one actor is the chain."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice
from pmtwin.policies.linear_q.algorithm2 import QLearner
from pmtwin.policies.training import Problem, TrainingPlan, seeds, train
from pmtwin.policies.training.actors import Actors, learn_from
from pmtwin.policies.training.online import episode_order, rounds
from pmtwin.policies.training.transitions import gather
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint

PLAN = TrainingPlan(
    problem=Problem((1, 2), (True,) * 6 + (False,) * 2, "phase", "pools", 2),
    seed=1,
    dataset_episodes=2,
    episodes={1: 6, 2: 9},
    episode_steps=70,
    grid={
        "degree": (2,),
        "alpha": (0.0001,),
        "penalty": ("l2",),
        "loss": ("squared_error",),
        "learning_rate": ("invscaling",),
        "max_iter": (100,),
    },
    actors=4,
    checkpoint_every=3,
    selections=2,
    selection_steps=10,
)


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


def bits(result):
    """Everything that a run leaves, for comparison."""
    online = result.online
    history = (online.rewards, online.met, online.errors, online.settings, online.trials)
    return [array.tobytes() for array in (*result.model.state().values(), *history)], online.selected


@pytest.fixture(scope="module")
def uninterrupted(toy):
    return train(toy.ToyPools, PLAN)


@pytest.fixture
def model(toy):
    """A model with weights, over the features of some random states."""
    data = gather(toy.ToyPools, replace(PLAN, dataset_episodes=1))
    model = LinearQ(FeatureMap.fit(data.state, 2, PLAN.problem.log_columns), [ModelChoice(2)] * 9)
    model.weights[:] = np.random.default_rng(0).normal(size=model.weights.shape) * 0.01
    return model


def chain_of(env, model, plan, places):
    """Algorithm 2 as the thesis has it: one episode after another, learning as it acts."""
    learner = QLearner(model, plan.q)
    for context, number in places:
        random = seeds.generator(plan.seed, seeds.ONLINE, context, number)
        state, _ = env.reset(seed=seeds.reset_seed(random), options={"context": context})
        explores = random.random(plan.episode_steps) < plan.q.epsilon_at(number, plan.episodes[context])
        drawn = random.integers(9, size=plan.episode_steps)
        greedy = learner.begin(state)
        for step in range(plan.episode_steps):
            action = int(drawn[step]) if explores[step] else greedy
            state, reward, *_ = env.step(action)
            greedy = learner.learn(action, reward, state, False)


def test_rounds_have_as_many_episodes_as_actors_and_end_where_a_trial_is_due():
    assert [list(each) for each in rounds(PLAN)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14]]
    assert [len(each) for each in rounds(replace(PLAN, selections=4))] == [4, 4, 3, 4]
    assert [len(each) for each in rounds(replace(PLAN, actors=100, selections=0))] == [15]
    assert [list(each) for each in rounds(replace(PLAN, actors=1))] == [[number] for number in range(15)]


def test_one_actor_is_the_chain(toy, model):
    places = episode_order(PLAN)
    env, before = toy.ToyPools(), model.state()
    chain_of(env, model, PLAN, places)
    expected = model.state()
    model.restore(before)
    actors, learner = Actors(toy.ToyPools, env, PLAN), QLearner(model, PLAN.q)
    for place in places:
        (episode,) = actors.play(model, [place])
        learn_from(learner, episode)
    for name, array in model.state().items():
        assert array.tobytes() == expected[name].tobytes(), name


def test_actors_start_from_the_same_weights_and_leave_them(toy, model):
    before = {name: array.tobytes() for name, array in model.state().items()}
    places = episode_order(PLAN)[:3]
    actors = Actors(toy.ToyPools, toy.ToyPools(), PLAN)
    together = actors.play(model, places)
    assert {name: array.tobytes() for name, array in model.state().items()} == before
    for place, episode in zip(places, together, strict=True):
        (alone,) = actors.play(model, [place])
        assert [array.tobytes() for array in alone] == [array.tobytes() for array in episode]


def test_every_update_counts_once(toy, model):
    episodes = Actors(toy.ToyPools, toy.ToyPools(), PLAN).play(model, episode_order(PLAN)[:4])
    for episode in episodes:
        learn_from(QLearner(model, PLAN.q), episode)
    assert model.counts.sum() == 9 + sum(len(episode.actions) for episode in episodes)


def test_the_number_of_processes_changes_nothing(toy, uninterrupted):
    assert bits(train(toy.ToyPools, PLAN, workers=2)) == bits(uninterrupted)


def test_the_number_of_actors_does(toy, uninterrupted):
    assert bits(train(toy.ToyPools, replace(PLAN, actors=3))) != bits(uninterrupted)


@pytest.mark.parametrize("episodes", [1, 5, 9, 14])
def test_a_run_killed_within_a_round_goes_on_to_the_same_bits(toy, uninterrupted, tmp_path, episodes, monkeypatch):
    played = iter(range(episodes))
    plain_reset = toy.ToyPools.reset

    def reset(env, **given):
        if stage["online"] and next(played, None) is None:
            raise Killed
        return plain_reset(env, **given)

    stage = {"online": False}
    with monkeypatch.context() as patched:
        patched.setattr(toy.ToyPools, "reset", reset)
        patched.setattr("pmtwin.policies.training.run.bootstrap", _noting(stage))
        with pytest.raises(Killed):
            train(toy.ToyPools, PLAN, Checkpoint(tmp_path / "run", PLAN.to_dict()))
    result = train(toy.ToyPools, PLAN, Checkpoint(tmp_path / "run", PLAN.to_dict()))
    assert bits(result) == bits(uninterrupted)


def _noting(stage):
    """The bootstrap, after which the online stage begins."""
    from pmtwin.policies.training.bootstrap import bootstrap

    def noting(*given):
        stage["online"] = True
        bootstrap(*given)

    return noting


def test_a_chain_is_written_as_before_there_were_actors():
    assert "actors" not in replace(PLAN, actors=1).to_dict()
    assert PLAN.to_dict()["actors"] == 4


@pytest.mark.parametrize("actors", [0, -1, 1025])
def test_a_number_of_actors_out_of_bounds_is_refused(actors):
    with pytest.raises(InputError, match="actors"):
        replace(PLAN, actors=actors)
