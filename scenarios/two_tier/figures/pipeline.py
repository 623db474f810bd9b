"""Steps of `pmtwin figures two-tier`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pmtwin.figures.campaign import Campaign
from pmtwin.figures.registry import Entry
from pmtwin.loop.baselines import PIPELINE as BASELINES
from pmtwin.pipeline.step import Step
from pmtwin.scenarios.two_tier.figures import (
    fluid_limit,
    misses,
    percentiles,
    regressions,
    regret,
    scaling,
    sizes,
    transient,
    waiting,
)


@dataclass(frozen=True)
class StorageCampaign(Campaign):
    """Size of the campaign.

    Args:
        seeds: of each table of misses.
        settings, requests: random settings whose waiting times are simulated, and requests of each.
        nvme_runs, hdd_runs, run_requests: of the designs of the regressions, and requests of a run at most.
        transient_requests: of each workload out of equilibrium, in all its repetitions.
    """

    settings: int
    requests: int
    nvme_runs: int
    hdd_runs: int
    run_requests: int
    transient_requests: int


def _entry(name: str, title: str, place: str, step: str, function: str) -> Entry:
    return Entry(name, title, place, (step,), f"pmtwin.scenarios.two_tier.figures.{function}", "Two-tiered storage")


PIPELINE = replace(
    BASELINES,
    title="Two-tiered storage",
    entries=(
        _entry("misses-poisson", "Misses of Poisson traffic", "Table V", "misses", "misses:render_poisson"),
        _entry("misses-irm", "Misses of IRM traffic", "Table VI", "misses", "misses:render_irm"),
        _entry("misses-by-size", "Misses by size of the cache", "Figure 3", "sizes", "sizes:render"),
        _entry("regret", "Regret of the learners", "beyond the paper", "regret", "regret:render"),
        _entry(
            "regressions", "Regressions of times", "Tables I to IV, Figures 6 to 9", "regressions", "regressions:render"
        ),
        _entry("waiting", "Waiting times by formula", "section V", "waiting", "waiting:render"),
        _entry("scaling", "Times of the whole system", "Tables VII to IX", "scaling", "scaling:render_tables"),
        _entry("fluid-limit", "Fluid limit of the whole system", "section V", "fluid-limit", "fluid_limit:render"),
        _entry("throughput", "Throughput of small reads", "Figure 10", "scaling", "scaling:render_throughput"),
        _entry("strong-scaling", "Strong scaling", "Figures 11 and 12", "scaling", "scaling:render_strong_scaling"),
        _entry("percentiles", "p99 of the response by formula", "section V", "percentiles", "percentiles:render"),
        _entry("transient", "Out of equilibrium", "equations (1) to (4)", "transient", "transient:render"),
    ),
    steps=(
        Step(
            "misses", "replay: replacement policies on synthetic traffic", (), ("seeds",), misses.__name__,
            lambda setting: 0, 5.0, False, misses.compute,
        ),
        Step(
            "sizes", "replay: caches of many sizes", (), ("seeds",), sizes.__name__,
            lambda setting: 0, 10.0, False, sizes.compute,
        ),
        Step(
            "regret", "replay: learners beside the best expert and MIN", (), ("seeds",), regret.__name__,
            lambda setting: 0, 10.0, False, regret.compute,
        ),
        Step(
            "regressions", "simulate: runs on an NVMe and on disks, and fits to them", (),
            ("nvme_runs", "hdd_runs", "run_requests"), regressions.__name__,
            lambda setting: 2 * (setting.campaign.nvme_runs + setting.campaign.hdd_runs), 5.0, False,
            regressions.compute, window_s=0.1,
        ),
        Step(
            "waiting", "simulate: queues beside their formulas", (), ("settings", "requests"), waiting.__name__,
            lambda setting: setting.campaign.settings, 5.0, False, waiting.compute, window_s=0.3,
        ),
        Step(
            "scaling", "simulate: the whole system by processes", (), (), scaling.__name__, lambda setting: 0, 120.0,
            True, scaling.compute,
        ),
        Step(
            "fluid-limit", "simulate: random whole systems beside the fluid limit", (), ("settings",),
            fluid_limit.__name__, lambda setting: setting.campaign.settings, 5.0, False, fluid_limit.compute,
            window_s=0.05,
        ),
        Step(
            "percentiles", "simulate: p99 of processes beside its formula", (), ("settings", "requests"),
            percentiles.__name__, lambda setting: setting.campaign.settings, 5.0, False, percentiles.compute,
            window_s=0.5,
        ),
        Step(
            "transient", "simulate: workloads from empty queues", (), ("transient_requests",), transient.__name__,
            lambda setting: 0, 20.0, False, transient.compute,
        ),
    ),
    quick=StorageCampaign(
        "quick", seeds=10, settings=100, requests=1_000_000, nvme_runs=400, hdd_runs=200, run_requests=50_000,
        transient_requests=200_000,
    ),
    full=StorageCampaign(
        "full", seeds=100, settings=500, requests=3_000_000, nvme_runs=400, hdd_runs=200, run_requests=4_000_000,
        transient_requests=4_000_000,
    ),
)  # fmt: skip
