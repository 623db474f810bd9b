"""Figures: published ratios beside programs, Table 1 between whole threads, bounds that stand still, and the map."""

import json
from itertools import product

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.figures.drawing.style import styled
from pmtwin.policies import make_policy
from pmtwin.scenarios.numa_threads import NumaThreads
from pmtwin.scenarios.numa_threads.figures.claims import LATENCIES, MIXES, TIMES, shares, shown, statements
from pmtwin.scenarios.numa_threads.figures.experiments import (
    best_cores,
    bounds,
    culprits,
    far_controls,
    far_threads,
    programs,
)
from pmtwin.scenarios.numa_threads.figures.pipeline import PIPELINE
from pmtwin.scenarios.numa_threads.figures.plots import best_cores as best_cores_plot
from pmtwin.scenarios.numa_threads.figures.plots import bounds as bounds_plot
from pmtwin.scenarios.numa_threads.figures.plots import culprits as culprits_plot
from pmtwin.scenarios.numa_threads.figures.plots import far_controls as far_controls_plot
from pmtwin.scenarios.numa_threads.figures.plots import regret, table_1, times
from pmtwin.scenarios.numa_threads.model import costs_of
from pmtwin.scenarios.numa_threads.published import TABLE_1


def as_published(workload: str, policy: str) -> float:
    """Real time, and p99, of programs that are just as published."""
    if workload.startswith("fill"):
        return {"none": 1.0, "rule": 0.599, "linucb": 0.599}[policy]
    if workload.startswith("read"):
        return {"none": 1.0, "rule": 0.876 / 0.893, "linucb": 0.876}[policy]
    minutes = {"mixed-50": (27, 9, 25), "mixed-70": (18, 7, 18), "mixed-90": (4, 4, 4)}[workload]
    return float(minutes[programs.POLICIES.index(policy)])


@pytest.fixture
def runs():
    """Programs as published, of two seeds and two sampled systems, the second with Smart Scheduler twice as slow."""
    rows = []
    for sample, seed in ((None, 0), (None, 1), (0, 0), (1, 0)):
        for workload, policy in product(programs.WORKLOADS, programs.POLICIES):
            real_s = as_published(workload, policy) * (2.0 if sample == 1 and policy == "linucb" else 1.0)
            p99_ms = {"none": 1.0, "rule": 0.809 / 0.959, "linucb": 0.809}[policy]
            measured = {"real_s": real_s, "user_s": 2.0, "sys_s": 0.1, "p99_ms": p99_ms}
            rows.append({"workload": workload, "policy": policy, "seed": seed, "sample": sample, **measured})
    return rows


def test_programs_as_published_meet_every_claim(runs):
    rows = shown((*TIMES, *LATENCIES, *MIXES), runs)
    assert all(statement.holds and statement.used is False for statement in statements(rows))


def test_the_share_of_sampled_systems_tells_order_from_size(runs):
    writes, *_ = shown(TIMES, runs)
    assert writes.samples == pytest.approx([0.599, 1.198])
    assert shares(writes) == ("50 %", "50 %")
    mixed = next(each for each in shown(MIXES, runs) if each.claim.ours == "linucb" and each.claim.theirs == "rule")
    assert shares(mixed) == ("100 %", "50 %")  # twice as slow is still slower than the rule


def test_without_samples_shares_are_those_of_seeds(runs):
    writes, *_ = shown(TIMES, [run for run in runs if run["sample"] is None])
    assert writes.samples == [] and shares(writes) == ("100 %", "100 %")


@pytest.mark.parametrize("render", [times.render_times, times.render_p99, times.render_mixes])
def test_ratios_are_drawn_with_their_statements(render, runs):
    with styled():
        rendered = render({"programs": {"runs": runs}})
    assert rendered.drawings and rendered.statements
    assert rendered.tables[0].rows[0][2] == pytest.approx(rendered.tables[0].rows[0][3], abs=0.002)


def test_a_program_ends_with_its_last_request(small, monkeypatch):
    monkeypatch.setattr(programs, "REQUESTS", 3_000)
    scenario = programs.program_scenario(small())
    linux, rule = (programs.program(scenario, "fillrandom", spec, 1, None) for spec in ("none", "rule"))
    assert 0.0 < rule["real_s"] < linux["real_s"] < 10.0
    assert linux["local_share"] < rule["local_share"] and rule["moves"] > 0.0
    assert linux["user_s"] <= 8 * linux["real_s"]  # of 8 logical cores


def test_times_between_whole_numbers_of_threads_are_interpolated():
    far = far_threads.far_threads()
    assert far == [0, 1, 2, 3, 4, 7, 8]
    rows = [{"far": each, "seed": 0, "sample": sample, "real_s": 100.0 + each} for each in far for sample in (None, 3)]
    seeds, samples = table_1.times(rows)
    assert seeds[0] == pytest.approx([100.0, 100.72, 102.16, 103.6, 107.2])
    assert samples.shape == seeds.shape


def test_the_published_times_have_no_error():
    published = np.array([TABLE_1[share] for share in table_1.SHARES])
    assert table_1.errors_percent(3.0 * published) == pytest.approx(np.zeros(4))
    assert table_1.errors_percent(np.ones(5)).mean() == pytest.approx(6.8, abs=0.05)


def test_table_1_says_whether_the_published_time_is_inside():
    rows = [
        {"far": far, "seed": 0, "sample": sample, "real_s": real_s}
        for far in far_threads.far_threads()
        for sample, real_s in ((None, 330.0), (0, 100.0), (1, 400.0))
    ]
    with styled():
        ratios, inside = table_1.render({"far-threads": {"runs": rows}}).statements
    assert not ratios.holds and inside.holds and "330" in inside.computed


def test_a_row_of_the_controls_says_what_times_and_ratios_become():
    far = far_threads.far_threads()
    rows = [{"control": "all alike", "far": each, "seed": 0, "sample": None, "real_s": 330.0} for each in far]
    (table,) = far_controls_plot.render({"far-controls": {"runs": rows}}).tables
    assert table.rows[0][:2] == ("published", TABLE_1[0])
    assert table.rows[1] == ("all alike", 330.0, 1.0, 1.0, 1.0, 1.0, 6.8)


def test_memory_that_is_held_serves_more_threads_together_as_fast_as_the_most():
    options = far_threads.program_options(NumaThreads().options)
    costs = costs_of(options, far_threads.WORKLOAD)
    held = far_controls.HeldCosts(costs, 24)
    counts = np.zeros((3, 2, 2, 2))
    counts[:, 0, 0, 1] = 12.0, 24.0, 36.0
    (software, memory), (same, as_built) = held.times(counts), costs.times(counts)
    assert np.array_equal(software, same) and np.array_equal(memory[:2], as_built[:2])
    assert memory[2, 0, 0, 1] == pytest.approx(1.5 * as_built[1, 0, 0, 1]) and np.all(memory[2] <= as_built[2])


def test_each_control_of_table_1_prices_something_else():
    options = far_threads.program_options(NumaThreads().options)
    counts = np.zeros((1, 2, 2, 2))
    counts[0, 0, :, 1] = 34.0, 2.0
    built, *others = (np.concatenate(each.costs(each.of(options)).times(counts)) for each in far_controls.CONTROLS)
    priced = [name for name, times in zip(far_controls.CONTROLS[1:], others, strict=True) if np.any(times != built)]
    alike = [each for each in far_controls.CONTROLS[1:] if each not in priced]
    assert all(each.accesses or each.workload != far_threads.WORKLOAD for each in alike)
    assert len({each.name for each in far_controls.CONTROLS}) == len(far_controls.CONTROLS)


def test_an_action_that_is_never_taken_keeps_its_bound(small):
    scenario = bounds._rewarded(small(), "printed")
    run = bounds._run(scenario, "printed", "fillrandom", 0, 1)
    stays, goes = np.array(run["bounds"])
    assert sum(run["decisions"]) > 0 and stays[-1] < stays[0]
    assert goes == pytest.approx(np.full(bounds.WINDOWS, goes[0]))
    assert bounds_plot.stable_from(np.array([goes, goes])) == 1
    assert bounds_plot.stable_from(np.array([[1.0, 0.5, 0.1, 0.1]])) == 3


def test_a_variant_is_a_culprit_only_if_it_fails_on_mixtures_alone():
    factors = {"as built": (1.0, 1.0, 1.0), "one": (1.0, 1.0, 2.8), "another": (1.9, 1.0, 2.8)}
    rows = [
        {"group": factor, "variant": "x", "workload": workload, "smart_s": ratio, "rule_s": 1.0}
        for factor, ratios in factors.items()
        for workload, ratio in zip(culprits.WORKLOADS, ratios, strict=True)
    ]
    with styled():
        rendered = culprits_plot.render({"culprits": {"runs": rows}})
    (statement,) = rendered.statements
    assert statement.holds and statement.computed.endswith(": one: x")


def test_variants_differ_from_what_is_built_in_something_and_have_policies():
    options = NumaThreads().options
    built, *others = culprits.VARIANTS
    assert built.of(options) == options and built.policy == culprits.SMART
    assert all(each.of(options) != options or each.policy != culprits.SMART for each in others)
    assert all(make_policy(each.policy, NumaThreads()).inline for each in culprits.VARIANTS)


def test_regret_is_what_the_best_would_have_done_more():
    rewards = {"none": [[0.5] * 4], "rule": [[1.0] * 4, [0.0] * 4], "linucb": [[1.0] * 4], "best-constant": [[0.9] * 4]}
    values = {"rewards": {"mixed-50": rewards, "changing": rewards}, "constant": {"mixed-50": [48, 12, 0]}}
    with styled():
        rendered = regret.render({"regret": values})
    lost = {row[1]: row[2] for row in rendered.tables[0].rows if row[0] == "mixed-50"}
    assert lost == pytest.approx({"none": 2.0, "rule": 2.0, "linucb": 0.0, "best-constant": 0.4})


def test_the_map_states_cores_and_what_all_near_would_lose(small, monkeypatch):
    monkeypatch.setattr(best_cores, "READ_SHARES", (0.0, 1.0))
    options = small().options
    cells = [cell for threads in (4, 6) for cell in best_cores._cells(options, "a device", threads, 16_384)]
    assert all(cell["all_near"] <= cell["ops_per_s"] for cell in cells)
    assert all(0 < cell["near"] + cell["far"] <= cell["threads"] for cell in cells)
    with styled():
        rendered = best_cores_plot.render({"best-cores": {"cells": cells}})
    assert len(rendered.tables[0].rows) == 4


def test_the_figures_are_declared(capsys):
    assert cli.main(["figures", "numa-threads", "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["figures"] == [entry.name for entry in PIPELINE.entries]
    assert {"table-1", "times", "p99", "mixes", "ucb", "culprits", "regret", "map"} <= set(plan["figures"])
