"""Threads on the machine from end to end: kernel, rule, bandit, settings, agents, and what is refused."""

from contextlib import closing

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pmtwin import cli
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios import make_environment
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.sim.numa.running import SIMULATORS

OWN = """
from pmtwin.policies import Choice, Placement

import numpy as np


class MoveAll(Choice):
    \"\"\"All threads of an unbalanced core go to their data.\"\"\"

    draws = False

    def arrays(self, point, key):
        return (np.zeros(1),)

    @staticmethod
    def decide(arrays, features, mask):
        return np.flatnonzero(mask)[-1]


class ToOneNode(Placement):
    \"\"\"Every thread belongs on the node that a test says, which need not be there.\"\"\"

    draws = False

    def arrays(self, point, key):
        return (np.array([NODE]),)

    @staticmethod
    def place(arrays, node, accesses):
        return arrays[0][0]
"""


def played(scenario, spec, workload="fillrandom", windows=6, seed=1):
    """The windows of a policy."""
    policy = make_policy(spec, scenario)
    env = ControlEnv(scenario, workload, episode_steps=None, mode=policy.mode)
    blocks = [Block(workload, windows)]
    return run_policy(policy, PolicyContext.of(scenario, seed=seed), env, blocks, seed)


def last(run, name):
    return run.measures[name][-1]


def test_the_kernel_spreads_the_threads_and_leaves_them_there(small):
    run = played(small(), "none")
    assert last(run, "local_share") == pytest.approx(0.55, abs=0.15)
    assert (run.setting == 0).all()


@pytest.mark.parametrize("spec", ["rule", "fixed:6,2,0", "thread=rule"])
def test_rule_and_placement_bring_all_threads_to_their_data(small, spec):
    assert last(played(small(), spec), "local_share") == pytest.approx(1.0, abs=0.01)


def test_the_bandit_decides_for_each_unbalanced_core_and_learns(small):
    scenario, policy, states = small(), make_policy("linucb", small()), []
    assert set(policy.inline) == {"core"}
    env = ControlEnv(scenario, "fillrandom", episode_steps=None)
    context, blocks = PolicyContext.of(scenario), [Block("fillrandom", 10)]
    run_policy(policy, context, env, blocks, 1, at_end=lambda system: states.extend(system.deciding("core")))
    inverse, sums, updates, seen, *_ = states[0].arrays
    assert inverse.shape[1:] == (13, 13)
    assert 2 <= seen[0] <= 7  # arms of the most threads that a core had, and none
    assert updates.sum() > 0 and not updates[seen[0] :].any() and np.isfinite(sums).all()


@pytest.mark.parametrize("spec", ["none", "rule", "linucb", "fixed:6,2,4"])
def test_both_engines_give_the_same_bits_through_the_scenario(small, spec):
    runs = [played(small(engine=engine, requests=3_000), spec, "mixed-50", 4) for engine in SIMULATORS]
    for name, values in runs[0].measures.items():
        assert np.array_equal(values, runs[1].measures[name], equal_nan=True), name


def test_threads_that_have_done_all_requests_start_again(small):
    run = played(small(requests=2_000), "fixed:6,4,0", windows=12)
    times = run.measures["real_s"][np.isfinite(run.measures["real_s"])]
    assert len(times) >= 2 and np.ptp(times) < 0.3 * times.mean()
    assert 2_000 / times[0] == pytest.approx(last(played(small(), "fixed:6,4,0"), "ops_per_s"), rel=0.2)
    assert "real_s" not in [each.name for each in small().measures]


def test_another_workload_goes_on_with_the_same_threads_or_starts_others(small):
    scenario = small()
    with closing(ControlEnv(scenario, "fillrandom", episode_steps=None)) as env:
        env.reset(seed=1)
        env.carry_out((6, 2, 0))
        for context in ("readrandom", "changing"):
            env.set_context(context)
            _, reward, _, _, info = env.carry_out((6, 2, 0))
            assert reward > 0.0 and info["local_share"] == pytest.approx(1.0, abs=0.05)
            assert info["placement"] == (6, 2, 0)


def test_the_coming_window_can_be_tried_without_passing(small):
    scenario = small(engine="compiled")
    with closing(ControlEnv(scenario, "mixed-50", episode_steps=None)) as env:
        env.reset(seed=3)
        tried = env.running().tried((6, 2, 0)).measures
        env.tried((0, 0, 4))
        _, _, _, _, info = env.carry_out((6, 2, 0))
        assert info["ops_per_s"] == tried["ops_per_s"]


def test_reward_is_the_share_of_the_best_placement_by_formulas(small):
    rewards = [played(small(), f"fixed:6,{near},0").reward[1:].mean() for near in (1, 2, 4)]
    assert max(rewards) == pytest.approx(1.0, abs=0.1)


def test_it_passes_gymnasiums_check():
    env = make_environment(
        "numa-threads", cores=2, threads=6, records=100, value_bytes=16384.0, window_s=0.01, engine="simpy"
    )
    check_env(env, skip_render_check=True)
    env.close()


EVALUATE = ("evaluate", "--workloads", "mixed-50", "--steps", "5", "--seeds", "2", "--jobs", "1", "--policies")


def test_policies_of_a_users_own_decide_at_both_points(run, tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN.replace("NODE", "1"))
    code, result, err = run(*EVALUATE, "none", f"{file}:MoveAll", f"{file}:ToOneNode", "core=random", "random")
    assert code == 0, err
    local = {spec: each["overall"]["local_share"]["mean"] for spec, each in result["policies"].items()}
    assert local[f"{file}:MoveAll"] > 0.9 and local[f"{file}:ToOneNode"] < 0.2


def test_a_node_that_is_not_there_is_one_line(run, tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN.replace("NODE", "2"))
    code, _, err = run(*EVALUATE, f"{file}:ToOneNode")
    assert code == 2 and err.count("\n") == 1
    assert f"policy {file}:ToOneNode: node at point thread: 2 is not accepted; allowed: 0 to 1, the nodes of" in err


def test_a_placement_without_arrays_is_refused_with_its_class_and_file(tmp_path, capsys):
    file = tmp_path / "lazy.py"
    file.write_text(
        "from pmtwin.policies import Placement\n\nclass Lazy(Placement):\n    draws = False\n\n"
        "    @staticmethod\n    def place(arrays, node, accesses):\n        return node\n"
    )
    assert cli.main(["evaluate", "numa-threads", "--policies", f"{file}:Lazy", "--dry-run"]) == 2
    assert f"Lazy in {file} has none" in capsys.readouterr().err


def test_the_policy_that_is_trained_by_default_is_the_bandit(run, tmp_path, capsys):
    words = ("train", "--output", str(tmp_path / "l.npz"), "--dry-run")
    code, planned, err = run(*words)
    assert (code, planned["policy"]) == (0, "linucb"), err
    short = "--cores 2 --threads 6 --value-bytes 16384 --window-s 0.01 --engine simpy --rounds 1 --round-windows 4"
    assert cli.main([words[0], "numa-threads", *words[1:], *short.split()]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert all(len(row.split("  ", 1)) == 2 for row in rows[:-1] if row[0] != " "), "each row has a value"
