"""Register of the fittings, with a line for each effect of `pmtwin.sim.device.effects`."""

from __future__ import annotations

from pmtwin.calibrate.effects.directory import DirectoryFitting
from pmtwin.calibrate.effects.fences import FencesFitting
from pmtwin.calibrate.effects.fitting import Fitting
from pmtwin.calibrate.effects.media_queue import MediaQueueFitting
from pmtwin.calibrate.effects.mixes import MixesFitting
from pmtwin.calibrate.effects.remote import RemoteFitting
from pmtwin.calibrate.effects.strides import StridesFitting

FITTINGS: dict[str, Fitting] = {
    fitting.effect.name: fitting
    for fitting in (
        StridesFitting(),
        FencesFitting(),
        RemoteFitting(),
        MixesFitting(),
        MediaQueueFitting(),
        DirectoryFitting(),
    )
}
"""Fittings by the name of the effect, in the order of the fits: those of threads on both nodes need all others."""
