"""A third scenario, a shipped one: settings to jump to, of stated values, without moves and goals."""

from pmtwin.policies import PolicyContext
from pmtwin.scenarios.numa_threads import NumaThreads

THREADS = NumaThreads()
COLUMNS, SETTINGS = THREADS.observed, THREADS.settings


def context(**changes):
    """What a policy is told of it, without formulas, which take seconds."""
    told = PolicyContext.of(THREADS, **{"seed": 0} | {name: changes.pop(name) for name in ("seed",) if name in changes})
    fields = {name: getattr(told, name) for name in ("scenario", "seed", "action_space", "columns", "settings")}
    return PolicyContext(**fields | {"measures": told.measures, "initial": told.initial} | changes)
