"""The training of a policy, as `pmtwin train` runs it: options, plan, duration, run, and what it leaves."""

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
"""Name under which a record keeps the options of a training that has no other."""


@dataclass(frozen=True)
class Task:
    """What is trained, where, and from which random numbers.

    Args:
        scenario: with its options (a `pmtwin.scenarios.Scenario`).
        policy: its name, or the spec of a user's class.
        seed: root of all random numbers.
        make_env: makes the scenario's Gymnasium environment, for trainings that play windows; the keyword
            `episode_steps` is the length of an episode.
        play: runs a policy through windows as an evaluation does: (policy, context of the policy, name of the
            scenario's context, windows, seed) -> rewards of the windows; `at_end` is called with the system behind the
            last window, `on_step` after each.
        beside: decision point inside the windows -> the policy that decides there in these environments.
    """

    scenario: Any
    policy: str
    seed: int
    make_env: Callable[..., Any]
    play: Callable[..., Any] | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def context(self) -> PolicyContext:
        """What the scenario tells a policy."""
        return PolicyContext.of(self.scenario, seed=self.seed)


class Table(NamedTuple):
    """A CSV file that a training leaves beside the policy.

    Fields:
        title: what the table holds, for a reader.
        columns: some of its columns, by which an earlier file is known.
    """

    title: str
    columns: tuple[str, ...]


class Save(Protocol):
    """Writes a policy's file; `origin`, plain values, says where the policy comes from."""

    def __call__(self, path: Any, /, *, origin: dict) -> object: ...


@dataclass(frozen=True)
class Trained:
    """Result of a training.

    Args:
        save: writes the policy's file.
        record: entries of the run's record, plain values. Those of `attainment` (name of a stage, such as `round_3` ->
            share of windows that kept all goals) are the learning curve of a sweep.
        summary: what a reader wants to know at once, by name.
        tables: name of a table of `PolicyTraining.tables` -> its text.
        resumed: stages that were found in the checkpoint.
        spec: of the policy that was found, where its options say all; empty: the file does.
    """

    save: Save
    record: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    resumed: Sequence[str] = ()
    spec: str = ""


@dataclass(frozen=True)
class PolicyTraining(Options):
    """Base of every training: a frozen dataclass of `option` fields, named in `Policy.trainable`.

    The command checks the files, calls `check`, writes what `run` returns, and keeps the checkpoint until then; a
    dry run calls `check`, `preview` and `seconds`. Nothing here knows windows, settings, goals or Gymnasium: what a
    training needs it takes from the task.

    Class attributes:
        whole_spec: whether it trains what learns at several decision points at once; its task then has the whole spec.
        key: name of the options' group in records and files; each shipped training has its own.
        everyday: names of the options that `--help` shows; `--help-all` shows the rest.
        tables: name -> the table that is left beside the policy, as FILE.NAME.csv.
    """

    alternative: ClassVar[bool] = True
    whole_spec: ClassVar[bool] = False
    key: ClassVar[str] = KEY
    everyday: ClassVar[tuple[str, ...]] = ()
    tables: ClassVar[Mapping[str, Table]] = MappingProxyType({})

    def check(self, task: Task) -> None:
        """Raise `InputError` where the policy cannot be trained so; before any work, and before a dry run says more.

        The policy serves the scenario, and its spec has no options, which most trainings have no use for.
        """
        cls = policy_class(task.policy, kind=None)
        cls.check_scenario(task.context)
        if task.policy != cls.called():
            raise InputError(FIELD, task.policy, f"{cls.called()} alone: its training sets its options")

    def files(self, task: Task) -> tuple[str, ...]:
        """Files whose content determines the result, beside those that the scenario's origin tells."""
        return tuple(path for policy in task.beside.values() for path in policy.files)

    def spec_of(self, task: Task, file: str) -> str:
        """The spec of the trained policy; file: where it is."""
        return f"{task.policy if is_users(task.policy) else 'trained'}:{file}"

    def plan(self, task: Task) -> dict:
        """What is run, as plain values: with the origin, it determines the trained policy."""
        return plain(self)

    def preview(self, task: Task) -> dict:
        """What a dry run shows: `plan`, and whatever else a reader decides by."""
        return {"plan": self.plan(task)}

    def origin(self) -> dict:
        """Plain values that the policy's file keeps beside scenario, seed and version."""
        return {}

    def warnings(self, task: Task) -> list[str]:
        """What a user should know of this training before a result is used; a clause each."""
        return []

    def seconds(self, task: Task, workers: int) -> float | None:
        """About how long the training takes on this machine; None: nothing tells."""
        return None

    @abstractmethod
    def run(
        self, task: Task, checkpoint: Checkpoint | None = None, workers: int = 1, progress: Callable = quiet
    ) -> Trained:
        """Train; the same task and options give the same bits on any number of workers, whatever interrupts it.

        Args:
            checkpoint: keeps finished stages; None keeps nothing.
            workers: processes.
            progress: wraps iterables, as `policies.training.progress.quiet`.
        """
