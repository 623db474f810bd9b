"""Parameters of the middleware's twin, each with its unit, its plausible range and the source of its value.

The device's own parameters live in its profile. What is here is the host, the software path, the key-value operation
and the offered load: `measured` values come from a measurement that the source names, `published` ones from the thesis,
`inferred` ones from publications, `assumed` ones have no source.
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
"""Name to parameter, in the order of a request's way through the system; then the load that is offered."""
