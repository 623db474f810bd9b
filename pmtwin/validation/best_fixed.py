"""Searches for the best fixed setting on the real system; finished rounds are kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from pmtwin.console.output import message
from pmtwin.console.progress import progress
from pmtwin.pipeline.store import Store
from pmtwin.scenarios.comparison.rollout import Block, Context
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.system import Setting
from pmtwin.validation.cases import Case
from pmtwin.validation.keys import round_key
from pmtwin.validation.measured import MeasuredSide
from pmtwin.validation.plan import MEASURED, ValidationPlan
from pmtwin.validation.search import Round, Score, SettingSearch, Target, search
from pmtwin.validation.transfer import Transfer

STEP = "search"
_SEARCHING = 2**31
"""Offset of the search's seeds from those of the runs: settings are chosen and reported with different seeds."""


def best_fixed(
    plan: ValidationPlan, side: MeasuredSide, transfer: Transfer, searching: SettingSearch, keep: Path | None = None
) -> dict[Target, Setting]:
    """Search the real system for the best fixed setting of each context and of the schedule.

    Args:
        keep: folder of finished rounds, see `run_plan`.

    Raises:
        InputError: if the folder cannot be created.
    """
    store = None if keep is None else Store(keep, "--keep")
    most, noun = searching.most_windows(transfer.contexts), plan.predicted.settings.noun
    message(f"search: best of {len(searching.grid)} fixed {noun}, and around it; at most {most:,.0f} windows' time")
    short_plan = replace(plan, measured=side.shortened(plan.measured, searching.shortening))

    def measured(search_round: Round) -> list[Score]:
        whole = short_plan if search_round.short else plan
        key = round_key(whole, search_round)
        kept = None if store is None else store.load(STEP, key)
        if kept is not None:
            return [Score(*score) for score in kept["scores"]]
        began = time.perf_counter()
        what = f"search, {search_round.name}, {plan.predicted.context_name(search_round.context)}"
        env = whole.environment(MEASURED, Case(STEP, (Block(search_round.context, 1),)))
        with progress(desc=what, total=search_round.run, unit="window") as bar:
            scores = measure_round(env, search_round, _seed(plan, search_round), bar.update)
        if store is not None:
            store.finish(STEP, key, {"scores": [list(score) for score in scores]}, time.perf_counter() - began)
        return scores

    return search(searching, transfer.contexts, measured)


def _seed(plan: ValidationPlan, search_round: Round) -> int:
    key = (_SEARCHING, _number(plan, search_round.context), len(search_round.settings), search_round.windows)
    words = np.random.SeedSequence(plan.seed, spawn_key=key).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


def _number(plan: ValidationPlan, context: Context) -> int:
    contexts = plan.predicted.contexts
    return context if isinstance(context, int) else 1 + [*contexts.names, *contexts.families].index(context)


def measure_round(env: ControlEnv, search_round: Round, seed: int, on_window: Callable[[], object]) -> list[Score]:
    """Measure the settings of a round one after another; closes the environment.

    Args:
        on_window: called after each window.
    """
    scores = []
    with closing(env):
        env.reset(seed=seed, options={"context": search_round.context or None, "setting": search_round.settings[0]})
        for setting in search_round.settings:
            kept, reward = 0, 0.0
            for window in range(search_round.windows + 1):
                _, value, _, _, info = env.carry_out(setting)
                on_window()
                if window:
                    kept += all(info[f"met_{goal.name}"] for goal in env.scenario.goals)
                    reward += value
            scores.append(Score(kept / search_round.windows, reward / search_round.windows))
    return scores
