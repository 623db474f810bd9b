"""Search for the best fixed setting of a context, a baseline for policies: successive halving over all settings.

Each round runs every remaining setting on the same requests (common random numbers), from an empty system, and keeps
the better part; the number of windows grows as settings become fewer. Only the last round, which replicates over seeds,
decides, so that luck in an earlier round does not bias the result. (Jamieson and Talwalkar, "Non-stochastic best arm
identification", AISTATS 2016.)
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.numerics.statistics import mean_interval

MOST_SETTINGS = 10**6


@dataclass(frozen=True)
class SearchPlan:
    """Size of the search.

    Args:
        rounds: (windows per setting, settings that stay) of each round but the last.
        final_windows: windows per setting and replicate of the last round.
        final_seeds: replicates of the last round.
        warmup_windows: windows before those that count, in each round.
    """

    rounds: tuple[tuple[int, int], ...] = ((2, 192), (6, 48), (16, 12))
    final_windows: int = 20
    final_seeds: int = 10
    warmup_windows: int = 1

    def __post_init__(self):
        for windows, stay in self.rounds:
            check_range("rounds", windows, 1, 10**6)
            check_range("rounds", stay, 1, MOST_SETTINGS)
        check_range("final_windows", self.final_windows, 1, 10**6)
        check_range("final_seeds", self.final_seeds, 2, 10**4)
        check_range("warmup_windows", self.warmup_windows, 0, 10**6)

    def windows(self, settings: int) -> int:
        """Number of windows of a search over `settings` settings, warm-up included."""
        total = 0
        for windows, stay in self.rounds:
            total += settings * (windows + self.warmup_windows)
            settings = min(settings, stay)
        return total + settings * self.final_seeds * (self.final_windows + self.warmup_windows)


def search_best_fixed(
    scenario: Scenario,
    context: int | str | None,
    seed: np.random.SeedSequence,
    plan: SearchPlan | None = None,
    candidates: Sequence[Setting] | None = None,
) -> dict:
    """The fixed setting with the highest mean reward in a context.

    Args:
        scenario: the scenario, with its options.
        context: name of the context; None: the conditions that the options set.
        seed: root of the search's random numbers; evaluations use different ones.
        plan: size of the search.
        candidates: settings to search; None: all.

    Raises:
        InputError: for no settings, or more than `MOST_SETTINGS`.

    Returns:
        The context and the setting under the scenario's nouns; `reward` (mean, low, high); `tied`: the finalists whose
        reward does not differ significantly from the best (the paired interval of the difference includes zero);
        `finalists`: setting and mean reward, best first; `windows`: number of windows that ran.
    """
    plan, noun = plan or SearchPlan(), scenario.settings.noun
    plan = replace(plan, warmup_windows=max(plan.warmup_windows, scenario.search_warmup_windows))
    count = len(scenario.settings if candidates is None else candidates)
    if not 1 <= count <= MOST_SETTINGS:
        raise InputError("candidates", count, f"1 to {MOST_SETTINGS:,} settings to search, of all or of a choice")
    remaining = list(scenario.settings.all() if candidates is None else candidates)
    count = len(remaining)
    words = seed.generate_state(len(plan.rounds) + plan.final_seeds, np.uint64) >> np.uint64(1)
    round_seeds, final_seeds = words[: len(plan.rounds)], words[len(plan.rounds) :]
    with closing(ControlEnv(scenario, context, warmup_windows=plan.warmup_windows, episode_steps=None)) as env:
        for (windows, stay), round_seed in zip(plan.rounds, round_seeds, strict=True):
            means = {setting: _mean_reward(env, setting, int(round_seed), windows) for setting in remaining}
            remaining = sorted(remaining, key=means.__getitem__, reverse=True)[:stay]
        rewards = {
            setting: np.array([_mean_reward(env, setting, int(word), plan.final_windows) for word in final_seeds])
            for setting in remaining
        }
    ranking = sorted(remaining, key=lambda setting: rewards[setting].mean(), reverse=True)
    best = ranking[0]
    return {
        scenario.contexts.noun: env.context,
        noun: list(best),
        "reward": mean_interval(rewards[best]),
        "tied": [list(other) for other in ranking[1:] if _indistinguishable(rewards[best], rewards[other])],
        "finalists": [{noun: list(setting), "reward": float(rewards[setting].mean())} for setting in ranking],
        "windows": plan.windows(count),
    }


def _mean_reward(env: ControlEnv, setting: Setting, seed: int, windows: int) -> float:
    """Mean reward of a fixed setting: a run starts at it and chooses it again in each window."""
    env.reset(seed=seed, options={"setting": setting})
    return float(np.mean([env.carry_out(setting)[1] for _ in range(windows)]))


def _indistinguishable(ours: np.ndarray, theirs: np.ndarray) -> bool:
    low = mean_interval(ours - theirs)["low"]
    return low is None or low <= 0.0
