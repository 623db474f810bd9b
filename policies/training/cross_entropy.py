"""Cross-entropy search for the parameters of a policy (Rubinstein and Kroese, "The Cross-Entropy Method", 2004).

Candidates are drawn from a normal distribution over the ranges of `Policy.searched`; the best quarter of each
generation moves the distribution. All candidates of a generation run under the same conditions and random numbers, and
each generation has new ones. At the end the mean of the distribution is compared with the default parameters on
separate episodes; the result is the better of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import delayed

from pmtwin.policies.base import Policy
from pmtwin.policies.grammar import written
from pmtwin.policies.making import single_policy
from pmtwin.policies.registry import is_users, policy_class
from pmtwin.policies.specified import BETWEEN, Specified
from pmtwin.policies.training.drawn_episodes import BLOCKS, Practice, payoff, reset_to
from pmtwin.policies.training.policy_training import Task, Trained
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.tuned_file import save_tuned
from pmtwin.sim.common.processes import processes
from pmtwin.sim.files.checkpoint import Checkpoint
from pmtwin.sim.options import Options, build, leaves

if TYPE_CHECKING:
    from pmtwin.policies.training.search_options import SearchTraining

ELITE = 0.25
"""Share of a generation that moves the distribution."""

MEMORY = 0.3
"""Weight of the previous mean and deviation in the new ones, so that one lucky generation does not end the search."""

WIDEST_RATIO = 10.0
"""Ratio of the ends of a range above which the range is searched on a logarithmic scale."""


def search(
    task: Task,
    training: SearchTraining,
    checkpoint: Checkpoint | None = None,
    workers: int = 1,
    progress: Callable = quiet,
) -> Trained:
    """Search; the same arguments give the same parameters with any number of workers and any interruptions."""
    policy, seed = task.policy, task.seed
    cls = policy_class(policy, kind=None)
    size, resumed, shares = len(cls.searched), [], {}
    middle, spread = np.full(size, 0.5), np.full(size, 0.3)
    for number in range(training.generations):
        stage = f"generation-{number + 1}"
        generation = checkpoint.load_arrays(stage) if checkpoint else None
        if generation is None:
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number, 0)))
            points = np.clip(middle + spread * rng.standard_normal((training.population, size)), 0.0, 1.0)
            candidates = [written(policy, options_at(cls, point)) for point in points]
            title = f"search, generation {number + 1} of {training.generations}"
            scores, met = training.scores(task, candidates, number, workers, progress, title)
            generation = {"points": points, "scores": scores, "met": met}
            if checkpoint:
                checkpoint.save_arrays(stage, generation)
        else:
            resumed.append(stage)
        best = np.argsort(-generation["scores"], kind="stable")[: max(2, round(ELITE * training.population))]
        elite = generation["points"][best]
        middle = MEMORY * middle + (1.0 - MEMORY) * elite.mean(axis=0)
        spread = MEMORY * spread + (1.0 - MEMORY) * elite.std(axis=0)
        shares[f"generation_{number + 1}"] = float(generation["met"][best].mean())
    finalists = [cls.Takes(), options_at(cls, middle)]
    specs = [written(policy, options) for options in finalists]
    scores, met = training.scores(task, specs, training.generations, workers, progress, "comparison with the defaults")
    chosen = int(scores[1] > scores[0])
    shares |= {"as_by_default": float(met[0]), "as_found": float(met[1])}
    results = {training.measure: shares}
    summary = {"plan": training.plan(task), **results}
    save = partial(save_tuned, policy=policy, options=finalists[chosen])
    is_complete = is_users(policy) or cls.decides != BETWEEN
    return Trained(save, results, summary, resumed=resumed, spec=specs[chosen] if is_complete else "")


def options_at(cls: type[Specified], point: Sequence[float] | np.ndarray) -> Options:
    """The options at a point of the unit cube; a coordinate from 0 to 1 spans a range of `Policy.searched`."""
    kinds = {leaf.name: leaf.kind for leaf in leaves(cls.Takes)}
    values: dict[str, Any] = {}
    for (name, (low, high)), share in zip(cls.searched.items(), np.asarray(point).tolist(), strict=True):
        is_logarithmic = low > 0.0 and high / low > WIDEST_RATIO
        value = low * (high / low) ** share if is_logarithmic else low + (high - low) * share
        values[name] = round(value) if kinds[name] is int else value
    return build(cls.Takes, values)


def scores_between_windows(
    task: Task,
    candidates: Sequence[str],
    training: SearchTraining,
    generation: int,
    workers: int,
    progress: Callable,
    title: str,
) -> tuple[np.ndarray, np.ndarray]:
    """(mean payoff, share of windows that keep all goals), each for the n candidates: shape (n,)."""
    practice, count = Practice.of(task), training.generation_episodes
    seeds = [np.random.SeedSequence(task.seed, spawn_key=(generation, 1, k)) for k in range(count)]
    tasks = (delayed(_episode_of_all)(practice, candidates, word, training.candidate_windows) for word in seeds)
    results = processes(workers, "generator")(tasks)
    table = np.array(list(progress(results, desc=title, total=len(seeds), unit="episode")))
    payoffs, met = table.mean(axis=0).T  # `table` has the shape (episodes, candidates, 2)
    return payoffs, met


def _episode_of_all(
    practice: Practice, candidates: Sequence[str], seed: np.random.SeedSequence, windows: int
) -> list[tuple[float, float]]:
    """The same episode for each candidate, in one process, which builds the models of the conditions only once."""
    with closing(practice.make_env()) as env:
        return [_episode(env, practice, practice.checked(single_policy(spec)), seed, windows) for spec in candidates]


def _episode(
    env: Any, practice: Practice, policy: Policy, seed: np.random.SeedSequence, windows: int
) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    name, conditions = practice.draw(rng)
    observation, info = reset_to(env, name, conditions, policy.start(practice.context), rng)
    worth, met = 0.0, 0
    for window in range(windows):
        if window and window % -(-windows // BLOCKS) == 0 and name:
            env.set_context(*practice.draw(rng))
        action = policy.act(observation, info)
        after, reward, _, _, info = env.carry_out(action)
        policy.observe(observation, action, reward, after, False)
        observation = after
        worth += payoff(practice.context.goals, info)
        met += bool(practice.context.goals_met(info))
    return worth / windows, met / windows
