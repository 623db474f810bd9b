"""Parameters of the middleware's twin, each with its unit, its plausible range and the source of its value.

They describe the host, the software path, the key-value operation and the offered load; the device's parameters are in
its profile. `measured` values come from a measurement that the source names, `published` ones from the thesis,
`inferred` ones from a fit to measured operations, `assumed` ones from the reasoning that the source states.
"""

from __future__ import annotations

from pmtwin.sim.parameters.access import ACCESS
from pmtwin.sim.parameters.host import HOST
from pmtwin.sim.parameters.large_store import LARGE_STORE
from pmtwin.sim.parameters.load import LOAD
from pmtwin.sim.parameters.parameter import Parameter
from pmtwin.sim.parameters.store import STORE

__all__ = ["PARAMETERS", "Parameter"]

PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter for parameter in (*HOST, *STORE, *LARGE_STORE, *ACCESS, *LOAD)
}
"""Name -> parameter: host, store, access to the memory, offered load."""
