"""The twin beside the middleware: the same policies, workloads, seeds and windows on both, and how far they differ."""

from pmtwin.scenarios.validation.best_setting import SettingSearch
from pmtwin.scenarios.validation.comparison import compare
from pmtwin.scenarios.validation.runs import Case, ValidationPlan, Windows, grid_cases, measure, policy_cases
from pmtwin.scenarios.validation.transfer import Transfer, transferred
from pmtwin.scenarios.validation.verdict import MEDIA, Tolerances, verdict

__all__ = [
    "MEDIA",
    "Case",
    "SettingSearch",
    "Tolerances",
    "Transfer",
    "ValidationPlan",
    "Windows",
    "compare",
    "grid_cases",
    "measure",
    "policy_cases",
    "transferred",
    "verdict",
]
