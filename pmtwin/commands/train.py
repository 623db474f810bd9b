"""Train a policy in the twin of a scenario, with checkpoints, a record of the run, and resumption."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pmtwin.cluster import BACKENDS
from pmtwin.config.goals import GoalConfig
from pmtwin.config.shared import DryRun, Parallel, Printed, Replacing, Seeded
from pmtwin.output import message, print_json
from pmtwin.policies.grammar import value_of
from pmtwin.policies.registry import trainable_names, training_options
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import leaves, option

if TYPE_CHECKING:
    from pmtwin.policies.training.policy_training import PolicyTraining, Task
    from pmtwin.scenarios.scenario import Scenario

HELP = "train a policy in the twin; resumes after a kill"


@dataclass(frozen=True, kw_only=True)
class Config(GoalConfig, Seeded, Parallel, Printed, DryRun, Replacing):
    """Options of `pmtwin train` besides those of the trainings, which `with_trainings` adds."""

    command: ClassVar[str] = "train"
    everyday: ClassVar[tuple[str, ...]] = ("policy", "output", "goal", "seed", "jobs", "json", "dry_run")
    policy: str | None = option(
        None,
        f"policy to train: {', '.join(trainable_names())} (default: the one recommended for the scenario, or the one "
        "that the given training options belong to)",
        metavar="NAME",
    )
    output: Path = option(help="output file: the trained policy", short="-o", metavar="FILE", recorded=False)
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

    @classmethod
    def for_scenario(cls, scenario: type[Scenario]) -> type[Config]:
        """With the options of all trainings of shipped policies."""
        return with_trainings(
            super().for_scenario(scenario), tuple(dict.fromkeys(map(training_options, trainable_names())))
        )

    @property
    def training_of_policy(self) -> PolicyTraining:
        """The training that is run, with its options.

        Raises:
            InputError: for a policy that is not trained.
        """
        training = training_options(self.policy)
        for each in self._trainings:
            if type(each) is training:
                return each
        raise InputError("policy", self.policy, f"a policy of pmtwin that is trained: {', '.join(trainable_names())}")

    @property
    def task(self) -> Task:
        """What is trained, and where."""
        from pmtwin.training_task import task_of

        return task_of(self.scenario, self.policy, self.seed)

    @property
    def _trainings(self) -> tuple[PolicyTraining, ...]:
        from pmtwin.policies.training.policy_training import PolicyTraining

        return tuple(value for value in vars(self).values() if isinstance(value, PolicyTraining))

    def _usual_policy(self) -> str:
        """The recommended policy, or that of the one training of which options are given."""
        given = [type(each) for each in self._trainings if each != type(each)()]
        if len(given) != 1:
            return self.scenario.recommended
        return next(name for name in trainable_names() if training_options(name) is given[0])

    def _check_only_chosen(self) -> None:
        """Raise `InputError` for an option of another policy's training, which would do nothing."""
        for each in self._trainings:
            if each is self.training_of_policy:
                continue
            for leaf in leaves(type(each)):
                if (value := value_of(each, leaf)) != value_of(type(each)(), leaf):
                    owners = " or ".join(name for name in trainable_names() if training_options(name) is type(each))
                    raise ConflictError(leaf.name, value, f"belongs to --policy {owners}; remove one of the two")

    def beside(self, suffix: str) -> Path:
        """A file beside the policy."""
        return self.output.with_name(f"{self.output.stem}.{suffix}")

    @property
    def record_path(self) -> Path:
        """The file of the record."""
        return self.beside("record.json")

    @property
    def table_paths(self) -> dict[str, Path]:
        """Name of a table of the training -> its file."""
        return {name: self.beside(f"{name}.csv") for name in self.training_of_policy.tables}

    @property
    def checkpoint_folder(self) -> Path:
        """The folder of the checkpoint."""
        return self.checkpoint_dir or self.output.with_name(f"{self.output.name}.checkpoint")


@cache
def with_trainings(config: type[Config], trainings: tuple[type[PolicyTraining], ...]) -> type[Config]:
    """A configuration of `pmtwin train` with the options of these trainings, each group under its key."""
    groups = [(each.key, each, field(default_factory=each)) for each in trainings]
    everyday = config.everyday + tuple(name for each in trainings for name in each.everyday)
    made = make_dataclass(
        config.__name__,
        groups,
        bases=(config,),
        namespace={"everyday": everyday, "__module__": config.__module__},
        frozen=True,
        kw_only=True,
    )
    made.__annotations__ |= config.__annotations__  # of this command too, for the order of its help
    return made


def run(config: Config) -> int:
    """Train and print a summary; returns 0.

    Raises:
        MissingDependencyError: if the backend is not installed, or its scheduler does not answer.
    """
    from pmtwin.training_summary import print_planned, print_training

    show = print_planned if config.dry_run else print_training
    result = planned(config) if config.dry_run else trained(config)
    if config.json:
        print_json(result)
    else:
        show(result, config)
    for warning in config.training_of_policy.warnings(config.task):  # after the work: an error stays a single line
        message(f"warning: {warning}")
    return 0


def planned(config: Config) -> dict:
    """What would be run, the files that it would leave, and about how long it takes."""
    from pmtwin.training_run import check, planned_training

    check(config)
    return planned_training(config)


def trained(config: Config, progress: Callable | None = None) -> dict:
    """Train, and write the policy, its record and the training's tables; what a user wants to know.

    Args:
        progress: shows how far it is, as `policies.training.progress.quiet`; None: on standard error.
    """
    from pmtwin.training_run import check, run_training

    check(config)
    return run_training(config, progress)
