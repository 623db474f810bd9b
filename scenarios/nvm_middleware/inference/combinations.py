"""Section 4.2 in few combinations: every second size of each pool, and none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from pmtwin.scenarios.nvm_middleware import published
from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.pools import MODES, POOL_MIN, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.window_stats import WindowStats
from pmtwin.scenarios.nvm_middleware.workloads.section_4_2 import section_4_2_workload
from pmtwin.sim.device.profile import Profile

INTERACTIVE = published.FIGURE_B1_INTERACTIVE[::2]
BATCH = (1, 4, 8, 16, 32)
"""1, 4, 16, 32 interactive threads; with 8 batch threads, beside which more are said to cost latency."""

FEW_BATCH, MANY_BATCH = 8, 16
SIXTEEN = 16

COMBINATION_QUANTITIES = (
    "best_p99_ratio",
    "best_batch_ratio",
    "few_batch_p99_ratio",
    "few_batch_throughput_share",
    "many_batch_throughput_share",
    "many_batch_p99_ratio",
    "share_better_p99",
    "share_better_throughput",
    "few_worse_ratio",
    "many_worse_ratio",
)


def combinations(profile: Profile, values: Mapping[str, float], requests: int, seed: int) -> dict[str, float]:
    """The quantities, by name.

    `best_*`: all combinations against no middleware. `few_batch_*`: of 16 interactive and fewer than 8 batch threads,
    the worst p99 against the best quarter of all, and the greatest throughput against the peak. `many_batch_*`: of more
    than 16 batch threads, the least throughput against the peak, and the least p99 against 8 batch threads.
    `share_better_*`: of the combinations, than none. `*_worse_ratio`: above 1 if the smallest or the largest pools are
    worse than none, in p99 or in throughput.
    """
    none = _run(profile, values, None, 5 * requests, seed)
    shown = {(i, b): _run(profile, values, (i, b), requests, seed) for i in INTERACTIVE for b in BATCH}
    p99 = np.array([[shown[i, b].p99_us for b in BATCH] for i in INTERACTIVE])
    batch = np.array([[shown[i, b].batch_ops for b in BATCH] for i in INTERACTIVE])
    worse = np.maximum(p99 / none.p99_us, none.batch_ops / batch)
    few = np.array(BATCH) < FEW_BATCH
    many, eight = np.array(BATCH) > MANY_BATCH, BATCH.index(FEW_BATCH)
    sixteen = INTERACTIVE.index(SIXTEEN)
    quantities = (
        p99.min() / none.p99_us,
        batch.max() / none.batch_ops,
        p99[sixteen, few].max() / np.quantile(p99, 0.25),
        batch[sixteen, few].max() / batch.max(),
        batch[:, many].min() / batch.max(),
        (p99[:, many] / p99[:, [eight]]).min(),
        (np.sum(p99 < none.p99_us) + 0.25) / (p99.size + 0.5),
        (np.sum(batch > none.batch_ops) + 0.25) / (batch.size + 0.5),
        worse[0, 0],
        worse[-1, -1],
    )
    return dict(zip(COMBINATION_QUANTITIES, map(float, quantities), strict=True))


_workload = lru_cache(maxsize=1)(section_4_2_workload)


def _run(
    profile: Profile, values: Mapping[str, float], pools: tuple[int, int] | None, requests: int, seed: int
) -> WindowStats:
    """A window after a warm-up of a third of it."""
    middleware = Middleware(
        _workload(),
        profile=profile,
        seed=np.random.SeedSequence(seed, spawn_key=(4, *(pools or ()))),
        window=WindowSpec(requests=requests // 3),
        parameters=values,
        mode=MODES[pools is None],
    )
    middleware.start(*(pools or (POOL_MIN, POOL_MIN)))
    middleware.run_window()
    middleware.window = WindowSpec(requests=requests)
    return middleware.run_window()
