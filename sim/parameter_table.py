"""Parameters of the middleware's twin, each with its unit, its plausible range and the source of its value.

The device's own parameters live in its profile. What is here is the host, the software path, the key-value operation
and the offered load: `measured` values come from a measurement that the source names, `published` ones from the thesis,
`inferred` ones from publications, `assumed` ones have no source.
"""

from __future__ import annotations

from pmtwin.sim.access_parameters import ACCESS
from pmtwin.sim.host_parameters import HOST
from pmtwin.sim.large_store_parameters import LARGE_STORE
from pmtwin.sim.load_parameters import LOAD
from pmtwin.sim.parameter import Parameter
from pmtwin.sim.store_parameters import STORE

__all__ = ["PARAMETERS", "Parameter"]

PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter for parameter in (*HOST, *STORE, *LARGE_STORE, *ACCESS, *LOAD)
}
"""Name to parameter, in the order of a request's way through the system; then the load that is offered."""
