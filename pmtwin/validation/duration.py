"""Expected duration of the real system's runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pmtwin.scenarios.comparison.rollout import Context
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.validation.cases import Case, Changes, fixed_setting
from pmtwin.validation.measured import MeasuredSide
from pmtwin.validation.plan import PREDICTED, ValidationPlan


def expected_seconds(
    plan: ValidationPlan, side: MeasuredSide, cases: Iterable[Case], searched: float = 0.0
) -> float | None:
    """Expected seconds for `cases` and `searched` windows, at the initial setting where the setting is not fixed.

    Returns:
        None where the duration of a window is unknown.

    Raises:
        MissingDependencyError: if the real system is not built.
    """
    scenarios: dict[Changes, Scenario] = {}
    counts: dict[tuple[Changes, Context], Counter[Setting]] = {}
    for case in cases:
        fixed, settling = fixed_setting(case.policy, side.predicted), plan.warmup_windows
        setting = fixed or side.predicted.initial_setting
        for block in case.schedule:
            scenarios.setdefault(case.changes, plan.scenario(PREDICTED, case))
            windows = counts.setdefault((case.changes, block.context), Counter())
            windows[tuple(setting)] += plan.seeds * (block.steps + settling)
            settling = 0
    seconds, number = 0.0, 0
    for (changes, context), windows in counts.items():
        lengths = side.window_seconds(scenarios[changes], context, list(windows))
        if lengths is None:
            return None
        seconds += sum(times * length for times, length in zip(windows.values(), lengths, strict=True))
        number += sum(windows.values())
    return seconds * (1.0 + searched / number) + side.besides_seconds(len(counts))
