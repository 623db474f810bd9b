"""Tables V and VI: misses under both traffic models, by requests, beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.figures.drawing.rendered import Rendered, Statement, Table
from pmtwin.pipeline.step import Work
from pmtwin.policies.replacement import is_clairvoyant, make_cache, next_uses, replay
from pmtwin.scenarios.two_tier import traffic
from pmtwin.scenarios.two_tier.figures import published
from pmtwin.sim.numerics.statistics import Interval, mean_interval

LINES = 64
AS_WRITTEN, SHADOW = "weight-sharing", "weight-sharing:feedback=shadow"
POLICIES = ("lru", "lfu", AS_WRITTEN, SHADOW, "hedge", "random", "min", "sieve", "s3-fifo", "arc")
MODELS: dict[str, tuple[traffic.Draw, Mapping]] = {
    "poisson": (traffic.poisson, published.POISSON),
    "irm": (traffic.irm, published.IRM),
}
MOST_REQUESTS = 20_000


def compute(work: Work) -> dict:
    """Model -> policy -> requests -> mean number of misses, with its interval over seeds."""
    seeds, names = work.setting.campaign.seeds, list(MODELS)
    means: dict[str, dict[str, dict[str, Interval]]] = {model: {spec: {} for spec in POLICIES} for model in names}
    for model in work.progress(names, desc="misses"):
        sequences = [np.random.SeedSequence(work.setting.seed, spawn_key=(seed,)) for seed in range(seeds)]
        traces = [MODELS[model][0](MOST_REQUESTS, np.random.default_rng(sequence)) for sequence in sequences]
        for spec in POLICIES:
            counts = [_misses(spec, pages, sorted({*MODELS[model][1], MOST_REQUESTS})) for pages in traces]
            for requests in counts[0]:
                means[model][spec][str(requests)] = mean_interval([each[requests] for each in counts])
    return means


def _misses(spec: str, pages: np.ndarray, ends: list[int]) -> dict[int, int]:
    """Requests -> misses among the first requests."""
    cache, future = make_cache(spec, LINES), next_uses(pages) if is_clairvoyant(spec) else None
    misses, total, before = {}, 0, 0
    for end in ends:
        total += replay(cache, pages[before:end], None if future is None else future[before:end])
        misses[end], before = total, end
    return misses


def render_poisson(results: dict) -> Rendered:
    """Table V."""
    return _rendered(results, "poisson", "Table V")


def render_irm(results: dict) -> Rendered:
    """Table VI."""
    return _rendered(results, "irm", "Table VI")


def _rendered(results: dict, model: str, place: str) -> Rendered:
    means, table = results["misses"][model], MODELS[model][1]
    columns = dict(zip(published.COLUMNS, ("lru", "lfu", AS_WRITTEN), strict=True))
    rows = []
    off: dict[str, list[float]] = {name: [] for name in columns}
    for requests in (int(each) for each in means["lru"]):
        row: list[int | None] = [requests]
        for number, (name, spec) in enumerate(columns.items()):
            mean = means[spec][str(requests)]["mean"]
            published_misses = table.get(requests, (None,) * 3)[number]
            row += [published_misses, round(mean)]
            if published_misses is not None:
                off[name].append(100.0 * (mean / published_misses - 1.0))
        rows.append((*row, *(round(means[spec][str(requests)]["mean"]) for spec in POLICIES[3:])))
    header = ["requests", *(f"{name}{kind}" for name in columns for kind in (" published", "")), *POLICIES[3:]]
    last = {spec: values[str(MOST_REQUESTS)]["mean"] for spec, values in means.items()}
    better = min(last["lru"], last["lfu"])
    doubtful = ", ".join(f"{name} at {requests}" for requests, name in published.DOUBTFUL[model])
    note = f"64 lines, means over seeds. Hardly legible in our copy: {doubtful}. "
    note += "Mean absolute error in %: " + ", ".join(f"{name} {np.abs(each).mean():.1f}" for name, each in off.items())
    statements = [
        Statement(
            place,
            "weight sharing has about the misses of the better of LRU and LFU",
            f"{name}: {last[spec]:,.0f} at {MOST_REQUESTS:,} requests, {100.0 * (last[spec] / better - 1.0):+.1f} %",
            bool(last[spec] <= 1.01 * better),
        )
        for name, spec in (("as written", AS_WRITTEN), ("shadow feedback", SHADOW))
    ]
    return Rendered(
        tables=[Table(f"misses-{model}", f"{place}: misses", tuple(header), rows, note)], statements=statements
    )
