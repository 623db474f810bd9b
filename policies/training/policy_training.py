"""Interface of trainings for `pmtwin train`: options, plan, estimated duration, run and result."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.grammar import FIELD
from pmtwin.policies.registry import is_users, policy_class
from pmtwin.policies.training.progress import quiet
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint
from pmtwin.sim.options import Options, plain

KEY = "training"
"""Name of a training's options in a record, unless the training has its own (`PolicyTraining.key`)."""


def unchecked(policy: Any) -> Any:
    """The policy itself, where a training has no rules."""
    return policy


@dataclass(frozen=True)
class Task:
    """A policy to train, its scenario and its seed.

    Args:
        scenario: a `pmtwin.scenarios.Scenario` with its options.
        policy: name of the policy, or spec of a user's class.
        seed: root of all random numbers.
        make_env: makes the scenario's Gymnasium environment, for trainings that play windows; the keyword
            `episode_steps` is the length of an episode.
        play: runs a policy through windows as an evaluation does: (policy, context of the policy, name of the
            scenario's context, windows, seed) -> rewards of the windows. Keyword `at_end` is called with the system
            after the last window, keyword `on_step` after each window.
        beside: decision point inside the windows -> policy that decides there in these environments, and is not
            trained.
        checked: puts a policy behind the action checker, if the training has rules; `make_env` and `play` do so
            themselves.
    """

    scenario: Any
    policy: str
    seed: int
    make_env: Callable[..., Any]
    play: Callable[..., Any] | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)
    checked: Callable[[Any], Any] = unchecked

    @cached_property
    def context(self) -> PolicyContext:
        """The context for policies in the scenario."""
        return PolicyContext.of(self.scenario, seed=self.seed)


class Table(NamedTuple):
    """A CSV file that a training writes beside the policy.

    Fields:
        title: title of the table, for a reader.
        columns: some of its columns, by which a file of an earlier run is recognised.
    """

    title: str
    columns: tuple[str, ...]


class Save(Protocol):
    """Function that writes a policy's file; origin: scenario, seed and versions of the training, as plain values."""

    def __call__(self, path: Any, /, *, origin: dict) -> object: ...


@dataclass(frozen=True)
class Trained:
    """Result of a training.

    Args:
        save: writes the policy's file.
        record: entries of the run's record, plain values. A sweep takes its learning curve from the entry `attainment`:
            name of a stage, such as `round_3` -> share of windows that kept all goals.
        summary: name -> value, the most important results for a reader.
        tables: name of a table in `PolicyTraining.tables` -> its text.
        resumed: stages that were found in the checkpoint.
        spec: spec of the trained policy, if its options describe it completely; empty: it is used by its file.
    """

    save: Save
    record: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    resumed: Sequence[str] = ()
    spec: str = ""


@dataclass(frozen=True)
class PolicyTraining(Options):
    """Base class of every training: a frozen dataclass of `option` fields, named in `Policy.trainable`.

    The command checks the files, calls `check` and `run`, writes the result, and then deletes the checkpoint; a dry run
    calls `check`, `preview` and `seconds`. The class knows no windows, settings, goals or Gymnasium: a training takes
    what it needs from the task.

    Class attributes:
        whole_spec: whether the training can train several decision points at once; its task then has the whole spec.
        key: name of the options' group in records and files; each shipped training has its own.
        everyday: names of the options that `--help` shows; `--help-all` shows the others.
        tables: name -> table that is written beside the policy, as FILE.NAME.csv.
    """

    alternative: ClassVar[bool] = True
    whole_spec: ClassVar[bool] = False
    key: ClassVar[str] = KEY
    everyday: ClassVar[tuple[str, ...]] = ()
    tables: ClassVar[Mapping[str, Table]] = MappingProxyType({})

    def check(self, task: Task) -> None:
        """Raise `InputError` if this training cannot train the policy; called before any work, also for a dry run.

        By default the policy must serve the scenario, and its spec must have no options.
        """
        cls = policy_class(task.policy, kind=None)
        cls.check_scenario(task.context)
        if task.policy != cls.called():
            raise InputError(FIELD, task.policy, f"{cls.called()} alone: its training sets its options")

    def files(self, task: Task) -> tuple[str, ...]:
        """Paths of the files whose content determines the result, besides those of the scenario."""
        return tuple(path for policy in task.beside.values() for path in policy.files)

    def spec_of(self, task: Task, file: str) -> str:
        """The spec of the trained policy; file: path of its file."""
        return f"{task.policy if is_users(task.policy) else 'trained'}:{file}"

    def plan(self, task: Task) -> dict:
        """The plan as plain values; together with the origin it determines the trained policy."""
        return plain(self)

    def preview(self, task: Task) -> dict:
        """Entries that a dry run shows: `plan`, and others that help to decide."""
        return {"plan": self.plan(task)}

    def origin(self) -> dict:
        """Plain values for the policy's file, in addition to scenario, seed and version."""
        return {}

    def warnings(self, task: Task) -> list[str]:
        """Warnings about the use of the result, a clause each."""
        return []

    def seconds(self, task: Task, workers: int) -> float | None:
        """Estimated duration on this machine, in seconds; None: unknown."""
        return None

    @abstractmethod
    def run(
        self, task: Task, checkpoint: Checkpoint | None = None, workers: int = 1, progress: Callable = quiet
    ) -> Trained:
        """Train; the same task and options give the same bits with any number of workers and any interruptions.

        Args:
            checkpoint: stores finished stages; None: nothing is stored.
            workers: number of processes.
            progress: wraps iterables, as `policies.training.progress.quiet`.
        """
