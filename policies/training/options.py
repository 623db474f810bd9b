"""Options of `pmtwin train` for Q-learning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

from pmtwin.policies.linear_q.parameters import QLearningParameters
from pmtwin.policies.training.plan import MOST_ACTORS, ORDERS, TARGETS, TRIED, TrainingPlan
from pmtwin.policies.training.policy_training import PolicyTraining, Table, Task, Trained
from pmtwin.policies.training.problem import Problem
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.window_trainings import one_context, window_seconds
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint
from pmtwin.sim.options import option


@dataclass(frozen=True)
class QTraining(PolicyTraining):
    """Options of a training run; the scenario declares the whole campaign (`Scenario.training`)."""

    title: ClassVar[str] = "Q-learning of the thesis (--policy q-learning)"
    everyday: ClassVar[tuple[str, ...]] = ("campaign",)
    tables: ClassVar[Mapping[str, Table]] = MappingProxyType(
        {"curves": Table("learning curves", ("after_episode", "reward_sum"))}
    )

    campaign: float = option(
        0.1,
        "share of the thesis' campaign (1: all of it; 0.1 takes minutes); implies --policy q-learning",
        low=0.0005,
        high=1.0,
        metavar="SHARE",
    )
    episodes: tuple[int, ...] | None = option(
        None,
        "training episodes per context: one number, or one for each context; 0: only the bootstrap (default: by "
        "--campaign)",
        metavar="N[,N...]",
    )
    dataset_episodes: int | None = option(
        None, "episodes of the random agent per context (default: by --campaign)", low=1, high=10**6, metavar="N"
    )
    trials: int = option(
        20,
        "number of evaluations during training; the best weights are kept; 0: keep the last weights (thesis)",
        low=0,
        high=1000,
        metavar="N",
    )
    order: str = option(
        "interleaved", "order of the contexts: interleaved, or in-turn (thesis)", choices=ORDERS, metavar="KIND"
    )
    target: str = option("reward", f"target of the first models: {', '.join(TARGETS)}", choices=TARGETS, metavar="KIND")
    selection: str = option(
        "eligible",
        "configurations in model selection: eligible (those that may be chosen), grid (all; the result is the same), "
        "halving (most are dropped on part of the data)",
        choices=TRIED,
        metavar="KIND",
    )
    actors: int = option(
        1,
        "number of episodes played with the same weights; changes the policy, unlike --jobs",
        low=1,
        high=MOST_ACTORS,
        metavar="N",
    )
    q: QLearningParameters = field(default_factory=QLearningParameters)

    def check(self, task: Task) -> None:
        """Check the scenario and the plan.

        Raises:
            InputError: if the scenario has no numbered actions, or `episodes` does not fit its contexts.
        """
        super().check(task)
        self.planned(task)

    def plan(self, task: Task) -> dict:
        """The plan of the run, as plain values."""
        return self.planned(task).to_dict()

    def preview(self, task: Task) -> dict:
        """The plan, and the number of windows of each stage."""
        return {"steps": self.planned(task).steps(), **super().preview(task)}

    def origin(self) -> dict:
        """The share of the thesis' campaign."""
        return {"campaign": self.campaign}

    def warnings(self, task: Task) -> list[str]:
        """A warning if there is only one training context, since this training draws no conditions."""
        return one_context(task.scenario)

    def seconds(self, task: Task, workers: int) -> float:
        """Estimated duration: the online stage runs in one process, the other stages on all workers."""
        plan = self.planned(task)
        steps, make_env = plan.steps(), partial(task.make_env, episode_steps=None)
        return (steps["online"] + (steps["dataset"] + steps["selection"]) / workers) * window_seconds(make_env)

    def run(
        self, task: Task, checkpoint: Checkpoint | None = None, workers: int = 1, progress: Callable = quiet
    ) -> Trained:
        """Data set, model selection, bootstrap and Algorithm 2 (`policies.training.run`)."""
        from pmtwin.policies.linear_q.files import save_model
        from pmtwin.policies.training import train
        from pmtwin.policies.training.record import final_setting, learned, learning_curves, training_record

        plan = self.planned(task)
        result = train(partial(task.make_env, episode_steps=plan.episode_steps), plan, checkpoint, workers, progress)
        online, record = result.online, training_record(result)
        summary = {
            "campaign": self.campaign,
            "steps": plan.steps(),
            "seconds": {stage: round(seconds, 1) for stage, seconds in result.seconds.items()},
            "resumed": result.resumed,
            "selected_after_episode": online.selected,
            **learned(plan, online, final_setting),
        }
        return Trained(
            lambda path, origin: save_model(path, result.model, {**origin, "selected": online.selected}),
            record,
            summary,
            {"curves": learning_curves(record)},
            result.resumed,
        )

    def planned(self, task: Task) -> TrainingPlan:
        """The plan for the scenario's training contexts and declared campaign."""
        problem = replace(Problem.from_scenario(task.scenario), contexts=task.scenario.trained_contexts)
        return self.of_campaign(problem, task.scenario.training, task.seed)

    def of_campaign(self, problem: Problem, declared: Any, seed: int) -> TrainingPlan:
        """The plan of a run.

        Args:
            problem: nouns and shapes of the scenario.
            declared: the whole campaign (a `pmtwin.scenarios.scenario.Training`).
            seed: root of all random numbers.

        Raises:
            InputError: if `episodes` does not fit the contexts.
        """
        plan = TrainingPlan.from_training(problem, declared, seed=seed, order=self.order, target=self.target, q=self.q)
        plan = replace(plan, tried=self.selection, actors=self.actors, selections=self.trials)
        plan = plan.reduced(self.campaign)
        if self.episodes is not None:
            plan = replace(plan, episodes=self._by_context(problem))
        if self.dataset_episodes is not None:
            plan = replace(plan, dataset_episodes=self.dataset_episodes)
        return plan

    def _by_context(self, problem: Problem) -> dict[int | str, int]:
        """Context -> number of episodes, from one number for all contexts or one for each."""
        count = len(problem.contexts)
        numbers = self.episodes or ()
        episodes = numbers * count if len(numbers) == 1 else numbers
        if len(episodes) != count or min(episodes) < 0:
            text = ",".join(map(str, numbers))
            per_context = f"or {count} separated by commas, one per {problem.context_noun}"
            raise InputError("episodes", text, f"one whole number of at least 0, {per_context}")
        return dict(zip(problem.contexts, episodes, strict=True))
