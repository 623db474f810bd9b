"""The load of the phases where it varies: a rate for each client, traces of their own, rates that change.

Appendix C of the thesis changes the number of client threads from phase to phase, each of which replays its trace, so
that more clients offer more. A window stands for one second of it; how rates change from one to the next is inferred
from the spread of the thesis' tables (`pmtwin.sim.parameters.load`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pmtwin.sim.load import RateVariation
from pmtwin.sim.load.workload import CLASSES, Workload


def client_rates_ops(workload: Workload, values: Mapping[str, float]) -> dict[str, float]:
    """Class -> operations/s that its clients offer together.

    Args:
        values: resolved parameters.
    """
    loads = zip(CLASSES, workload.classes, strict=True)
    return {name: load.clients * values[f"{name}_client_rate_ops"] for name, load in loads}


def varying(workload: Workload, values: Mapping[str, float]) -> Workload:
    """The workload with rates that vary about its own, each class on its own trace unless they are tied.

    Args:
        values: resolved parameters.
    """
    interactive, batch = (values[f"{name}_rate_sigma"] for name in CLASSES)
    variation = RateVariation(
        sigma=(interactive, batch),
        correlation=values["rate_correlation"],
        persistence=values["rate_persistence"],
    )
    return replace(workload, tied=bool(values["classes_tied"]), parts=(*workload.parts, variation))
