"""Where which policy wins: skew, drift, capacity and think time, on one kind of traffic."""

from __future__ import annotations

from pmtwin.figures.experiments.parallel import environment_seed, finished, run_kept
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.hybrid_storage.figures.campaign import HybridCampaign
from pmtwin.scenarios.hybrid_storage.figures.policies import CDE, CDE_RL, CONTROLS, HARMONIA, SAPM, SIBYL, present
from pmtwin.scenarios.hybrid_storage.winning import Case, cases, slowdowns_at

SPECS = (*CONTROLS, CDE, SIBYL, HARMONIA, CDE_RL, SAPM)
SKEWS, DRIFTS, FASTS, GAPS_US = (0.7, 0.9, 1.1, 1.3), (0, 1000, 100, 10), (2.0, 10.0, 30.0), (3.0, 300.0, 3000.0)


def compute(work: Work) -> dict:
    """`cells`: a row for each point with `skew`, `drift`, `fast`, `gap_us` and `slowdowns`: policy -> by seed."""
    setting, campaign = work.setting, work.setting.campaign
    seeds = [environment_seed(setting.seed, number) for number in range(campaign.seeds)]
    tasks = [(point, present(SPECS), seeds, campaign.grid_length) for point in _points()]
    with work.progress(total=len(tasks), desc="map", initial=finished(work.folder)) as bar:
        return {"cells": run_kept(_cell, tasks, work.folder, setting.jobs, bar.update)}


def requests(campaign: HybridCampaign) -> int:
    """Requests of all runs."""
    return len(_points()) * len(present(SPECS)) * campaign.seeds * campaign.grid_length


def _points() -> list[Case]:
    return cases(SKEWS, DRIFTS, FASTS, GAPS_US)


def _cell(point: Case, specs: tuple[str, ...], seeds: list[int], length: int) -> dict:
    slowdowns = slowdowns_at(point, specs, seeds, length)
    return {**point._asdict(), "slowdowns": {spec: values.tolist() for spec, values in slowdowns.items()}}
