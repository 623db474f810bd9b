"""The simulated system: options, costs and size."""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.options import StorageOptions


class System(NamedTuple):
    """The simulated system.

    Fields:
        storage: options of the system.
        costs: costs of its parts.
        processes: number of processes, P.
        threads: number of service threads of a process, k.
        requests: number of requests of the whole workload.
    """

    storage: StorageOptions
    costs: Costs
    processes: int
    threads: int
    requests: int

    @property
    def clients(self) -> int:
        """Number of client threads of all processes."""
        return self.processes * self.storage.client_threads

    def effective_costs(self) -> Costs:
        """The costs, with values of the options in the place of fitted ones."""
        options = {name: getattr(self.storage, name) for name in ("disk_load", "write_back")}
        values = {name: getattr(self.costs, name) for name in self.costs.__dataclass_fields__}
        return Costs(**values | {name: value for name, value in options.items() if value is not None})
