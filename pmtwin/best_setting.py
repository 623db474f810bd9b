"""The search for the best fixed pools on the middleware, of `pmtwin validate --transfer`."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from pmtwin.output import message, progress
from pmtwin.pipeline.store import Store
from pmtwin.scenarios.rollout import Block
from pmtwin.scenarios.validation import SettingSearch, Transfer, ValidationPlan
from pmtwin.scenarios.validation.best_setting import Pools, Round, Score, Target, measure_round, search
from pmtwin.scenarios.validation.runs import MEASURED, Case
from pmtwin.validation_keys import round_key

STEP = "search"
_SEARCHING = 2**31
"""Apart from the numbers of runs: what chooses has other seeds than what is reported."""


def best_fixed(
    plan: ValidationPlan, transfer: Transfer, searching: SettingSearch, keep: Path | None = None
) -> dict[Target, Pools]:
    """The best fixed pools of each phase and of the schedule, found on the middleware; `keep` as of `run_plan`."""
    store = None if keep is None else Store(keep, "--keep")
    most = searching.most_windows(transfer.phases)
    message(f"search: best of {len(searching.grid)} fixed pools, and around it; at most {most:,.0f} windows' time")

    def measured(one: Round) -> list[Score]:
        seed = np.random.SeedSequence(plan.seed, spawn_key=(_SEARCHING, one.phase, len(one.pools), one.windows))
        short = shortened(plan, searching.shortening) if one.short else plan
        key = round_key(short, one)
        kept = None if store is None else store.load(STEP, key)
        if kept is not None:
            return [Score(*score) for score in kept["scores"]]
        env = short.environment(MEASURED, Case("fixed", (Block(one.phase, 1),)))
        began = time.perf_counter()
        with progress(description=f"search, {one.name}, phase {one.phase}", total=one.run, unit="window") as bar:
            word = int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1))
            scores = measure_round(env, one, word, bar.update)
        if store is not None:
            store.finish(STEP, key, {"scores": [list(score) for score in scores]}, time.perf_counter() - began)
        return scores

    return search(searching, transfer.phases, measured)


def shortened(plan: ValidationPlan, times: int) -> ValidationPlan:
    """The plan with windows so many times shorter."""
    from pmtwin.scenarios.nvm_middleware.twin import TwinSettings

    whole = plan.settings.get("requests_per_window", TwinSettings.requests_per_window)
    return replace(plan, settings={**plan.settings, "requests_per_window": max(whole // times, 10)})
