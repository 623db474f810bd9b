"""One run of a case on one side, and the measures of each window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from pmtwin.policies import Policy, PolicyContext
from pmtwin.scenarios.comparison.rollout import Steps, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.system import Account
from pmtwin.validation.cases import Case
from pmtwin.validation.measured import compared_measures
from pmtwin.validation.plan import ValidationPlan

ACCOUNT = Account._fields
NOBODY_COUNTED = Account(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Windows(Steps):
    """Measures of each window of a run: the fields of `Steps`, and further arrays of shape (windows,).

    `measures` has the measures that a validation compares.

    Args:
        counted, stamped, slack: see `pmtwin.scenarios.system.Account`; NaN if requests were not counted.
        extrapolated: whether the window lies outside the data of the profile.
    """

    counted: np.ndarray
    stamped: np.ndarray
    slack: np.ndarray
    extrapolated: np.ndarray

    def to_dict(self) -> dict:
        """Name -> plain list; None in place of NaN."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}
        measures = {name: _known(values) for name, values in arrays.pop("measures").items()}
        known = {name: _known(arrays.pop(name)) for name in ACCOUNT}
        return {name: values.tolist() for name, values in arrays.items()} | known | {"measures": measures}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Windows:
        """The windows that `to_dict` has written."""
        arrays = {each.name: np.array(values[each.name]) for each in fields(cls) if each.name != "measures"}
        arrays |= {name: np.array(values[name], dtype=float) for name in ACCOUNT}
        return cls(**arrays, measures={name: np.array(column, float) for name, column in values["measures"].items()})


def _known(values: np.ndarray) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def run_case(
    plan: ValidationPlan, side: str, case: Case, run: int, policy: Policy, on_window: Callable[[], Any] | None = None
) -> Windows:
    """Run a case on one side.

    Args:
        side: `PREDICTED` or `MEASURED`.
        run: number of the seed.
        policy: policy of the case.
        on_window: called after every window (progress).
    """
    env_seed, policy_seed = plan.seeds_of(run)
    with closing(plan.environment(side, case, policy.mode)) as env:
        names = [measure.name for measure in compared_measures(type(env.scenario))]
        rows: list[tuple] = []

        def look() -> None:
            rows.append(_row(env, names))
            if on_window is not None:
                on_window()

        context = PolicyContext.of(env.scenario, seed=policy_seed)
        steps = run_policy(policy, context, env, case.schedule, env_seed, on_step=look)
    measures, accounts, extrapolated = zip(*rows, strict=True)
    columns = np.array(measures, dtype=np.float64).T
    return Windows(
        **{each.name: getattr(steps, each.name) for each in fields(Steps) if each.name != "measures"},
        measures=dict(zip(names, columns, strict=True)),
        **dict(zip(ACCOUNT, np.array(accounts, dtype=np.float64).T, strict=True)),
        extrapolated=np.array(extrapolated, dtype=bool),
    )


def _row(env: ControlEnv, names: list[str]) -> tuple[list[float], Account, bool]:
    system = env.running()
    measures, account = system.measures(), system.account() or NOBODY_COUNTED
    return [measures[name] for name in names], account, system.validity().extrapolated
