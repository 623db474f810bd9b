"""Trainings of the default deep Q-network, one for each workload, and one with the paper's hyperparameters."""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.pipeline.step import Work
from pmtwin.scenarios.lustre_tuning.figures.experiments.runs import Case, computed
from pmtwin.scenarios.lustre_tuning.workloads import CONTENDED, WORKLOADS

DQN, PAPER = "dqn", "dqn:preset=paper"
LONGEST = "random-1-9"
FILES = "file-server"
RANDOM = tuple(name for name in WORKLOADS if name.startswith("random"))
OTHERS = tuple(name for name in RANDOM if name != LONGEST)
FIGURE_3 = tuple(name for name in WORKLOADS if name not in (*RANDOM, *CONTENDED))


def trainings(work: Work, workloads: Sequence[str]) -> dict:
    """`runs` that go on for a reading after the last training time, at which networks are kept in files."""
    campaign = work.setting.campaign
    last = campaign.trained_h[-1]
    cases = [Case(name, DQN, last + campaign.judged_h, kept_h=last) for name in workloads]
    return computed(work, cases, campaign.seeds)


def longest(work: Work) -> dict:
    """`runs` of `LONGEST` for as many hours as figure 6 shows."""
    campaign = work.setting.campaign
    return computed(work, [Case(LONGEST, DQN, campaign.long_h)], campaign.seeds)


def as_printed(work: Work) -> dict:
    """`runs` of `LONGEST` with the paper's hyperparameters."""
    campaign = work.setting.campaign
    hours = campaign.trained_h[-1] + campaign.judged_h
    return computed(work, [Case(LONGEST, PAPER, hours)], campaign.paper_seeds)
