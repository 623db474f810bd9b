"""Sizes of the experiments behind the figures."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.figures.campaign import Campaign
from pmtwin.scenarios.lustre_tuning.published import LONG_H, SESSION_H, TRAINING_H


@dataclass(frozen=True)
class LustreCampaign(Campaign):
    """Size of the campaign.

    Args:
        seeds: runs of each policy on each workload.
        trained_h: hours of training before each of the two readings.
        judged_h: hours that a reading takes.
        long_h: hours of the longest training, that of `random-1-9`.
        session_h: hours of a session of figure 4 without tuning, and with it.
        search_windows: windows of a setting in the last round of the search for the best fixed one.
        paper_seeds: runs with the paper's hyperparameters.
        open_h, open_seeds: hours and seeds of trainings that learn otherwise.
    """

    trained_h: tuple[float, float]
    judged_h: float
    long_h: float
    session_h: float
    search_windows: int
    paper_seeds: int
    open_h: float
    open_seeds: int


QUICK = LustreCampaign(
    "quick", seeds=3, trained_h=(2.0, 4.0), judged_h=0.5, long_h=8.0, session_h=0.5, search_windows=120, paper_seeds=1,
    open_h=2.0, open_seeds=1,
)  # fmt: skip
FULL = LustreCampaign(
    "full", seeds=5, trained_h=TRAINING_H, judged_h=2.0, long_h=LONG_H, session_h=SESSION_H, search_windows=600,
    paper_seeds=1, open_h=8.0, open_seeds=3,
)  # fmt: skip
