"""The twin beside the real system: the same policies, contexts, seeds and windows on both, and how far they differ.

A scenario says what its real system is (`Scenario.measured`, a `MeasuredSide`) and which measures are judged (those
that declare a tolerance). Beyond that, this package depends on no scenario: `planning` turns options into a plan of
`cases`, `checks` refuses invalid plans, `running` runs both sides and keeps finished runs (`keys`), `comparison`
computes the errors, `verdict` decides, and `document` assembles the result.
"""

from __future__ import annotations

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "MEASURED": "pmtwin.validation.plan",
    "PREDICTED": "pmtwin.validation.plan",
    "Case": "pmtwin.validation.cases",
    "MeasuredSide": "pmtwin.validation.measured",
    "Medium": "pmtwin.validation.measured",
    "SettingSearch": "pmtwin.validation.search",
    "Tolerances": "pmtwin.validation.tolerances",
    "Transfer": "pmtwin.validation.transfer",
    "ValidationPlan": "pmtwin.validation.plan",
    "Windows": "pmtwin.validation.windows",
    "compare": "pmtwin.validation.comparison",
    "grid_cases": "pmtwin.validation.cases",
    "measured_side": "pmtwin.validation.measured",
    "policy_cases": "pmtwin.validation.cases",
    "run_case": "pmtwin.validation.windows",
    "transferred": "pmtwin.validation.transfer",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.validation", _HOMES)
