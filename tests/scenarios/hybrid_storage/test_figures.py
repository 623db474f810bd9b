"""Figures: published percentages in both readings, runs that resume and depend on no number of processes."""

import dataclasses
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest

from pmtwin.figures.drawing.style import styled
from pmtwin.figures.experiments.parallel import KEPT
from pmtwin.pipeline.step import Setting, Work
from pmtwin.policies import make_policy
from pmtwin.scenarios.hybrid_storage import HybridStorage
from pmtwin.scenarios.hybrid_storage.figures.averages import Runs, by_seed, gap_closed, over
from pmtwin.scenarios.hybrid_storage.figures.campaign import HybridCampaign
from pmtwin.scenarios.hybrid_storage.figures.claims import ASKED, shown, statements
from pmtwin.scenarios.hybrid_storage.figures.experiments import fitting, learning, runs, sweeps, winners
from pmtwin.scenarios.hybrid_storage.figures.pipeline import PIPELINE, WINDOW
from pmtwin.scenarios.hybrid_storage.figures.plots import fitting as fitting_plot
from pmtwin.scenarios.hybrid_storage.figures.plots import learning as learning_plot
from pmtwin.scenarios.hybrid_storage.figures.plots import storages as plots
from pmtwin.scenarios.hybrid_storage.figures.plots import sweeps as sweep_plots
from pmtwin.scenarios.hybrid_storage.figures.plots import winners as winners_plot
from pmtwin.scenarios.hybrid_storage.figures.plots.parts import beside
from pmtwin.scenarios.hybrid_storage.figures.policies import HARMONIA, ORACLE, SIBYL, present
from pmtwin.scenarios.hybrid_storage.published import TABLE_4, TABLE_5

SIBYL_OVER_ORACLE = 1.0 / 0.499
MEASURED = ("throughput", "write_amplification", "p99_us", "p9999_us", "moves", "promotions", "evictions")


def row(label: str, workload: str, policy: str, slowdown: float, seed: int = 0) -> dict:
    measures = dict.fromkeys(MEASURED, 1.0) | {"moves": 4.0}
    return {"label": label, "workload": workload, "policy": policy, "seed": seed, "requests": 100, **measures,
            "slowdown": slowdown, "mean_us": 10.0 * slowdown}  # fmt: skip


def as_published(label: str = "perf") -> list[dict]:
    """Sibyl at 49.9 % of Oracle, Harmonia 49.5 % over Sibyl in the first reading."""
    latencies = {SIBYL: SIBYL_OVER_ORACLE, HARMONIA: SIBYL_OVER_ORACLE / 1.495, ORACLE: 1.0}
    return [row(label, name, policy, latency) for name in TABLE_4 for policy, latency in latencies.items()]


def test_the_first_reading_fits_the_gap_that_the_paper_closes_and_the_second_does_not():
    first = Runs(as_published())
    assert over(HARMONIA, SIBYL)(first) == pytest.approx((49.5, 100.0 * (1.0 - 1.0 / 1.495)))
    assert gap_closed(first)[0] == pytest.approx(66.0, abs=0.5)
    second = {SIBYL: SIBYL_OVER_ORACLE, HARMONIA: SIBYL_OVER_ORACLE * 0.505, ORACLE: 1.0}
    rows = [row("perf", name, policy, latency) for name in TABLE_4 for policy, latency in second.items()]
    assert gap_closed(Runs(rows))[0] == pytest.approx(99.0, abs=0.5)


def test_claims_hold_of_runs_as_published_and_are_predicted():
    seeds = by_seed(as_published())
    rows = shown("8", seeds)
    overall = next(each for each in rows if each.asked.claim == "performance over Sibyl")
    assert overall.holds and overall.in_order and overall.published == 49.5
    assert all(each.used is False for each in statements(rows))
    assert shown("3", seeds)[0].holds  # Sibyl of Oracle; claims on absent policies are left out
    assert len(shown("3", seeds)) == 1


def test_each_claim_that_is_asked_is_published_for_a_storage():
    for asked in ASKED:
        assert asked.published.claim and any(asked.value(config) is not None for config in asked.configs)


def test_no_claim_is_asked_twice_and_each_belongs_to_a_figure():
    assert len({(each.name, each.claim) for each in ASKED}) == len(ASKED)
    assert {each.figure for each in ASKED} <= {entry.name for entry in PIPELINE.entries}


def test_each_claim_beside_the_bars_begins_with_the_policy_that_it_is_about():
    figure, axes = plt.subplots()
    beside(axes, [*shown("3", by_seed(as_published())), *shown("8", by_seed(as_published()))])
    labels = [label.get_text() for label in axes.get_yticklabels()]
    plt.close(figure)
    assert labels[:2] == ["perf: Sibyl: performance, of Oracle's", "perf: Harmonia: performance over Sibyl"]
    assert all(label.startswith("perf: Harmonia: ") for label in labels[1:])


@pytest.mark.parametrize("name", ["3", "8", "9", "15", "16"])
def test_figures_are_drawn_with_their_numbers(name):
    results = {config: {"runs": as_published(config)} for config in ("perf", "cost")}
    with styled():
        rendered = getattr(plots, f"render_{name}")(results)
    assert rendered.drawings and "one seed, so no interval" in rendered.drawings[0].caption
    if name == "16":
        assert rendered.tables[0].rows[0][2:] == (4.0, 25.0)
    else:
        assert any(statement.holds for statement in rendered.statements) or name in ("9", "15")


def test_no_share_of_an_oracle_that_is_an_estimate_is_stated():
    latencies = {SIBYL: 3.0, HARMONIA: 2.0, ORACLE: 4.0}  # both are faster than the estimate
    rows = [row(config, name, policy, latency) | ({"kind": "estimate"} if policy == ORACLE else {})
            for config in ("perf", "cost") for name in TABLE_5 for policy, latency in latencies.items()]  # fmt: skip
    with styled():
        rendered = plots.render_13({"mixes": {"runs": rows}})
    (drawing,) = rendered.drawings
    (legend,) = drawing.figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert "Oracle (estimate)" in names and "lower bound" not in drawing.caption and "Oracle" not in drawing.alt
    of_oracle = [each for each in rendered.statements if "of Oracle's" in each.published]
    assert [each.holds for each in of_oracle] == [None, None]
    assert all("estimate" in each.computed and "%" not in each.computed for each in of_oracle)
    claims, means = rendered.tables
    assert all("Oracle" not in cells[0] for cells in claims.rows)
    assert {cells[2] for cells in means.rows} == {SIBYL, HARMONIA, "optimum (estimate)"}


def test_figure_11_marks_the_best_value_and_says_how_much_it_matters():
    rows = [
        row(f"{name} {value}", "LUN0", HARMONIA, 1.0 if value == best else 1.1)
        for name, values, best in ((sweeps.QUEUE, sweeps.QUEUES, 10), (sweeps.N, sweeps.ANSWERS, 1))
        for value in values
    ]
    rows += [row(sweeps.CONTROL, "LUN0", policy, 2.0) for policy in sweeps.CONTROLS]
    with styled():
        queue, reward = sweep_plots.render_11({"settings": {"runs": rows}}).statements
    assert queue.holds and "10 %" in queue.computed
    assert not reward.holds


def test_sensitivity_is_over_the_agents_as_described():
    rows = [
        row(f"{config}/{change.name}", "LUN0", policy, 2.0 if change.name == sweeps.BASE else 3.0)
        for config, change in product(("perf", "cost"), sweeps.OPEN)
        for policy in change.specs
    ]
    with styled():
        (table,) = sweep_plots.render_sensitivity({"sensitivity": {"runs": rows}}).tables
    assert [cells[4:7] for cells in table.rows[:2]] == [("1", "1", "1"), ("1.5", "0.667", "0.667")]


def test_every_change_is_an_option_and_another_one():
    scenario = HybridStorage()
    for change in sweeps.OPEN:
        make_policy(change.spec, scenario)
        dataclasses.replace(scenario.options.storage, **change.storage)
        dataclasses.replace(scenario.options.shape, **change.shape)
    changes = [(change.spec, tuple(change.storage.items()), tuple(change.shape.items())) for change in sweeps.OPEN]
    assert len(set(changes)) == len(changes)


def test_policies_that_are_not_registered_are_left_out():
    assert present((SIBYL, "nobody", "place=sibyl+migrate=nobody")) == (SIBYL,)


def test_a_loss_has_settled_when_it_stays_near_its_end():
    requests = np.arange(1000, 11_000, 1000)
    assert learning.settled(requests, np.array([4.0, 3.0, 2.0, 1.1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])) == 4000
    assert learning.settled(requests, np.ones(10)) == 1000
    assert learning.settled(requests, np.arange(10.0, 0.0, -1.0)) is None


def test_figure_7_has_a_settled_number_for_each_agent():
    rows = [
        {"spec": name, "seed": 0, "agent": agent, "requests": at, "loss": 1.0 if at >= 6000 else 4.0}
        for name, agent, at in product(learning.SPECS, learning_plot.AGENTS, range(1000, 20_000, 1000))
    ]
    with styled():
        rendered = learning_plot.render({"learning": {"losses": rows}})
    assert [each.holds for each in rendered.statements] == [True, True, False, False]


def test_the_map_names_the_winner_of_each_point_and_what_harmonia_loses():
    cells = [
        {**point._asdict(), "slowdowns": {"write-lru": [2.0], "lru-clean": [1.0 + point.skew], HARMONIA: [4.0]}}
        for point in winners.cases(winners.SKEWS, winners.DRIFTS, winners.FASTS, winners.GAPS_US)
    ]
    with styled():
        rendered = winners_plot.render({"map": {"cells": cells}})
    wins = dict(rendered.tables[0].rows)
    assert wins == {"lru-clean": len(cells) // 2, "write-lru": len(cells) // 2}  # skews 0.7 and 0.9; 1.1 and 1.3
    assert rendered.tables[1].rows[0][:6] == (0.7, 0, 2.0, 3.0, "lru-clean", round(4.0 / 1.7, 3))


def test_only_what_was_fitted_counts_as_used():
    cells = [
        {"skew": skew, "fast": fast, "perf": 49.9, "cost": 41.4, "distance": abs(skew - 0.9) * 40.0 + abs(fast - 10.0)}
        for skew, fast in product(fitting.SKEWS, fitting.FASTS)
    ]
    best = min(cells, key=lambda cell: cell["distance"])
    results = {"fit": {"cells": cells, "best": best}, "fitted": {"runs": as_published()}}
    with styled():
        rendered = fitting_plot.render(results)
    used = {each.published for each in rendered.statements if each.used}
    assert len(used) == 2 and all("Oracle" in text for text in used)
    assert any(each.used is False for each in rendered.statements)
    assert "skew 0.9, fast 10 %" in rendered.drawings[0].alt


class Bar:
    """Progress that nobody sees."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def update(self, count):
        return None


def work(folder, jobs):
    campaign = HybridCampaign("tiny", seeds=2, length=400, grid_length=200)
    setting = Setting(HybridStorage(), campaign, 0, jobs, None)
    return Work(setting, {}, {}, folder, lambda *args, **named: Bar())


def test_the_optimum_is_over_the_fast_only_of_the_policies_in_latency_and_in_requests():
    """Requests/s of one thread are 1 / (gap + latency); the policy's two ratios give the gap."""
    case = runs.Case("perf", "ssd-02", ("write-lru", ORACLE))
    policy, least = runs.rows_of(case, case.options(HybridStorage().options, 4000), seed=3)
    fast_us = policy["mean_us"] / policy["slowdown"]
    assert least["slowdown"] == pytest.approx(least["mean_us"] / fast_us, rel=1e-12)
    gap_us = (policy["throughput"] * policy["mean_us"] - fast_us) / (1.0 - policy["throughput"])
    assert least["throughput"] == pytest.approx((gap_us + fast_us) / (gap_us + least["mean_us"]), rel=0.01)


def test_runs_resume_and_have_the_same_bits_on_one_and_two_processes(tmp_path):
    cases = [runs.Case("perf", name, ("write-lru", ORACLE)) for name in ("LUN0", "ssd-02")]
    folders = [tmp_path / str(jobs) for jobs in (1, 2)]
    for folder in folders:
        folder.mkdir()
    one, two = (runs.computed(work(folder, jobs), cases, 400, 2) for folder, jobs in zip(folders, (1, 2), strict=True))
    assert one == two
    assert len(one["runs"]) == 8 and one["runs"][0] != one["runs"][4]  # another seed
    least = {(each["workload"], each["seed"]): each["slowdown"] for each in one["runs"] if each["policy"] == ORACLE}
    for each in one["runs"]:
        assert each["slowdown"] >= least[each["workload"], each["seed"]] * (1.0 - 1e-9)
        assert np.isfinite(each["mean_us"])
    kept = folders[0] / KEPT
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2])  # killed while it wrote
    assert runs.computed(work(folders[0], 1), cases, 400, 2) == two
    assert kept.read_bytes() == whole


def test_every_run_of_every_step_has_options_and_policies_that_exist(tmp_path, monkeypatch):
    """Nothing is simulated: the tasks of each step are looked at, and the figures that need it are drawn of numbers."""
    asked = {}

    def looked_at(function, tasks, folder, jobs, on_done):
        asked[folder.name] = sum(requests_of(function, *task) for task in tasks)
        return [numbers_of(function, *task) for task in tasks]

    for module in (runs, winners, learning):
        monkeypatch.setattr(module, "run_kept", looked_at)
    results = {}
    for step in PIPELINE.steps:
        needed = {name: results[name] for name in step.needs}
        asking = dataclasses.replace(work(tmp_path / step.name, 1), results=needed)
        results[step.name] = step.compute(asking)
        assert step.windows(asking.setting) == asked[step.name] // WINDOW  # what the estimate of its time takes
    assert set(asked) == {step.name for step in PIPELINE.steps}
    for entry in PIPELINE.entries:
        with styled():
            rendered = entry.render({name: results[name] for name in entry.needs})
        assert rendered.drawings and rendered.tables


def requests_of(function, *task):
    """Requests that a task simulates."""
    if function is runs.rows_of:
        case, options, _ = task
        return len(case.specs) * options.shape.length
    if function is learning.losses:
        return learning.REQUESTS
    _, specs, seeds, length = task
    return len(specs) * len(seeds) * length


def numbers_of(function, *task):
    """What a task would return, with numbers that depend on the policy's place alone."""
    if function is runs.rows_of:
        case, options, _ = task
        scenario = HybridStorage(options)
        for spec in case.specs:
            assert spec == ORACLE or make_policy(spec, scenario)
        rows = [row(case.label, case.workload, spec, 2.0 + place) for place, spec in enumerate(case.specs)]
        return [{name: value for name, value in each.items() if name != "seed"} for each in rows]
    if function is learning.losses:
        _, name, number, _ = task
        losses = [{"agent": agent, "requests": 1000, "loss": 1.0} for agent in learning_plot.AGENTS]
        return [{"spec": name, "seed": number, **each} for each in losses]
    point, specs, seeds, _ = task
    return {**point._asdict(), "slowdowns": {spec: [2.0 + place for _ in seeds] for place, spec in enumerate(specs)}}
