"""The paper's comparison: all policies on the traces or mixes, on each of its storages."""

from __future__ import annotations

from pmtwin.scenarios.hybrid_storage.figures.experiments.runs import Case
from pmtwin.scenarios.hybrid_storage.figures.policies import CONTROLS, HARMONIA, ORACLE, SIBYL, present
from pmtwin.scenarios.hybrid_storage.published import TABLE_4, TABLE_5

PERF, COST, PMEM, TRI, QUAD = "perf", "cost", "pmem", "tri", "quad"
SEVERAL = (TRI, QUAD)
TRACES, MIXES = tuple(TABLE_4), tuple(TABLE_5)


def traces(config: str) -> list[Case]:
    """The traces of Table 4 on a storage of two devices; figures 3, 8 to 10, 12, 15, 16."""
    return _compared((config,), TRACES, (*present(), ORACLE))


def mixes() -> list[Case]:
    """The mixes of Table 5 on both storages; figure 13."""
    return _compared((PERF, COST), MIXES, (*present(), ORACLE))


def several() -> list[Case]:
    """The traces on three and four devices; figure 14."""
    return _compared(SEVERAL, TRACES, present((SIBYL, HARMONIA, *CONTROLS)))


def _compared(configs: tuple[str, ...], workloads: tuple[str, ...], specs: tuple[str, ...]) -> list[Case]:
    return [Case(config, name, specs, {"devices": config}) for config in configs for name in workloads]
