"""What is simulated: a whole storage system, its size and its costs."""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.options import StorageOptions


class System(NamedTuple):
    """The simulated system.

    Fields:
        storage: options of the system. costs: what its parts cost.
        processes: P. threads: k, service threads of a process. requests: of the whole workload.
    """

    storage: StorageOptions
    costs: Costs
    processes: int
    threads: int
    requests: int

    @property
    def clients(self) -> int:
        """Client threads of all processes."""
        return self.processes * self.storage.client_threads

    def effective_costs(self) -> Costs:
        """The costs, with the options' values in place of fitted ones."""
        given = {name: getattr(self.storage, name) for name in ("disk_load", "write_back")}
        values = {name: getattr(self.costs, name) for name in self.costs.__dataclass_fields__}
        return Costs(**values | {name: value for name, value in given.items() if value is not None})
