"""The scenario: windows of the workloads, limits, indicators, rewards, agents."""

import json
from contextlib import closing

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pmtwin import make_environment
from pmtwin.cli import main
from pmtwin.scenarios.lustre_tuning import LustreTuning, reference
from pmtwin.scenarios.lustre_tuning.limits import DEFAULT, LIMITS, START
from pmtwin.scenarios.lustre_tuning.workloads import CONTENDED, CONTEXTS, WORKLOADS

SMALL = {
    "data_gb": 1.0,
    "spread": 0.0,
    "foreign_s": 0.0,
    "fill_s": 0.5,
    "window_s": 0.25,
    "dirty_mb": 1.0,
    "file_units": 3,
}


def begun(workload, setting=DEFAULT, seed=5, **options):
    """A cluster before its first window."""
    system = LustreTuning.of(**SMALL | options).system(workload, seed)
    system.start(setting)
    return system


def windows(system, count=3):
    """(measures, observation) of some windows."""
    rows = []
    for _ in range(count):
        system.run_window()
        rows.append((dict(system.measures()), system.observation()))
    return rows


@pytest.mark.parametrize("workload", WORKLOADS)
def test_engines_give_the_same_measures_and_observations(workload):
    compiled, specified = (windows(begun(workload, engine=engine), 2) for engine in ("compiled", "simpy"))
    for (measures, observation), (expected, shown) in zip(compiled, specified, strict=True):
        np.testing.assert_equal(measures, expected)
        np.testing.assert_array_equal(observation, shown)
        assert measures["throughput_mb_s"] > 0.0
        assert 0.0 < measures["disk_use"] <= 1.0 + 1e-9


def test_steps_reach_the_settings_of_the_authors_code_and_no_limit_beside_them():
    windows_of, gaps = LIMITS.levels
    assert (len(windows_of), windows_of[0], windows_of[-1]) == (64, 4, 256)
    assert (len(gaps) - 1, gaps[0], gaps[1], gaps[-1]) == (266, 0, 1340, 398_840)
    assert LIMITS.contains(START) and LIMITS.contains(DEFAULT)
    assert [LIMITS.moved(START, action) for action in range(5)] == [
        (8, 32_840), (12, 32_840), (4, 32_840), (8, 34_340), (8, 31_340),
    ]  # fmt: skip
    assert LIMITS.moved((256, 398_840), 1) == LIMITS.moved((256, 398_840), 3) == (256, 398_840)
    assert LIMITS.moved((4, 0), 2) == LIMITS.moved((4, 0), 4) == (4, 0)


def test_a_client_has_44_indicators_which_say_what_is_set():
    scenario = LustreTuning.of(**SMALL)
    assert len(scenario.columns) == 5 * 44
    _, observation = windows(begun("random-1-9", (12, 1340)))[-1]
    named = {column.name: value for column, value in zip(scenario.columns, observation, strict=True)}
    for client in range(5):
        for osc in range(4):
            shown = [named[f"client{client}_osc{osc}_{name}"] for name in ("window", "least_gap_us", "tau_us")]
            assert shown == [12, 1340, 1340]
            assert 0 < named[f"client{client}_osc{osc}_dirty_bytes"] <= named[f"client{client}_osc{osc}_dirty_limit"]
            assert named[f"client{client}_osc{osc}_process_percent"] >= 100.0
            assert named[f"client{client}_server{osc}_ping_ms"] >= 0.18
    rates = sum(value for name, value in named.items() if name.endswith("_b_s"))
    assert rates * 1e-6 == pytest.approx(windows(begun("random-1-9", (12, 1340)))[-1][0]["throughput_mb_s"])


def test_a_rate_limit_limits_the_rate():
    tau_us = 398_840
    slow, fast = (
        windows(begun("sequential-write", limits, window_s=4.0))[-1][0] for limits in ((256, tau_us), DEFAULT)
    )
    most = 20 / (tau_us * 1e-6) * (1 << 20) * 1e-6  # RPCs of 1 MiB from 20 OSCs
    assert 0.8 * most < slow["throughput_mb_s"] < 1.1 * most < fast["throughput_mb_s"]


def test_a_window_changes_what_a_jump_and_a_step_set():
    system = begun("random-1-9", (8, 0))
    system.apply(1)
    assert system.setting() == (12, 0)
    system.apply((64, 2840))
    assert system.setting() == (64, 2840)


def test_lost_indicators_are_those_of_a_whole_client():
    scenario = LustreTuning.of(**SMALL, lost=0.5)
    assert all(column.optional for column in scenario.columns)
    rows = [observation.reshape(5, 44) for _, observation in windows(begun("random-1-9", lost=0.5), 12)]
    missing = np.isnan(np.array(rows))
    assert (missing.all(axis=2) == missing.any(axis=2)).all()
    assert 0.2 < missing.mean() < 0.8
    again = [observation for _, observation in windows(begun("random-1-9", lost=0.5), 12)]
    np.testing.assert_array_equal(np.array(again).reshape(12, 5, 44), rows)


def test_a_change_of_throughput_is_the_reward_of_the_authors_code():
    rows = [measures for measures, _ in windows(begun("random-1-9"), 4)]
    levels = [row["throughput_mb_s"] for row in rows]
    assert [row["change_mb_s"] for row in rows] == pytest.approx([0.0, *np.diff(levels)])
    scenarios = {reward: LustreTuning.of(**SMALL, reward=reward) for reward in ("level", "change")}
    assert scenarios["level"].reward(rows[2]) == levels[2]
    assert scenarios["change"].reward(rows[2]) == pytest.approx(levels[2] - levels[1])


def test_the_objective_is_throughput_less_what_a_longer_tail_costs(monkeypatch):
    monkeypatch.setattr(reference, "WINDOWS", 4)
    options = SMALL | {"reward": "objective", "latency_weight": 2.0}
    scenario = LustreTuning.of(**options)
    tradeoff = reference.tradeoff_of(LustreTuning, scenario.options, "random-1-9")
    usual = windows(begun("random-1-9", seed=reference.SEED), 4)
    columns = [[measures[name] for measures, _ in usual] for name in ("throughput_mb_s", "p99_ms")]
    assert (tradeoff.throughput, tradeoff.latency) == tuple(map(pytest.approx, np.mean(columns, axis=1)))
    for measures, _ in windows(begun("random-1-9", (256, 0), **options), 4):
        served, tail = measures["throughput_mb_s"], measures["p99_ms"]
        expected = served / tradeoff.throughput - 2.0 * max(0.0, tail / tradeoff.latency - 1.0)
        assert scenario.reward(measures) == measures["served_less_tail"] == pytest.approx(expected)
    assert "served_less_tail" not in [measure.name for measure in LustreTuning.of(**SMALL).measures]


def test_another_mix_goes_on_and_another_kind_of_workload_begins_anew():
    with closing(begun("random-1-9")) as system:
        windows(system)
        system.set_context("random-9-1")
        measures = windows(system, 8)[-1][0]
        assert measures["read_mb_s"] > measures["write_mb_s"]
        system.set_context("sequential-write")
        measures = windows(system, 4)[-1][0]
        assert measures["read_mb_s"] == 0.0 and measures["write_mb_s"] > 100.0


def test_the_environment_passes_gymnasiums_check():
    env = make_environment("lustre-tuning", workload="random-1-9", jumps=False, options=SMALL)
    check_env(env.unwrapped, skip_render_check=True)
    first = [env.reset(seed=3)[0], *(env.step(action)[0] for action in (1, 3, 2))]
    second = [env.reset(seed=3)[0], *(env.step(action)[0] for action in (1, 3, 2))]
    np.testing.assert_array_equal(first, second)


def test_a_deeper_window_helps_writes_and_leaves_reads():
    """The paper's finding (figure 2), short: the best window beside the default's, on disks with data all over."""

    def throughput(workload, setting):
        system = begun(workload, setting, data_gb=100.0, spread=1.0, fill_s=20.0, window_s=60.0, dirty_mb=8.0)
        return windows(system, 1)[0][0]["throughput_mb_s"]

    assert throughput("random-1-9", (64, 0)) > 1.15 * throughput("random-1-9", DEFAULT)
    assert throughput("random-9-1", (64, 0)) == pytest.approx(throughput("random-9-1", DEFAULT), rel=0.02)


def test_contended_loads_run_where_they_are_chosen_alone(capsys):
    assert set(CONTEXTS.names) - set(CONTEXTS.trained) == set(CONTENDED)
    for chosen, expected in (((), set(CONTEXTS.trained)), (("contended-mail",), {"contended-mail"})):
        words = ["--workloads", *chosen] if chosen else []
        assert main(["evaluate", "lustre-tuning", "--policies", "fixed:8,0", *words, "--dry-run", "--json"]) == 0
        assert set(json.loads(capsys.readouterr().out)["configuration"]["workloads"]) == expected
