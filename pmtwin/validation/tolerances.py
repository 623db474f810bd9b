"""Tolerances of a verdict, in percent: for each judged measure, choices, windows and a transfer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass

from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.validity_warnings import WARNED_PERCENT
from pmtwin.sim.control import Measure
from pmtwin.sim.errors import check_range, unknown_name
from pmtwin.sim.options import Options, option
from pmtwin.validation.measured import judged_measures, measured_side

KINDS = ("median", "worst")
BEST_LOSS, REWARD_LOSS, SLA_DISAGREEMENT = "best_loss", "reward_loss", "sla_disagreement"
LITTLE_SHARE, WARNED_SHARE, TRANSFER_LOSS = "little_share", "warned_share", "transfer_loss"
GENERAL = {
    BEST_LOSS: 2.0,
    REWARD_LOSS: None,
    SLA_DISAGREEMENT: 10.0,
    LITTLE_SHARE: 5.0,
    WARNED_SHARE: WARNED_PERCENT,
    TRANSFER_LOSS: 5.0,
}
"""Tolerances of every scenario. Losses of the twin's best setting against the best measured one: in the leading judged
measure, and in reward. Shares: of comparisons in which the sides disagree on whether the service level holds, of
windows that depart from Little's law, of windows with a validity warning of the real system. Loss of a transfer's
policy against the best fixed setting in attainment (or median reward), in each context and under changing contexts.
"""

GROUP = "tolerances of the verdict, in percent"
"""Heading of these options in the help."""


def name_of(measure: Measure, kind: str) -> str:
    """Name of the tolerance for the median or the worst error of a measure."""
    return f"{measure.short}_{kind}"


def declared(scenario: type[Scenario]) -> dict[str, float | None]:
    """Name -> tolerance in percent, as measures declare; None: not judged. Media may change these."""
    result: dict[str, float | None] = {}
    for measure in judged_measures(scenario):
        result |= {
            name_of(measure, "median"): measure.tolerance_percent,
            name_of(measure, "worst"): measure.worst_percent,
        }
    return result | GENERAL


@dataclass(frozen=True)
class Tolerances:
    """Largest departures that pass on a medium.

    Args:
        scenario: the judged scenario.
        medium: name of a medium of the scenario's measured side.
        changes: name -> percent, where a tolerance differs from the medium's.

    Raises:
        InputError: for an unknown medium or name, or a value out of range.
    """

    scenario: type[Scenario]
    medium: str
    changes: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self):
        media, known = measured_side(self.scenario).media, declared(self.scenario)
        if self.medium not in media:
            raise unknown_name("medium", self.medium, media)
        for name, value in self.changes.items():
            if name not in known:
                raise unknown_name("tolerance", name, known)
            if value is not None:
                check_range(name, value, 0.0, 1e6, "%")

    @property
    def values(self) -> dict[str, float | None]:
        """Name -> percent; None: not judged."""
        usual = measured_side(self.scenario).media[self.medium].tolerances
        return declared(self.scenario) | dict(usual) | dict(self.changes)

    @property
    def at_saturation(self) -> bool:
        """Whether the leading measure is judged at saturation only."""
        return measured_side(self.scenario).media[self.medium].at_saturation


def tolerance_options(scenario: type[Scenario]) -> type[Options]:
    """A dataclass of options, one for each tolerance; None: the medium's tolerance."""
    judged = judged_measures(scenario)
    meanings = {
        name_of(measure, kind): f"maximum {kind} error of {measure.short} (default: by the storage backend)"
        for measure in judged
        for kind in KINDS
    }
    lead, noun = judged[0].short if judged else "reward", scenario.settings.noun
    system = measured_side(scenario).system
    meanings |= {
        BEST_LOSS: f"maximum loss of {lead}: the twin's best {noun} against the best measured ones",
        REWARD_LOSS: f"maximum loss of reward: the twin's best {noun} against the best measured ones",
        SLA_DISAGREEMENT: "maximum share of cases in which the sides disagree on the service level (default: 10)",
        LITTLE_SHARE: "maximum share of windows that differ from Little's law by more than 10 % (default: 5)",
        WARNED_SHARE: f"maximum share of windows with a validity warning of the {system} (default: {WARNED_PERCENT:g})",
        TRANSFER_LOSS: f"maximum loss of the --transfer policy against the best fixed {noun} (default: 5)",
    }
    about = {"low": 0.0, "high": 1e6, "unit": "%", "metavar": "PERCENT", "group": GROUP}
    fields = [(name, float | None, option(None, help, **about)) for name, help in meanings.items()]
    return make_dataclass("ToleranceOptions", fields, bases=(Options,), frozen=True)
