"""Listings of names for the command line: those common to all scenarios, and those of single scenarios."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING

from pmtwin.scenarios import load_scenario, scenario_names
from pmtwin.scenarios.listing import Listing, summary
from pmtwin.scenarios.registry import ENVIRONMENTS, LISTED

if TYPE_CHECKING:
    from pmtwin.policies.specified import Specified
    from pmtwin.sim.device.profile import Profile


def listings() -> dict[str, Listing]:
    """Kind -> listing, in the order of `pmtwin list`; no scenario is loaded."""
    shipped = {
        kind: replace(listing, scenario=name)
        for name in scenario_names()
        if name in LISTED
        for kind, listing in importlib.import_module(LISTED[name]).LISTINGS.items()
    }
    return {**COMMON, **shipped, **LAST}


def _profiles() -> list[dict]:
    """Profiles with their absolute errors in % on data outside the fit: bandwidth, mixes, latency under load."""
    from pmtwin.sim.device.profile import load_profile, profile_names

    return [_profile_entry(load_profile(name)) for name in profile_names()]


def _profile_entry(profile: Profile) -> dict:
    tables = profile.record.get("errors_percent", {})
    errors = {name: table.get("unseen_configurations", {}).get("predict") for name, table in tables.items()}
    mixes = profile.record.get("errors_percent_mixes") or {}
    errors |= {f"mixes with {operation}": entry["predict"] for operation, entry in mixes.items()}
    errors["latency under load"] = (profile.record.get("errors_percent_latency_under_load") or {}).get("predict")
    present = {name: values for name, values in errors.items() if values}
    return {
        "name": profile.name,
        "device": profile.device,
        "error_percent": {name: dict(zip(_STATISTICS, values, strict=True)) for name, values in present.items()},
    }


_STATISTICS = ("median", "mean", "p90")


def _errors_cell(errors: dict) -> str:
    """`load 0.8/1.5/3.6`: median, mean and 90th percentile."""
    return ", ".join(f"{name} {'/'.join(f'{value:.1f}' for value in part.values())}" for name, part in errors.items())


def _regressions() -> list[dict]:
    from pmtwin.sim.regression.file import load_regression, regression_names

    regressions = [load_regression(name) for name in regression_names()]
    return [{"name": each.name, "formula": each.formula, "source": each.source} for each in regressions]


def _policies() -> list[dict]:
    from pmtwin.policies.grammar import form
    from pmtwin.policies.registry import policy_class, policy_kinds, policy_names

    classes = [policy_class(name, kind) for kind in policy_kinds() for name in policy_names(kind)]
    return [
        {
            "name": policy.name,
            "spec": form(policy.name, policy.Takes),
            "points": _points_of(policy),
            "description": summary(policy),
        }
        for policy in classes
    ]


def _points_of(policy: type[Specified]) -> list[str]:
    """Decision points that a policy can serve: of shipped scenarios, or of any scenario with such points."""
    from pmtwin.policies.inline_policy import InlinePolicy
    from pmtwin.policies.specified import BETWEEN

    if not issubclass(policy, InlinePolicy):
        return [BETWEEN.name]
    scenarios = map(load_scenario, scenario_names())
    points = [f"{each.name}: {point.name}" for each in scenarios for point in each.all_points() if policy.serves(point)]
    return points or [policy.decides.name]


def _policy_points(name: str) -> list[str]:
    """Decision points that the policies of a name can serve."""
    from pmtwin.policies.registry import policy_class

    return list(dict.fromkeys(point for kind in _kinds_of(name) for point in _points_of(policy_class(name, kind))))


def _policy_options(name: str) -> list[dict]:
    """Options of all policies of a name; with several policies, each entry has the kind of its points."""
    from pmtwin.policies.registry import describe

    kinds = _kinds_of(name)
    if len(kinds) < 2:
        return describe(name, kinds[0])
    return [{"points": kind, **row} for kind in kinds for row in describe(name, kind)]


def _kinds_of(name: str) -> list[str | None]:
    """Kinds of points for which a name is registered; None, for any kind, for a user's class."""
    from pmtwin.policies.registry import policy_kinds, policy_names

    return [kind for kind in policy_kinds() if name in policy_names(kind)] or [None]


def _scenarios() -> list[dict]:
    classes = [load_scenario(name) for name in scenario_names()]
    return [
        {"name": each.name, "environment": ENVIRONMENTS[each.name], "description": each.description} for each in classes
    ]


def _figures() -> list[dict]:
    from pmtwin.pipeline.declared import pipeline_of

    entries = [entry for name in scenario_names() for entry in pipeline_of(load_scenario(name)()).entries]
    return [{"name": entry.name, "title": entry.title, "place": entry.place} for entry in entries]


COMMON = {
    "profiles": Listing(
        "calibrated devices with their errors (--profile)",
        _profiles,
        titles={"error_percent": "error of unseen configurations in % (median/mean/90th percentile)"},
        cells={"error_percent": _errors_cell},
    ),
    "regressions": Listing("published regressions of times (predict --regression, calibrate --like)", _regressions),
    "policies": Listing(
        "what decides, and at which decision points (--policies, --policy); with a NAME or FILE.py:Class, its options",
        _policies,
        columns=("spec", "points", "description"),
        titles={"spec": "name and options"},
        cells={"points": ", ".join},
        options=_policy_options,
        points=_policy_points,
    ),
    "scenarios": Listing("what is controlled (evaluate, train, simulate); with a NAME, its declaration", _scenarios),
}

LAST = {"figures": Listing("figures and tables of the papers (pmtwin figures NAME)", _figures)}
