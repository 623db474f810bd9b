"""Strides, fences, the remote node, reads among writes: fitted on top of a law that is known already."""

from pmtwin.calibrate.effects.build import fit_effects, left_open
from pmtwin.calibrate.effects.profile import Evidence, read_evidence, with_effects

__all__ = ["Evidence", "fit_effects", "left_open", "read_evidence", "with_effects"]
