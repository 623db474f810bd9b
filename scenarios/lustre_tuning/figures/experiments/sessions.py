"""Figure 4: one network in three later runs, in which the data lie elsewhere, without tuning and with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pmtwin.figures.experiments.parallel import environment_seed, finished, run_kept
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.lustre_tuning.figures.experiments.controls import FIXED
from pmtwin.scenarios.lustre_tuning.figures.experiments.runs import Case, network_file, run_of
from pmtwin.scenarios.lustre_tuning.figures.experiments.subject import subject
from pmtwin.scenarios.lustre_tuning.figures.experiments.trainings import FILES


class Session(NamedTuple):
    """Where the data lie: options that differ from those of the training."""

    name: str
    options: Mapping[str, Any]


SESSIONS = (
    Session("as in training", {}),
    Session("over half of the disks", {"spread": 0.5}),
    Session("four times the data", {"data_gb": 400.0}),
)
"""Assumed: the paper has "numerous unrelated file operations between the sessions"."""

TUNED = "tuned"


def compute(work: Work) -> dict:
    """`runs`: a row for each session, network and policy; label: the session.

    The tuned run begins after the untuned one, with other random numbers, and begins at the scenario's initial setting.
    """
    options, campaign = subject(work).options, work.setting.campaign
    tasks = []
    for place, session in enumerate(SESSIONS):
        for number in range(campaign.seeds):
            network = network_file(work.folders["files"], FILES, number)
            for half, spec in enumerate((FIXED, f"trained:{network}")):
                case = Case(FILES, spec, campaign.session_h, session.name, session.options)
                seed = environment_seed(work.setting.seed, 1 + place, number, half)
                tasks.append((case, case.of(options), number, seed))
    with work.progress(total=len(tasks), desc="sessions", initial=finished(work.folder)) as bar:
        rows = run_kept(run_of, tasks, work.folder, work.setting.jobs, bar.update)
    return {"runs": [row | {"policy": FIXED if row["policy"] == FIXED else TUNED} for row in rows]}
