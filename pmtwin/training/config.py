"""The options of `pmtwin train`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from pmtwin.config.first_look import first_look
from pmtwin.config.goals import GoalConfig
from pmtwin.config.nouns import flag_of
from pmtwin.config.rules import RulesConfig
from pmtwin.config.shared import DryRun, Parallel, Printed, Replacing, Seeded
from pmtwin.policies.registry import is_users
from pmtwin.policies.training.policy_training import PolicyTraining, Task
from pmtwin.policies.trainings import trainable_names, training_options
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.class_cache import cache_of_classes
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import leaves, option
from pmtwin.training.cluster import BACKENDS


@dataclass(frozen=True, kw_only=True)
class Config(RulesConfig, GoalConfig, Seeded, Parallel, Printed, DryRun, Replacing):
    """Options of `pmtwin train` besides those of the trainings, which `with_trainings` adds.

    Class attributes:
        plain: the configuration class without the trainings' options; None: this class has none.
        usual: policy to train if none is named; empty: the scenario's recommended policy.
    """

    command: ClassVar[str] = "train"
    plain: ClassVar[type[Config] | None] = None
    usual: ClassVar[str] = ""
    everyday: ClassVar[tuple[str, ...]] = ("policy", "output", "goal", "seed", "jobs", "json", "dry_run")
    policy: str = option(
        "",
        f"policy to train: {', '.join(trainable_names())}, FILE.py:Class, or one for each decision point: "
        "POINT=NAME+POINT=NAME (default: the one recommended for the scenario, or the one that the given training "
        "options belong to)",
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
        policy = self.policy or self.usual or self.scenario.recommended
        training = training_options(policy)
        object.__setattr__(self, "policy", policy)
        object.__setattr__(self, training.key, getattr(self, training.key, None) or training())
        if (self.scheduler is None) == (self.backend == "dask"):
            if self.scheduler is None:
                raise InputError("scheduler", None, "an address for --backend dask, such as tcp://host:8786")
            raise ConflictError(
                "scheduler", self.scheduler, "belongs to --backend dask; add that, or remove this option"
            )

    @classmethod
    def for_scenario(cls, scenario: type[Scenario]) -> type[Self]:
        """The configuration with the options of the trainings of all shipped policies that the scenario can train."""
        return with_trainings(super().for_scenario(scenario), shipped_trainings(scenario))

    @classmethod
    def for_words(cls, words: Sequence[str], scenario: type[Scenario] | None) -> type[Self]:
        """The configuration with the options of the named user's policy, or else of all shipped policies' trainings.

        An option name that several shipped trainings share belongs to the policy that is trained.
        """
        if scenario is None:
            return cls
        given = first_look(words)
        policy = str(given.get("policy") or _policy_of(given, scenario))
        try:
            training = training_options(policy)
        except InputError as error:
            raise error.renamed("--policy", error.where) from error
        if not is_users(policy):
            return with_trainings(cls, tuple(dict.fromkeys((*shipped_trainings(scenario), training))), policy)
        taken = {leaf.name for leaf in (*leaves(cls.plain or cls), *leaves(scenario.Options))}
        _check_names(policy, training, taken, given, scenario)
        return with_trainings(cls, (training,), policy)

    @property
    def training_of_policy(self) -> PolicyTraining:
        """The training to run, with its options."""
        return getattr(self, training_options(self.policy).key)

    @property
    def task(self) -> Task:
        """The task: the policy to train, in the scenario."""
        from pmtwin.training.task import task_of

        return task_of(self.scenario, self.policy, self.seed, self.action_rules)

    def without_use(self) -> Mapping[str, str]:
        """Option groups without effect: those of other policies' trainings."""
        chosen = training_options(self.policy).key
        scenario = type(self.scenario)
        return {each.key: _belongs_to(each, scenario) for each in shipped_trainings(scenario) if each.key != chosen}

    def beside(self, suffix: str) -> Path:
        """Path beside the policy's file, with another suffix."""
        return self.output.with_name(f"{self.output.stem}.{suffix}")

    @property
    def record_path(self) -> Path:
        """Path of the record of the run."""
        return self.beside("record.json")

    @property
    def table_paths(self) -> dict[str, Path]:
        """Name of each table of the training -> path of its file."""
        return {name: self.beside(f"{name}.csv") for name in self.training_of_policy.tables}

    @property
    def checkpoint_folder(self) -> Path:
        """Path of the checkpoint folder."""
        return self.checkpoint_dir or self.output.with_name(f"{self.output.name}.checkpoint")


_Config = TypeVar("_Config", bound=Config)


def shipped_trainings(scenario: type[Scenario]) -> tuple[type[PolicyTraining], ...]:
    """The trainings of all policies of pmtwin that the scenario can train, each once."""
    return tuple(dict.fromkeys(map(training_options, trainable_names(scenario))))


def _belongs_to(training: type[PolicyTraining], scenario: type[Scenario]) -> str:
    """Error text for an option of a training that is not the one to run."""
    owners = " or ".join(name for name in trainable_names(scenario) if training_options(name) is training)
    return f"belongs to --policy {owners}; remove one of the two"


def _check_names(
    policy: str,
    training: type[PolicyTraining],
    taken: set[str],
    given: Mapping[str, object],
    scenario: type[Scenario],
) -> None:
    """Raise `InputError` if an option name of a user's training is taken, or if another training's option is given.

    Args:
        taken: names of the options of the command and of the scenario.
        given: name of each given option -> value (`first_look`).
    """
    names = {leaf.name for leaf in leaves(training)}
    if twice := sorted(names & {*taken, training.key}):
        raise InputError("--policy", policy, f"a training whose options have other names than {', '.join(twice)}")
    for other in shipped_trainings(scenario):
        for name in (leaf.name for leaf in leaves(other)):
            if name in given and name not in names | taken:
                raise ConflictError(flag_of(name), given[name], _belongs_to(other, scenario))


def _policy_of(given: Collection[str], scenario: type[Scenario]) -> str:
    """The policy whose training has all training options that are given; the recommended one if it qualifies.

    Raises:
        InputError: if the recommended policy does not qualify and several others do.
    """
    recommended = scenario.recommended
    policies = dict.fromkeys((recommended, *trainable_names(scenario)))
    options = {policy: {leaf.name for leaf in leaves(training_options(policy))} for policy in policies}
    of_trainings = set(given) & set().union(*options.values())
    meant = [policy for policy, names in options.items() if of_trainings <= names]
    if len(meant) > 1 and recommended not in meant:
        flags = ", ".join(map(flag_of, sorted(of_trainings)))
        raise InputError("--policy", None, f"{' or '.join(meant)}, to which {flags} belongs")
    return recommended if recommended in meant or not meant else meant[0]


@cache_of_classes
def with_trainings(
    config: type[_Config], trainings: tuple[type[PolicyTraining], ...], policy: str = ""
) -> type[_Config]:
    """A configuration of `pmtwin train` with the options of these trainings, each group under its key.

    Args:
        policy: policy to train if none is named; empty: the recommended one.
    """
    plain = config.plain or config
    groups = [(each.key, each | None, None) for each in trainings]
    names = [leaf.name for leaf in leaves(trainings[0])] if len(trainings) == 1 else []
    everyday = (*plain.everyday, *names, *(name for each in trainings for name in each.everyday))
    declared = {"everyday": everyday, "plain": plain, "__module__": plain.__module__}
    if policy:
        declared |= {"usual": policy, "meant": training_options(policy).key}
    made = make_dataclass(plain.__name__, groups, bases=(plain,), namespace=declared, frozen=True, kw_only=True)
    made.__annotations__ |= plain.__annotations__  # of this command too, for the order of its help
    return made
