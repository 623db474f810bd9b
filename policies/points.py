"""Policies for the decision points of a scenario: `threads=fixed:16+replacement=lru`, or a spec without points.

A spec without points means the policy of that name that decides between windows, if one serves the scenario; otherwise
it decides at the only decision point that it serves, and where policies of several kinds have the name, at one point
for each. Points that the spec does not name keep their default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.grammar import FIELD, joined_points, points_behind, split_points
from pmtwin.policies.making import single_policy
from pmtwin.policies.registry import Kind, is_registered, policy_class
from pmtwin.policies.specified import BETWEEN, WINDOW, Specified
from pmtwin.policies.trained_for import check_learned_for
from pmtwin.sim.decisions.kind import PointKind
from pmtwin.sim.decisions.point import DecisionPoint
from pmtwin.sim.errors import InputError, unknown_name

if TYPE_CHECKING:
    from pmtwin.policies.inline import Choice
    from pmtwin.policies.inline_policy import InlinePolicy


class Unchanged(Policy):
    """Keeps the setting, for specs that only name policies inside the windows."""

    draws = False

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting."""
        self._stay = context.stay(context.initial)

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The action that changes nothing."""
        return self._stay

    @property
    def spec(self):
        """The spec of the policies inside the windows."""
        return joined_points({point: policy.spec for point, policy in self.inline.items()})


def window_point(scenario: Any) -> str:
    """Name of the decision point between windows: the scenario's noun for a setting, or `window` without settings."""
    return scenario.settings.noun if scenario.settings else WINDOW


@overload
def make_policy(spec: str, scenario: Any = None) -> Policy: ...


@overload
def make_policy(spec: str, scenario: Any = None, *, kind: Literal["choice"]) -> Choice: ...


@overload
def make_policy(spec: str, scenario: Any = None, *, kind: Kind) -> Specified: ...


def make_policy(spec: str, scenario: Any = None, kind: Kind = WINDOW) -> Specified:
    """The policy that `spec` names.

    Args:
        spec: spec of a policy, or with a scenario also a spec by decision points.
        scenario: a `pmtwin.scenarios.Scenario` whose decision points the spec may name. The policy then decides between
            windows, and its `inline` policies inside them.
        kind: kind of the policy without a scenario, as for `policy_class`: `window`, `replacement`, `choice`.

    Raises:
        InputError: for an unknown name; for an option that is unknown, missing or not accepted; for an incomplete
            class; with a scenario as `policy_for`.
        PolicyError: if the constructor of a user's class fails.
    """
    return single_policy(spec, kind) if scenario is None else policy_for(spec, scenario)


def policy_for(spec: str, scenario: Any) -> Policy:
    """The policy for all decision points of a scenario: it decides between windows, its `inline` policies inside them.

    Raises:
        InputError: for an unknown point, a policy that does not serve its point, and as `make_policy`.
    """
    specs = by_point(spec, scenario)
    window = specs.pop(window_point(scenario), None)
    policy = Unchanged() if window is None else _between_windows(window, scenario)
    inline = {point: _decider(part, _point(scenario, point), scenario) for point, part in specs.items()}
    policy.inline = default_policies(scenario) | inline
    return policy


def _between_windows(spec: str, scenario: Any) -> Policy:
    try:
        return single_policy(spec, scenario=scenario)
    except InputError as error:
        raise _with_homes(error, spec, scenario) from error


def _with_homes(error: InputError, spec: str, scenario: Any) -> InputError:
    """The error, with the scenarios that have a decision point for the policy where this one has none."""
    name = spec.partition(":")[0] if isinstance(spec, str) else ""
    homes = scenario.others_asking(policy_class(name, kind=None).decides) if is_registered(name) else []
    if not homes:
        return error
    commands = " or ".join(f"pmtwin evaluate {home} --policies {spec}" for home in homes)
    allowed = f"{error.allowed}; {name} decides in another scenario: {commands}"
    return InputError(error.field, error.value, allowed, error.where, error.wrong)


def default_policies(scenario: Any) -> dict[str, Any]:
    """Decision point inside the windows -> the default policy that the scenario declares for it."""
    return {point.name: _decider(point.default, point, scenario) for point in scenario.points if point.default}


def by_point(spec: str, scenario: Any) -> dict[str, str]:
    """Name of each decision point in a spec -> spec of its policy.

    Raises:
        InputError: for a point that is unknown or named twice; for a policy without a point that serves no point or
            several.
    """
    parts = split_points(spec)
    if not parts:
        return dict.fromkeys(_points_of(spec, scenario), spec)
    specs: dict[str, str] = {}
    for point, part in parts:
        if point not in point_names(scenario):
            raise _unknown_point(point, scenario)
        if point in specs:
            raise InputError(FIELD, spec, f"each decision point once: {', '.join(point_names(scenario))}")
        specs[point] = part
    return specs


def point_names(scenario: Any) -> list[str]:
    """Names of a scenario's decision points; the first is the one between windows."""
    return [window_point(scenario), *(point.name for point in scenario.points)]


def inline_policy(spec: str, point: DecisionPoint) -> InlinePolicy:
    """The policy that decides at a point inside a simulation.

    Raises:
        InputError: for a policy that does not serve the point, and as `make_policy`.
    """
    return cast("InlinePolicy", single_policy(spec, point.kind.served_by)).at(point)


def _decider(spec: str, point: DecisionPoint, scenario: Any) -> Any:
    """The policy at a point; raises `InputError` if its file was learned in another scenario."""
    policy = inline_policy(spec, point)
    check_learned_for(scenario, policy)
    return policy


def _point(scenario: Any, name: str) -> DecisionPoint:
    return next(point for point in scenario.points if point.name == name)


def _points_of(spec: str, scenario: Any) -> list[str]:
    """The decision points of a spec that names no point: one for each kind of policies that has its name."""
    window = window_point(scenario)
    if not scenario.points:
        return [window]
    known = {point.name: point for point in scenario.points}
    if isinstance(spec, str) and set(points_behind(spec)) & set(point_names(scenario)):
        allowed = f"each policy after its point: {window}=...+{next(iter(known))}=..."
        raise InputError(FIELD, spec, allowed)
    narrow = sorted({point.kind for point in known.values()}, key=lambda kind: kind.name)
    inside = list(dict.fromkeys(kind for kinds in narrow for kind in kinds.served_by))
    order = [BETWEEN, *inside] if _is_between(spec, scenario, inside) else [*inside, BETWEEN]
    try:
        cls = policy_class(spec, tuple(order), scenario)
    except InputError as error:
        raise _with_homes(error, spec, scenario) from error
    if cls.decides == BETWEEN:
        return [window]
    kinds = [kind for kind in narrow if cls.decides in kind.served_by or _has_kind(spec, kind)]
    served = [name for name, point in known.items() if point.kind in kinds]
    if len(served) == len(kinds):
        return served
    forms = " or ".join(f"{name}={spec}" for name in served)
    raise InputError(FIELD, spec, forms, wrong="serves several decision points")


def _has_kind(spec: str, kind: PointKind) -> bool:
    """Whether a policy of a kind has the name in a spec."""
    try:
        policy_class(spec, kind=kind)
    except InputError:
        return False
    return True


def _is_between(spec: str, scenario: Any, inside: Sequence[PointKind]) -> bool:
    """Whether a name that both kinds of policies have means the one between windows.

    It does where there are settings; not a choice among numbered actions where the settings have no moves.
    """
    if not scenario.settings or scenario.settings.moves:
        return bool(scenario.settings)
    try:
        between = policy_class(spec)
        policy_class(spec, kind=tuple(inside))
    except InputError:  # of one kind alone, or of none
        return True
    try:
        between.check_scenario(PolicyContext.of(scenario))
    except InputError:
        return False
    return True


def _unknown_point(name: str, scenario: Any) -> InputError:
    """The error for a name that no decision point of the scenario has, whatever its options."""
    known = dict.fromkeys([*point_names(scenario), *(point.name for point in scenario.all_points())])
    return unknown_name(f"decision point of {scenario.name}", name, known)
