"""Changes of an offered load from window to window: parts that a workload is composed of.

`RateVariation` is random; `Burst`, `Ramp` and `Drift` are shapes; `Replay` follows a trace. `LoadChanges` runs all
parts of a workload.
"""

from pmtwin.sim.load.changes import LoadChanges
from pmtwin.sim.load.part import NO_CHANGE, Factors, LoadPart
from pmtwin.sim.load.replay import Replay
from pmtwin.sim.load.shapes import Burst, Drift, Ramp
from pmtwin.sim.load.variation import RateVariation

__all__ = ["NO_CHANGE", "Burst", "Drift", "Factors", "LoadChanges", "LoadPart", "Ramp", "RateVariation", "Replay"]
