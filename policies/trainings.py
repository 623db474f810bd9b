"""Which training a policy brings, and what of a spec for several decision points is trained."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from typing import cast

from pmtwin.policies.grammar import FIELD, form, is_incomplete, joined_points, split_points
from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.policies.registry import USERS, is_registered, is_users, policy_class, policy_kinds, policy_names
from pmtwin.policies.specified import Specified
from pmtwin.policies.training.policy_training import PolicyTraining
from pmtwin.policies.window_choice import WindowChoice
from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.errors import InputError, unknown_name

RUN = ("task", "checkpoint", "workers", "progress")
"""Arguments of `PolicyTraining.run`."""

_AT_ONCE = (InlinePolicy, WindowChoice)
"""What learns while it runs, so that several are trained at once."""


@dataclass(frozen=True)
class Trainee:
    """What is trained of a spec.

    Args:
        training: its training.
        policy: the spec that is trained; of several points all of it, where the training trains them at once.
        beside: decision point -> spec of what decides there meanwhile, and is not trained.
    """

    training: type[PolicyTraining]
    policy: str
    beside: Mapping[str, str]

    def spec(self, whole: str, found: str) -> str:
        """The spec behind a training of `whole`, where `found` is what was trained."""
        parts = {point: self.beside.get(point, found) for point, _ in split_points(whole)}
        return joined_points(parts) if self.beside else found


def trainable_names() -> list[str]:
    """Names of the registered policies that `pmtwin train` can train, sorted."""
    names = [(kind, name) for kind in policy_kinds() for name in policy_names(kind)]
    return sorted({name for kind, name in names if policy_class(name, kind).is_trained()})


def training_options(spec: str) -> type[PolicyTraining]:
    """The training of a policy, a dataclass of its options.

    Args:
        spec: a name, the spec of a user's class, or one for several decision points.

    Raises:
        InputError: as `trainee`.
    """
    return trainee(spec).training


def trainee(spec: str) -> Trainee:
    """What is trained of a spec: what learns while it runs, or else the policy between windows.

    Raises:
        InputError: for a policy that is not trained, whose `trainable` is no training, or several of unlike ones.
    """
    parts = split_points(spec)
    if not parts:
        return Trainee(_training_of(spec), spec, {})
    classes = {point: policy_class(part, None) for point, part in parts}
    trained = {point: part for point, part in parts if classes[point].is_trained()}
    inside = {point: part for point, part in trained.items() if issubclass(classes[point], _AT_ONCE)}
    for point in [] if not inside else [name for name in trained if name not in inside]:
        if trained[point] == classes[point].called() and is_incomplete(classes[point].Takes):
            then = joined_points(dict(parts) | {point: form(classes[point].called(), classes[point].Takes)})
            raise InputError(FIELD, spec, f"one after the other: {trained[point]} beside the others, and then {then}")
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
        allowed = "one policy alone, whose training runs it by itself; afterwards its file goes with other policies"
        raise InputError(FIELD, spec, allowed)
    ((point, part),) = chosen.items()
    return Trainee(first, part, {name: each for name, each in parts if name != point})


def _training_of(spec: str) -> type[PolicyTraining]:
    """The training of a single policy."""
    trained = trainable_names()
    if not is_registered(spec.partition(":")[0]) and not is_users(spec):
        raise unknown_name(FIELD, spec, trained, shown=[*trained, *USERS])
    cls = policy_class(spec, None)
    if not cls.is_trained():
        raise InputError(FIELD, spec, f"a policy that is trained: {', '.join(trained)}, or a class that says how")
    training = cls.trainable if isinstance(cls.trainable, type) else object_at(cls.trainable)
    if not (issubclass(training, PolicyTraining) and is_dataclass(training)):
        allowed = "a class whose `trainable` is a dataclass derived from pmtwin.policies.PolicyTraining"
        raise InputError(FIELD, spec, f"{allowed}; that of {cls.place()} is {cls.trainable!r}")
    _check_run(spec, cls, cast("type[PolicyTraining]", training))
    return cast("type[PolicyTraining]", training)


def _check_run(spec: str, cls: type[Specified], training: type[PolicyTraining]) -> None:
    """Raise `InputError` for a training without a method `run`, or with one that takes other arguments."""
    allowed = (
        f"a class whose training has a method run(self, {', '.join(RUN)}); {training.__qualname__} of {cls.place()}"
    )
    if getattr(training.run, "__isabstractmethod__", False):
        raise InputError(FIELD, spec, f"{allowed} has none")
    try:
        inspect.signature(training.run).bind(training, *RUN)
    except TypeError as error:
        raise InputError(FIELD, spec, f"{allowed} has another: {error}") from error
