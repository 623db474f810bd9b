"""Train a policy in the twin of a scenario, with checkpoints, a record of the run, and resumption."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pmtwin import __version__
from pmtwin.cluster import BACKENDS, workers_of
from pmtwin.config.goals import GoalConfig
from pmtwin.config.record import run_record
from pmtwin.config.shared import DryRun, Parallel, Printed, Replacing, Seeded
from pmtwin.output import message, print_json
from pmtwin.overwrite_guard import CURVES, POLICY, TRAINING, check_output
from pmtwin.policies.grammar import value_of
from pmtwin.policies.registry import trainable_names, training_options
from pmtwin.policies.training.afterstate_options import AfterstateTraining
from pmtwin.policies.training.options import QTraining
from pmtwin.policies.training.search_options import SearchTraining
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import Options, leaves, option

if TYPE_CHECKING:
    from pmtwin.policies.training import TrainingPlan, TrainingResult

HELP = "train a policy in the twin; resumes after a kill"


@dataclass(frozen=True, kw_only=True)
class Config(GoalConfig, Seeded, Parallel, Printed, DryRun, Replacing):
    """Options of `pmtwin train`; those of the training itself are the policy's."""

    command: ClassVar[str] = "train"
    everyday: ClassVar[tuple[str, ...]] = ("policy", "output", "goal", "campaign", "seed", "jobs", "json", "dry_run")
    policy: str | None = option(
        None,
        "policy to train: afterstate, q-learning or threshold (default: the one recommended for the scenario, or the "
        "one that the given training options belong to)",
        metavar="NAME",
    )
    output: Path = option(
        help="output file: the trained policy (q-learning: the best one of 21 that were evaluated during training)",
        short="-o",
        metavar="FILE",
        recorded=False,
    )
    training: QTraining = field(default_factory=QTraining)
    afterstate: AfterstateTraining = field(default_factory=AfterstateTraining)
    search: SearchTraining = field(default_factory=SearchTraining)
    checkpoint_dir: Path | None = option(
        None,
        "checkpoint folder, from which an interrupted run resumes (default: FILE.checkpoint)",
        metavar="DIR",
        recorded=False,
    )
    backend: str = option(
        "processes",
        "parallel backend: processes (this machine) or dask (a cluster); same result",
        choices=BACKENDS,
        metavar="KIND",
        recorded=False,
    )
    scheduler: str | None = option(
        None, "address of the Dask scheduler, for --backend dask", metavar="ADDRESS", recorded=False
    )
    keep_checkpoint: bool = option(False, "keep the checkpoint at the end", recorded=False)

    def __post_init__(self):
        super().__post_init__()
        if self.policy is None:
            object.__setattr__(self, "policy", self._usual_policy())
        if (self.scheduler is None) == (self.backend == "dask"):
            if self.scheduler is None:
                raise InputError("scheduler", None, "an address for --backend dask, such as tcp://host:8786")
            raise ConflictError(
                "scheduler", self.scheduler, "belongs to --backend dask; add that, or remove this option"
            )
        self._check_only_chosen()

    @property
    def chosen(self) -> Options:
        """The options of the policy's training.

        Raises:
            InputError: for a policy that is not trained, or not by this command.
        """
        wanted = training_options(self.policy)
        for each in self._trainings:
            if type(each) is wanted:
                return each
        known = ", ".join(type(each).__name__ for each in self._trainings)
        raise InputError("policy", self.policy, f"a policy that is trained with one of {known}")

    @property
    def _trainings(self) -> tuple[Options, ...]:
        return self.training, self.afterstate, self.search

    def _usual_policy(self) -> str:
        """The recommended policy, or that of the one training of which options are given."""
        given = [type(each) for each in self._trainings if each != type(each)()]
        if len(given) != 1:
            return self.scenario.recommended
        return next(name for name in trainable_names() if training_options(name) is given[0])

    def _check_only_chosen(self) -> None:
        """Raise `InputError` for an option of another policy's training, which would do nothing."""
        for each in self._trainings:
            if each is self.chosen:
                continue
            for leaf in leaves(type(each)):
                if (value := value_of(each, leaf)) != value_of(type(each)(), leaf):
                    owners = " or ".join(name for name in trainable_names() if training_options(name) is type(each))
                    raise ConflictError(leaf.name, value, f"belongs to --policy {owners}; remove one of the two")

    @property
    def record_path(self) -> Path:
        """The file of the record, beside the policy."""
        return self.output.with_name(f"{self.output.stem}.record.json")

    @property
    def curves_path(self) -> Path:
        """The file of the learning curves, beside the policy."""
        return self.output.with_name(f"{self.output.stem}.curves.csv")

    @property
    def checkpoint_folder(self) -> Path:
        """The folder of the checkpoint."""
        return self.checkpoint_dir or self.output.with_name(f"{self.output.name}.checkpoint")

    def plan(self) -> TrainingPlan:
        """What is run, of Q-learning."""
        from pmtwin.policies.training import Problem

        problem = replace(Problem.from_scenario(self.scenario), contexts=self.scenario.trained_contexts)
        return self.training.plan(problem, self.scenario.training, self.seed)


def run(config: Config) -> int:
    """Train and print a summary; returns 0.

    Raises:
        MissingDependencyError: if the backend is not installed, or its scheduler does not answer.
    """
    _check_files(config)
    if config.dry_run:
        planned = _planned(config)
        if config.json:
            print_json(planned)
        else:
            from pmtwin.training_summary import print_planned

            print_planned(planned, config.scenario)
        _warn_of_one_context(config)
        return 0
    summary = trained(config)
    _warn_of_one_context(config)  # after the work: an error stays a single line
    if config.json:
        print_json(summary)
    else:
        from pmtwin.training_summary import print_training

        print_training(summary, config.scenario)
    return 0


def _warn_of_one_context(config: Config) -> None:
    """Say that a training sees a single context, and no drawn conditions beside it."""
    from numpy.random import default_rng

    scenario, practised = config.scenario, config.chosen is not config.training
    drawn = practised and scenario.drawn_conditions(default_rng(0)) is not None
    if len(scenario.trained_contexts) == 1 and not drawn:
        noun = scenario.contexts.noun
        message(f"warning: the training has one {noun} only: the policy does not learn changes of the {noun}")


def trained(config: Config, progress: Callable | None = None) -> dict:
    """Train, and write the policy, its record and, of Q-learning, its learning curves; what a user wants to know.

    Args:
        progress: shows how far it is, as `policies.training.progress.quiet`; None: on standard error.
    """
    if config.chosen is not config.training:
        from pmtwin.practice_training import practice_trained

        return practice_trained(config, _origin(config), progress)
    return _summary(config, q_trained(config, progress))


def _planned(config: Config) -> dict:
    """What would be run, the files that it would leave, and about how long it takes."""
    from pmtwin.training_duration import about_seconds

    files = {"policy": config.output, "record": config.record_path, "checkpoint": config.checkpoint_folder}
    if config.chosen is config.training:
        plan, files = config.plan(), files | {"curves": config.curves_path}
        about = {"steps": plan.steps(), "plan": plan.to_dict()}
    else:
        from pmtwin.practice_training import practice_plan

        about = {"plan": practice_plan(config)}
    written = {name: str(path) for name, path in files.items()}
    return {**_origin(config), "files": written, **about, "about_seconds": about_seconds(config)}


def q_trained(config: Config, progress: Callable | None = None) -> TrainingResult:
    """Train by Q-learning, and write its files; `progress` as in `trained`."""
    from pmtwin.policies.linear_q import save_model
    from pmtwin.policies.training import train, training_record
    from pmtwin.policies.training.record import learning_curves
    from pmtwin.progress import progress as shown
    from pmtwin.scenarios.environment import ControlEnv
    from pmtwin.sim.checkpoint import Checkpoint
    from pmtwin.sim.files import write_atomically, write_json

    plan, origin = config.plan(), _origin(config)
    make_env = partial(ControlEnv, config.scenario, episode_steps=plan.episode_steps)
    with workers_of(config.backend, config.scheduler, config.jobs) as workers:
        checkpoint = Checkpoint(config.checkpoint_folder, _identity(plan, origin))
        try:
            result = train(make_env, plan, checkpoint, 1 if config.scenario.sequential else workers, progress or shown)
        except KeyboardInterrupt:
            message(f"pmtwin train: stopped; the same command goes on from {config.checkpoint_folder}")
            raise
    save_model(config.output, result.model, {**origin, "plan": plan.to_dict(), "selected": result.online.selected})
    record = run_record(config)
    configuration = {"arguments": record.pop("arguments")}
    record = training_record(result, origin | record) | {"configuration": configuration}
    write_json(config.record_path, record, "--output")
    write_atomically(config.curves_path, lambda file: file.write(learning_curves(record)), "w", "--output")
    if not config.keep_checkpoint:
        checkpoint.remove()
    return result


def _check_files(config: Config) -> None:
    """Policy, record and checkpoint can be written."""
    check_output(config.output, "--output", POLICY, config.force)
    check_output(config.record_path, "--output", TRAINING, config.force)
    if config.chosen is config.training:
        check_output(config.curves_path, "--output", CURVES, config.force)
    folder = config.checkpoint_folder
    parent = folder if folder.exists() else folder.parent
    if not (parent.is_dir() and os.access(parent, os.W_OK)):
        raise InputError("--checkpoint-dir", str(folder), "a folder that can be written, in an existing one")


def _origin(config: Config) -> dict:
    """Where a trained policy comes from, as plain values."""
    scenario = config.scenario
    return {
        "scenario": scenario.name,
        "policy": config.policy,
        **scenario.origin(),
        "seed": config.seed,
        "version": __version__,
        **({"campaign": config.training.campaign} if config.chosen is config.training else {}),
        "environment": scenario.record(),
    }


def _identity(plan: TrainingPlan, origin: dict) -> dict:
    """What determines the trained bits; a checkpoint of anything else is refused."""
    from pmtwin.policies.training.record import SCHEMA, versions

    return {"schema": SCHEMA, "origin": origin, "plan": plan.to_dict(), "versions": versions()}


def _summary(config: Config, result: TrainingResult) -> dict:
    """What a user wants to know at once; the rest is in the record."""
    from pmtwin.policies.training.record import final_setting

    plan, online = result.plan, result.online
    return {
        "policy": str(config.output),
        "record": str(config.record_path),
        "curves": str(config.curves_path),
        "scenario": config.scenario.name,
        "seed": config.seed,
        "campaign": config.training.campaign,
        "steps": plan.steps(),
        "seconds": {stage: round(seconds, 1) for stage, seconds in result.seconds.items()},
        "resumed": result.resumed,
        "selected_after_episode": online.selected,
        f"learned_{config.scenario.settings.noun}": {
            str(name): final_setting(online.settings[index]) for index, name in enumerate(plan.contexts)
        },
    }
