"""`dqn` that learns during a run: finds the peak, is resumed to the same bits, leaves a network that others run."""

import sqlite3
from dataclasses import fields

import gymnasium
import numpy as np
import pytest

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.online.agent import OnlineAgent
from pmtwin.policies.online.database import ReplayDatabase
from pmtwin.policies.online.presets import PRESETS, Hyperparameters, OnlineOptions
from pmtwin.sim.control import HIGHER, Column, Measure, Settings
from pmtwin.sim.errors import InputError

SETTINGS = Settings.of("setting", {"size": range(13)}, moves=((0,), (1,), (-1,)))
SERVED = Measure("served", "", "what is served", HIGHER, low=0.0, high=50.0)
SMALL = "preset=paper,seen=3,units=16,minibatch=8,steps=2,exploration_actions=60,step_size=0.003"


def context(seed=1, **changes):
    fields = {
        "scenario": "peak",
        "action_space": gymnasium.spaces.Discrete(3),
        "columns": (Column("size", 0, 12), Column("load", 0, 50)),
        "settings": SETTINGS,
        "measures": (SERVED,),
        "initial": (2,),
    }
    return PolicyContext(seed=seed, **fields | changes)


class Peak:
    """Serves most at size 8; the same at the same size."""

    def __init__(self, setting=(2,)):
        self.setting = setting

    def window(self):
        served = 40.0 - (self.setting[0] - 8) ** 2 / 2
        return np.array([self.setting[0], served]), {"served": served}, served

    def run(self, policy, windows, start=None):
        """Actions over some windows; `start`: the setting that the policy begins at."""
        self.setting = start or self.setting
        (observation, info, _), actions = self.window(), []
        for _ in range(windows):
            action = policy.act(observation, info)
            if action != ():
                self.setting = SETTINGS.moved(self.setting, action)
            after, info, reward = self.window()
            policy.observe(observation, action, reward, after, False)
            observation = after
            actions.append((action, self.setting))
        return actions


def learned(spec, windows, seed=1):
    policy = make_policy(spec)
    policy.start(context(seed))
    return policy, Peak().run(policy, windows)


@pytest.mark.parametrize(
    "spec",
    [
        "dqn:hold=2,exploration_actions=150,units=32",
        "dqn:preset=paper,discount=0.9,units=32,exploration_actions=300,steps=4,step_size=0.002",
    ],
)
def test_it_finds_the_peak_and_stays_there(spec):
    _, actions = learned(spec, 700)
    last = [40.0 - (setting[0] - 8) ** 2 / 2 for _, setting in actions[-150:]]
    assert np.mean(last) > 37.0, "40 at best, 22 at the start"


@pytest.mark.parametrize("spec", [f"dqn:{SMALL}", f"dqn:{SMALL},hold=3", "dqn:hold=2,seen=2,units=8,minibatch=8"])
@pytest.mark.parametrize("killed", [31, 90])
def test_killed_between_any_two_windows_and_resumed_it_goes_on_with_the_same_bits(tmp_path, spec, killed):
    file = f"{spec},replay={tmp_path / 'r.sqlite'}"
    whole, actions = learned(f"{spec},replay={tmp_path / 'whole.sqlite'}", 150)
    first, begun = learned(file, killed)
    first.act(*Peak(begun[-1][1]).window()[:2])  # proposed and stored, never carried out
    first.agent.database.close()
    again = make_policy(file)
    setting = again.start(context())
    assert again.agent.resumed == killed + 1 and setting == begun[-1][1]
    resumed = Peak().run(again, 150 - killed, setting)
    assert begun + resumed == actions
    assert np.array_equal(again.agent.learner.layers.parameters, whole.agent.learner.layers.parameters)
    again.agent.database.close()
    whole.agent.database.close()
    dumps = [list(sqlite3.connect(tmp_path / name).iterdump()) for name in ("r.sqlite", "whole.sqlite")]
    assert dumps[0] == dumps[1]


def test_a_database_of_another_seed_preset_or_scenario_is_refused(tmp_path):
    spec = f"dqn:{SMALL},replay={tmp_path / 'r.sqlite'}"
    learned(spec, 10)[0].agent.database.close()
    for changed, options in ((context(seed=2), spec), (context(), f"{spec},discount=0.5")):
        with pytest.raises(InputError, match="belongs to a run with other learning"):
            make_policy(options).start(changed)
    with pytest.raises(InputError, match="other scenario"):
        make_policy(spec).start(context(scenario="valley"))


@pytest.mark.parametrize("spec", ["dqn:hold=2,exploration_actions=150,units=32", f"dqn:{SMALL},discount=0.9"])
def test_trained_anew_from_the_database_alone_it_serves_as_much(tmp_path, spec):
    """With another seed, and without the system: no more than 2 % below the network that the run itself has learned."""
    file = tmp_path / "r.sqlite"
    run, _ = learned(f"{spec},replay={file}", 900)
    run.close()
    hyperparameters = make_policy(spec).options.learning.hyperparameters
    anew = OnlineAgent(context(seed=7), hyperparameters, None)
    anew.learn_anew(ReplayDatabase(file, None))
    assert not np.array_equal(anew.learner.layers.parameters, run.agent.learner.layers.parameters)
    served = []
    for agent in (run.agent, anew):
        reader = make_policy(f"trained:{agent.save(str(tmp_path / 'p.npz'))}")
        reader.start(context())
        actions = Peak().run(reader, 200)
        served.append(np.mean([40.0 - (setting[0] - 8) ** 2 / 2 for _, setting in actions[100:]]))
    assert served[0] > 37.0 and served[1] >= 0.98 * served[0]


def test_another_hold_or_scenario_cannot_be_trained_anew(tmp_path):
    file = tmp_path / "r.sqlite"
    learned(f"dqn:{SMALL},replay={file}", 30)[0].close()
    for changed, options, said in (
        (context(), f"{SMALL},hold=2", "actions of another number of windows"),
        (context(measures=()), SMALL, "has other indicators"),
    ):
        hyperparameters = make_policy(f"dqn:{options}").options.learning.hyperparameters
        with pytest.raises(InputError, match=said):
            OnlineAgent(changed, hyperparameters, None).learn_anew(ReplayDatabase(file, None))


def test_what_it_has_learned_runs_by_three_names_and_acts_as_the_network_does(tmp_path):
    policy, _ = learned(f"dqn:{SMALL},last_exploration=0.0", 200)
    file = policy.save(str(tmp_path / "p.npz"))
    for name in ("mlp", "dqn", "trained"):
        reader = make_policy(f"{name}:{file}")
        reader.start(context())
        assert reader.exported(context())["windows"] == 3
        history, peak = [], Peak((3,))
        for _ in range(20):
            observation, info, _ = peak.window()
            history = [*history, policy.agent.inputs.tick([policy.agent.inputs.numbers(observation, info)])[0]]
            state = [history[max(len(history) - 1 - back, 0)] for back in range(3)]
            values = policy.agent.learner.deep_q.values(np.concatenate(state))
            action = reader.act(observation, info)
            assert action == int(np.argmax(values))
            peak.setting = SETTINGS.moved(peak.setting, action)


def test_a_network_of_means_is_one_of_windows(tmp_path):
    policy, _ = learned("dqn:hold=4,seen=2,units=8,minibatch=8", 60)
    agent = policy.agent
    random = np.random.default_rng(0)
    windows = [random.uniform(0.0, 12.0, 3).astype(np.float32) for _ in range(8)]  # newest first
    state = np.concatenate([agent.inputs.tick(windows[:4])[0], agent.inputs.tick(windows[4:])[0]])
    whole = agent.inputs.perceptron(agent.learner.layers).values(np.concatenate(windows).astype(float))
    np.testing.assert_allclose(whole, agent.learner.deep_q.values(state), atol=1e-5)


def test_refused_moves_are_stored_and_learned_as_what_was_applied(tmp_path):
    policy = make_policy(f"dqn:{SMALL},replay={tmp_path / 'r.sqlite'}")
    policy.start(context())
    peak = Peak()
    for _ in range(40):
        observation, info, reward = peak.window()
        policy.act(observation, info)
        policy.observe(observation, 0, reward, observation, False)  # the checker lets nothing pass
    rows = list(policy.agent.database.ticks())
    assert {row.applied for row in rows[:-1]} == {0} and {row.action for row in rows} == {0, 1, 2}
    drawn = policy.agent.learner.replay.sample(np.random.default_rng(0), 100)
    assert set(drawn["action"]) == {0}
    policy.agent.database.close()


def test_exploration_falls_as_in_table_1_and_rises_when_a_workload_starts():
    paper = PRESETS["paper"]
    assert [paper.exploration(n) for n in (0, 3600, 7200, 10**6)] == pytest.approx([1.0, 0.525, 0.05, 0.05])
    assert paper.exploration(paper.bumped(10**6)) == pytest.approx(0.2, abs=1e-3)
    assert paper.bumped(100) == 100, "it explores more than that already"
    policy = make_policy("dqn:preset=paper")
    policy.start(context())
    policy.agent.learner.taken = 50_000
    policy.on_workload()
    assert policy.agent.learner.exploration == pytest.approx(0.2, abs=1e-3)


def test_presets_are_those_of_table_1_and_of_the_code():
    paper, code = PRESETS["paper"], PRESETS["code"]
    assert (paper.seen, paper.discount, paper.target_share, paper.minibatch) == (10, 0.99, 0.01, 32)
    assert (paper.step_size, paper.missing, paper.hidden(2200)) == (1e-4, 0.2, (600, 600))
    assert (code.optimiser, code.step_size, code.decay, code.norm) == ("rmsprop", 1e-3, 0.9, 5.0)
    assert code.hidden(1000) == (1200, 1200)
    assert OnlineOptions(preset="paper", seen=4).hyperparameters.seen == 4


def test_each_hyperparameter_of_a_preset_can_be_replaced():
    names = {field.name for field in fields(Hyperparameters)}
    assert {field.name for field in fields(OnlineOptions)} == names | {"preset"}
    policy = make_policy("dqn:units=0,widening=0.5,optimiser=rmsprop,decay=0.5,norm=3,bump=0.6,compressed=no,double=no")
    policy.start(context())
    learner = policy.agent.learner
    inputs = learner.layers.weights[0].shape[0]
    assert [len(weights) for weights in learner.layers.weights[1:]] == [round(0.5 * inputs)] * 2
    assert (learner.deep_q.norm, learner.deep_q.optimiser.decay) == (1.5, 0.5)
    learner.taken = 50_000
    policy.on_workload()
    assert learner.exploration == pytest.approx(0.6, abs=1e-2) and not learner.hyperparameters.compressed


def test_options_that_contradict_each_other_are_refused(tmp_path):
    file = learned(f"dqn:{SMALL}", 5)[0].save(str(tmp_path / "p.npz"))
    with pytest.raises(InputError, match="a file alone"):
        make_policy(f"dqn:{file},preset=paper")
    with pytest.raises(InputError, match=r"hold.*windows"):
        make_policy("dqn:hold=50,seen=3")
    with pytest.raises(InputError, match=r"preset.*'papers'.*did you mean 'paper'"):
        make_policy("dqn:preset=papers")
