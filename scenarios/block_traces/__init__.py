"""Block traces, read a block of requests at a time, for every scenario that replays them.

from pmtwin.scenarios.block_traces import Trace

for block in Trace("requests.csv.gz").blocks():
    print(block.offset[:3], block.size[:3])
"""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "Footprint": "pmtwin.scenarios.block_traces.pages",
    "Requests": "pmtwin.scenarios.block_traces.requests",
    "Trace": "pmtwin.scenarios.block_traces.trace",
    "footprint": "pmtwin.scenarios.block_traces.pages",
    "pages_of": "pmtwin.scenarios.block_traces.pages",
}

APART, TOGETHER = "apart", "together"
"""Values of option `--volumes`: whether equal offsets on two volumes are different pages, or the same page."""

__all__ = ["APART", "TOGETHER", *_HOMES]
__getattr__, __dir__ = lazy_names("pmtwin.scenarios.block_traces", _HOMES)
