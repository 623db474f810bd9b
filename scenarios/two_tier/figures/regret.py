"""Regret: misses that the learners have more than the best of their experts, on traffic that changes or does not."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.numbers import with_interval
from pmtwin.figures.drawing.rendered import Rendered, Table
from pmtwin.pipeline.step import Work
from pmtwin.policies.replacement import is_clairvoyant, make_cache, next_uses, replay
from pmtwin.scenarios.two_tier import traffic
from pmtwin.sim.numerics.statistics import Interval, mean_interval

LINES = 64
TRAFFIC: dict[str, tuple[traffic.Draw, int]] = {
    "IRM": (traffic.irm, 20_000),
    "Poisson": (traffic.poisson, 20_000),
    "drift": (traffic.drifting, 80_000),
    "phases": (traffic.phases, 80_000),
}
"""Kind of traffic -> what draws it, and requests."""

EXPERTS = ("lru", "lfu", "sieve")
LEARNERS = {
    **dict.fromkeys(("weight-sharing", "weight-sharing:feedback=shadow", "hedge:experts=lru+lfu"), EXPERTS[:2]),
    "hedge": EXPERTS,
}
"""Spec -> its experts."""

BEST = "min"


def compute(work: Work) -> dict:
    """Traffic -> policy -> misses, and in percent the regret against the best expert of a run, and against MIN."""
    seeds, values = work.setting.campaign.seeds, {}
    for number, name in enumerate(work.progress(list(TRAFFIC), desc="regret")):
        draw, requests = TRAFFIC[name]
        runs = []
        for seed in range(seeds):
            sequence = np.random.SeedSequence(work.setting.seed, spawn_key=(2, number, seed))
            runs.append(_misses(draw(requests, np.random.default_rng(sequence)), seed))
        values[name] = {spec: _summary(spec, runs) for spec in runs[0]}
    return values


def _misses(pages: np.ndarray, seed: int) -> dict[str, int]:
    """Policy -> misses."""
    future = next_uses(pages)
    return {
        spec: replay(make_cache(spec, LINES, seed), pages, future if is_clairvoyant(spec) else None)
        for spec in (*EXPERTS, *LEARNERS, BEST)
    }


def _summary(spec: str, runs: list[dict[str, int]]) -> dict:
    def over(others: tuple[str, ...]) -> Interval:
        return mean_interval([100.0 * (run[spec] / min(run[each] for each in others) - 1.0) for run in runs])

    summary = {"misses": mean_interval([run[spec] for run in runs]), "over_min": over((BEST,))}
    return summary | ({"regret": over(LEARNERS[spec])} if spec in LEARNERS else {})


def render(results: dict) -> Rendered:
    """A row for each traffic and policy."""
    rows, data = [], []
    for name, policies in results["regret"].items():
        for spec, values in policies.items():
            regret = values.get("regret")
            rows.append((
                name, spec, with_interval(values["misses"], 4), "" if regret is None else with_interval(regret, 2),
                "" if spec == BEST else with_interval(values["over_min"], 3),
            ))  # fmt: skip
            numbers = [values["misses"], regret or dict.fromkeys(("mean", "low", "high")), values["over_min"]]
            data.append((name, spec, *(each[end] for each in numbers for end in ("mean", "low", "high"))))
    names = [f"{what} {end}" for what in ("misses", "regret %", "over MIN %") for end in ("mean", "low", "high")]
    table = Table(
        "regret",
        "Regret of the learners",
        ("traffic", "policy", "misses", "regret, %", "over MIN, %"),
        rows,
        f"{LINES} lines; means over seeds with 95 % intervals. Regret: misses more than the best expert of the run has "
        "on its own, known only afterwards; below 0 where one expert is not the best all the time.",
        data=(("traffic", "policy", *names), data),
    )
    return Rendered(tables=[table])
