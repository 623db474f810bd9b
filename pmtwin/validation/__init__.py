"""The twin beside the real system: the same policies, contexts, seeds and windows on both, and how far they differ.

A scenario says what its real system is (`Scenario.measured`, a `MeasuredSide`) and which measures are judged (those
that declare a tolerance). From there on this package knows no scenario: `planning` turns options into a plan of
`cases`, `checks` refuses what can be refused, `running` runs both sides and keeps finished runs (`keys`), `comparison`
says how far they differ, `verdict` decides, `document` puts it together.
"""

from pmtwin.validation.cases import Case, grid_cases, policy_cases
from pmtwin.validation.comparison import compare
from pmtwin.validation.measured import MeasuredSide, Medium, measured_side
from pmtwin.validation.plan import MEASURED, PREDICTED, ValidationPlan
from pmtwin.validation.search import SettingSearch
from pmtwin.validation.tolerances import Tolerances
from pmtwin.validation.transfer import Transfer, transferred
from pmtwin.validation.verdict import verdict
from pmtwin.validation.windows import Windows, run_case

__all__ = [
    "MEASURED",
    "PREDICTED",
    "Case",
    "MeasuredSide",
    "Medium",
    "SettingSearch",
    "Tolerances",
    "Transfer",
    "ValidationPlan",
    "Windows",
    "compare",
    "grid_cases",
    "measured_side",
    "policy_cases",
    "run_case",
    "transferred",
    "verdict",
]
