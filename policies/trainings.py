"""The training of a policy, and which parts of a spec for several decision points are trained."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, cast

from pmtwin.policies.grammar import FIELD, form, is_incomplete, joined_points, split_points
from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.policies.registry import USERS, is_registered, is_users, policy_class, policy_kinds, policy_names
from pmtwin.policies.specified import WINDOW, Specified
from pmtwin.policies.training.policy_training import PolicyTraining
from pmtwin.policies.window_choice import WindowChoice
from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.errors import InputError, unknown_name

RUN = ("task", "checkpoint", "workers", "progress")
"""Arguments of `PolicyTraining.run`."""

_AT_ONCE = (InlinePolicy, WindowChoice)
"""Classes of policies that learn while they run, so that several can be trained at once."""


@dataclass(frozen=True)
class Trainee:
    """The part of a spec that is trained.

    Args:
        training: training of that part.
        policy: spec of that part; the whole spec if the training trains several decision points at once.
        beside: decision point -> spec of a policy that decides there during the training, and is not trained.
    """

    training: type[PolicyTraining]
    policy: str
    beside: Mapping[str, str]

    def spec(self, before: str, trained: str) -> str:
        """The whole spec after the training.

        Args:
            before: the whole spec before the training.
            trained: spec of the trained policy.
        """
        parts = {point: self.beside.get(point, trained) for point, _ in split_points(before)}
        return joined_points(parts) if self.beside else trained


def trainable_names(scenario: Any = None) -> list[str]:
    """Names of the registered policies that `pmtwin train` can train, sorted.

    Args:
        scenario: a scenario between whose windows or at whose decision points the policies must decide; None: any.
    """
    kinds = policy_kinds()
    if scenario is not None:
        kinds = [WINDOW, *sorted({kind.name for point in scenario.all_points() for kind in point.kind.served_by})]
    names = [(kind, name) for kind in kinds for name in policy_names(kind)]
    return sorted({name for kind, name in names if policy_class(name, kind).is_trained()})


def training_options(spec: str) -> type[PolicyTraining]:
    """The training of a policy: a dataclass with the options of the training.

    Args:
        spec: a name, the spec of a user's class, or a spec for several decision points.

    Raises:
        InputError: as `trainee`.
    """
    return trainee(spec).training


def trainee(spec: str) -> Trainee:
    """The part of a spec that is trained: the policies that learn while they run, or else the other trainable policy.

    Raises:
        InputError: if no part can be trained, parts need different trainings, or `trainable` of a class is no training.
    """
    parts = split_points(spec)
    if not parts:
        return Trainee(_training_of(spec), spec, {})
    classes = {point: policy_class(part, None) for point, part in parts}
    trained = {point: part for point, part in parts if classes[point].is_trained()}
    inside = {point: part for point, part in trained.items() if issubclass(classes[point], _AT_ONCE)}
    for point in [] if not inside else [name for name in trained if name not in inside]:
        if trained[point] == classes[point].called() and is_incomplete(classes[point].Takes):
            later = joined_points(dict(parts) | {point: form(classes[point].called(), classes[point].Takes)})
            allowed = f"one training after the other: first {trained[point]} beside fixed policies, then {later}"
            raise InputError(FIELD, spec, allowed)
    chosen = inside or {point: part for point, part in trained.items() if part == classes[point].called()}
    if not chosen:
        allowed = (
            f"a policy that is trained at one of the decision points: {', '.join(trainable_names())}, or FILE.py:Class"
        )
        raise InputError(FIELD, spec, allowed)
    first, *others = dict.fromkeys(_training_of(part) for part in chosen.values())
    if first.whole_spec and not others:
        return Trainee(first, spec, {})
    if len(chosen) > 1 or (inside and len(parts) > 1):
        allowed = "a single policy, which this training runs alone; its file can then be used beside other policies"
        raise InputError(FIELD, spec, allowed)
    ((point, part),) = chosen.items()
    return Trainee(first, part, {name: other for name, other in parts if name != point})


def _training_of(spec: str) -> type[PolicyTraining]:
    """The training of a single policy."""
    trained = trainable_names()
    if not is_registered(spec.partition(":")[0]) and not is_users(spec):
        raise unknown_name(FIELD, spec, trained, shown=[*trained, *USERS])
    cls = policy_class(spec, None)
    if not cls.is_trained():
        allowed = f"a policy that can be trained: {', '.join(trained)}, or a class with a training in `trainable`"
        raise InputError(FIELD, spec, allowed)
    training = cls.trainable if isinstance(cls.trainable, type) else object_at(cls.trainable)
    if not (issubclass(training, PolicyTraining) and is_dataclass(training)):
        allowed = "a class whose `trainable` is a dataclass derived from pmtwin.policies.PolicyTraining"
        raise InputError(FIELD, spec, f"{allowed}; that of {cls.location()} is {cls.trainable!r}")
    _check_run(spec, cls, cast("type[PolicyTraining]", training))
    return cast("type[PolicyTraining]", training)


def _check_run(spec: str, cls: type[Specified], training: type[PolicyTraining]) -> None:
    """Raise `InputError` for a training without a method `run`, or with one that takes other arguments."""
    allowed = (
        f"a class whose training has a method run(self, {', '.join(RUN)}); {training.__qualname__} of {cls.location()}"
    )
    if getattr(training.run, "__isabstractmethod__", False):
        raise InputError(FIELD, spec, f"{allowed} has none")
    try:
        inspect.signature(training.run).bind(training, *RUN)
    except TypeError as error:
        raise InputError(FIELD, spec, f"{allowed} has another: {error}") from error
