"""Figures: published numbers beside made-up runs that are as published, or not; runs that are kept and repeated."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.figures.drawing.style import styled
from pmtwin.pipeline.step import Setting, Work
from pmtwin.scenarios.lustre_tuning import LustreTuning
from pmtwin.scenarios.lustre_tuning.figures.campaign import QUICK
from pmtwin.scenarios.lustre_tuning.figures.experiments import controls, runs, sessions, trainings
from pmtwin.scenarios.lustre_tuning.figures.pipeline import PIPELINE
from pmtwin.scenarios.lustre_tuning.figures.plots import gains, learning
from pmtwin.scenarios.lustre_tuning.figures.plots import sessions as sessions_plot

EARLY, LATE, JUDGED = 2, 4, 1
HOURS = {"trained": [EARLY, LATE], "judged": JUDGED}
SEEDS = 3


def minutes(level: float, hours: int, seed: int, workload: str) -> list[float]:
    """Throughput around a level, with the same noise for all policies of a seed on a workload."""
    rng = np.random.default_rng([seed, sum(map(ord, workload))])
    return (level * (1.0 + 0.05 * rng.normal(size=60 * hours))).tolist()


def made(workload: str, policy: str, hours: int, level: float, label: str = "") -> list[dict]:
    """Runs of all seeds."""
    return [
        {"workload": workload, "policy": policy, "label": label, "seed": seed,
         "minutes": minutes(level, hours, seed, workload)}
        for seed in range(SEEDS)
    ]  # fmt: skip


def trained(workload: str, early: float, late: float, hours: int = LATE + JUDGED) -> list[dict]:
    """Runs of the network whose gain changes between the readings."""
    rows = made(workload, trainings.DQN, hours, 1.0)
    for row in rows:
        gains_of = np.where(np.arange(60 * hours) < 60 * (EARLY + JUDGED), early, late)
        row["minutes"] = (np.array(row["minutes"]) * (1.0 + gains_of)).tolist()
        row["losses"] = [None, *(1.0 / (1 + place) for place in range(len(row["minutes"]) // 10 - 1))]
        row["unit"] = 1.0
    return rows


def beside(workload: str) -> list[dict]:
    """Runs of the controls: the best fixed setting gains a half."""
    return [
        *made(workload, controls.FIXED, LATE + JUDGED, 1.0),
        *made(workload, "fixed:64,0", JUDGED, 1.5, controls.BEST),
        *made(workload, controls.CLIMBING, 3, 1.4),
    ]


def results(late_1_9: float = 0.45, heavy: float = 0.01, files: float = 0.17) -> dict:
    """Results of all steps, as published unless stated."""
    random = dict.fromkeys(trainings.OTHERS, heavy)
    printed = trained(trainings.LONGEST, 0.1, 0.1)[:1]
    printed[0]["policy"] = trainings.PAPER
    return {
        "longest": {"runs": trained(trainings.LONGEST, late_1_9, late_1_9)},
        "random": {"runs": [row for name, gain in random.items() for row in trained(name, 0.0, gain)]},
        "files": {"runs": [row for name in trainings.FIGURE_3 for row in trained(name, 0.0, files)]},
        "printed": {"runs": printed},
        "controls-random": {"runs": [row for name in trainings.RANDOM for row in beside(name)], "hours": HOURS},
        "controls-files": {"runs": [row for name in trainings.FIGURE_3 for row in beside(name)], "hours": HOURS},
    }


def verdicts(rendered) -> list[bool]:
    return [statement.holds for statement in rendered.statements]


@pytest.fixture(autouse=True)
def drawn():
    with styled():
        yield


def test_gains_as_published_hold_and_others_do_not():
    as_published = gains.render_2(results())
    assert verdicts(as_published)[:2] == [True, True]
    assert [statement.used for statement in as_published.statements] == [True, True, False]
    assert verdicts(gains.render_2(results(late_1_9=0.25, heavy=0.1)))[:2] == [False, False]


def test_a_longer_training_helps_where_its_interval_is_above_zero_and_only_read_heavy_workloads_count():
    figures = results()
    assert not verdicts(gains.render_2(figures))[2]  # three workloads that are not read-heavy gain as well
    figures["random"]["runs"] = [
        row for name in trainings.OTHERS for row in trained(name, 0.0, 0.01 if name == "random-9-1" else 0.0)
    ]
    assert verdicts(gains.render_2(figures))[2]


def test_the_share_of_the_best_settings_gain_is_in_the_table():
    (table,) = gains.render_3(results()).tables
    shares = {row[:2]: row[4] for row in table.rows}
    assert shares["file-server", "best fixed"] == 1.0
    assert shares["file-server", f"dqn, {LATE} h"] == pytest.approx(0.34, abs=0.01)
    assert verdicts(gains.render_3(results())) == [True, True]
    assert verdicts(gains.render_3(results(files=0.05)))[0] is False


def test_sessions_are_held_against_the_published_range():
    def rendered(gain: float):
        rows = [
            row
            for session in sessions.SESSIONS
            for policy, level in ((controls.FIXED, 1.0), (sessions.TUNED, 1.0 + gain))
            for row in made(trainings.FILES, policy, 1, level, session.name)
        ]
        return sessions_plot.render({"sessions": {"runs": rows}})

    assert verdicts(rendered(0.2)) == [True] and verdicts(rendered(0.05)) == [False]


def test_errors_fall_and_trainings_are_comparable():
    figures = results(late_1_9=0.05)
    assert verdicts(learning.render_5(figures)) == [True] and verdicts(learning.render_6(figures)) == [True]
    for row in figures["longest"]["runs"]:
        row["losses"] = [None, *range(1, len(row["losses"]))]
    assert verdicts(learning.render_5(figures)) == [False]
    assert verdicts(learning.render_6(results(late_1_9=0.3))) == [False]


def work_in(folder, jobs: int) -> Work:
    setting = Setting(LustreTuning(), QUICK, 0, jobs, None)
    return Work(setting, {}, {}, folder, lambda *_, **__: Silent())


class Silent:
    """A progress bar that shows nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def update(self, count: int) -> None:
        return None


CASES = [
    runs.Case("random-1-9", "fixed:64,0", 0.05, options=controls.BY_MINUTE),
    runs.Case("random-1-9", trainings.DQN, 0.2, kept_h=0.15),
]


def test_runs_are_the_same_on_two_processes_and_go_on_behind_what_is_kept(tmp_path):
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    computed = runs.computed(work_in(folders[0], 1), CASES, 1)
    assert computed == runs.computed(work_in(folders[1], 2), CASES, 1)
    networks = [runs.network_file(folder, "random-1-9", 0).read_bytes() for folder in folders]
    assert networks[0] == networks[1]
    kept = folders[0] / "finished.jsonl"
    first = json.loads(kept.read_text().splitlines()[0])
    first["minutes"][0] = -1.0
    kept.write_text(f'{json.dumps(first)}\n{{"half')  # as a kill leaves it
    resumed = runs.computed(work_in(folders[0], 1), CASES, 1)["runs"]
    assert resumed == [first, computed["runs"][1]]


def test_runs_that_are_read_by_the_minute_are_those_of_single_seconds():
    options = LustreTuning().options
    by_minute = runs.run_of(CASES[0], CASES[0].of(options), 0, 7)["minutes"]
    by_second = replace(CASES[0], options={})
    assert by_minute == pytest.approx(runs.run_of(by_second, options, 0, 7)["minutes"], abs=1e-3)


def test_the_campaigns_have_the_papers_workloads_and_hours_that_fit():
    steps = {step.name: step for step in PIPELINE.steps}
    for campaign in (PIPELINE.quick, PIPELINE.full):
        assert campaign.long_h >= campaign.trained_h[-1] + campaign.judged_h
        for step in steps.values():
            assert set(step.settings) <= set(campaign.to_dict())
    assert tuple(f"random-{mix}" for mix in ("9-1", "4-1", "1-1", "1-4", "1-9")) == trainings.RANDOM
    assert trainings.FIGURE_3 == ("file-server", "sequential-write")
    needed = {name for entry in PIPELINE.entries for name in entry.needs}
    assert needed <= set(steps)
