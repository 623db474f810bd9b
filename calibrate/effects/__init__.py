"""Fits of the effects (strides, fences, the remote node, its directory, mixes of reads and writes), for a given law."""

from pmtwin.calibrate.effects.build import fit_effects, left_open
from pmtwin.calibrate.effects.profile import Evidence, read_evidence, tells, with_effects

__all__ = ["Evidence", "fit_effects", "left_open", "read_evidence", "tells", "with_effects"]
