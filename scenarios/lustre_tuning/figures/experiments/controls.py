"""What the paper leaves out: the best fixed setting, and hill climbing, beside Lustre's default."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.figures.experiments.parallel import finished, run_kept
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.comparison.best_fixed import SearchPlan, search_best_fixed
from pmtwin.scenarios.lustre_tuning.figures.campaign import LustreCampaign
from pmtwin.scenarios.lustre_tuning.figures.experiments.runs import MINUTE_S, Case, computed
from pmtwin.scenarios.lustre_tuning.figures.experiments.subject import subject
from pmtwin.scenarios.lustre_tuning.options import LustreOptions
from pmtwin.scenarios.lustre_tuning.scenario import LustreTuning
from pmtwin.scenarios.lustre_tuning.workloads import CONTEXTS

FIXED, CLIMBING = "fixed:8,0", "hill-climbing"
BEST = "best-fixed"
CLIMBING_H = 2.0
"""Hours of hill climbing before its reading; it is at its best setting after 40 minutes."""

BY_MINUTE = {"window_s": MINUTE_S, "fill_s": LustreOptions.fill_s - MINUTE_S + LustreOptions.window_s}
"""Options of runs in which nothing is decided: the same simulation, read once a minute. A run begins with a window that
does not count, which here is as much longer as the time before it is shorter."""

WINDOWS = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
TAUS_US = (0, 2840, 5840, 11_840, 32_840)
CANDIDATES = tuple((window, tau_us) for window in WINDOWS for tau_us in TAUS_US)
SEARCH_SEEDS = 5


def search(work: Work, workloads: Sequence[str]) -> dict:
    """`best`: workload -> `setting` and `finalists`, of `CANDIDATES`, by runs that no figure shows."""
    plan = plan_of(work.setting.campaign)
    tasks = [(subject(work), name, work.setting.seed, plan) for name in workloads]
    with work.progress(total=len(tasks), desc="best fixed", initial=finished(work.folder)) as bar:
        rows = run_kept(_searched, tasks, work.folder, work.setting.jobs, bar.update)
    return {"best": dict(zip(workloads, rows, strict=True))}


def plan_of(campaign: LustreCampaign) -> SearchPlan:
    """Size of a search; in each run dirty data have as long to settle as the scenario says."""
    warmup = LustreTuning.search_warmup_windows
    return SearchPlan(((10, 16),), campaign.search_windows, SEARCH_SEEDS, warmup)


def _searched(scenario: LustreTuning, workload: str, seed: int, plan: SearchPlan) -> dict:
    key = np.random.SeedSequence(seed, spawn_key=(0, CONTEXTS.number(workload)))
    best = search_best_fixed(scenario, workload, key, plan, CANDIDATES)
    return {"setting": best["limits"], "tied": best["tied"], "finalists": best["finalists"]}


def controls(work: Work, workloads: Sequence[str], needed: str) -> dict:
    """`runs` of the default, of the best fixed setting (label `BEST`) and of hill climbing, each with a reading.

    `hours`: of training before each reading of networks, and of a reading. The default runs as long as the trainings:
    each reading has one of the default beside it that has the same foreign traffic.

    Args:
        needed: the step of `search`.
    """
    campaign, best = work.setting.campaign, work.results[needed]["best"]
    judged, whole = campaign.judged_h, campaign.trained_h[-1] + campaign.judged_h
    cases = [
        case
        for name in workloads
        for case in (
            Case(name, FIXED, whole, options=BY_MINUTE),
            Case(name, "fixed:{},{}".format(*best[name]["setting"]), judged, BEST, BY_MINUTE),
            Case(name, CLIMBING, CLIMBING_H + judged),
        )
    ]
    hours = {"trained": campaign.trained_h, "judged": judged}
    return computed(work, cases, campaign.seeds) | {"hours": hours}
