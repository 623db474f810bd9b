"""Share of the kept-aside configurations inside their interval, each judged without its own fold."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pmtwin.calibrate.calibration import OperationCalibration
from pmtwin.calibrate.validation import Unseen
from pmtwin.sim.numerics.statistics import wilson_interval

TARGET_PERCENT = (85.0, 97.0)
"""Shares inside a 90 % interval that the report accepts."""


Judged = tuple[OperationCalibration, Unseen]
"""An operation, and its errors on configurations kept aside."""


def draw_coverage(
    judged: Mapping[str, Judged], figure: Figure, colours: Mapping[str, str], dimms_assumed: bool = False
) -> None:
    """A mark with the 90 % interval of its share for each operation, pattern and number of DIMMs."""
    assumed = " (assumed)" if dimms_assumed else ""
    axes, lowest = figure.subplots(), 80.0
    labels: list[str] = []
    for name, (each, errors) in judged.items():
        unseen = each.configurations.take(errors.index)
        covered = np.abs(errors.full) <= each.half_widths["configurations"]
        for pattern, dimms in sorted(set(zip(unseen.pattern.tolist(), unseen.dimms.tolist(), strict=True))):
            region = (unseen.pattern == pattern) & (unseen.dimms == dimms)
            share = 100.0 * covered[region].mean()
            low, high = (100.0 * end for end in wilson_interval(int(covered[region].sum()), int(region.sum())))
            place = len(labels)
            axes.plot([place, place], [low, high], color=colours[name], lw=5, alpha=0.35, solid_capstyle="butt")
            axes.plot(place, share, "o", color=colours[name], ms=7)
            labels.append(f"{pattern}\n{dimms:g} DIMM{'s' if dimms > 1 else ''}{assumed}\nof {region.sum()}")
            lowest = min(lowest, low)
    axes.axhspan(*TARGET_PERCENT, color="0.92", zorder=0)
    axes.axhline(90, color="0.4", lw=0.8, zorder=0)
    axes.set_xticks(range(len(labels)), labels, fontsize=7)
    axes.set(ylabel="inside the 90 % interval (%)", ylim=(np.floor(lowest / 10.0) * 10.0, 101))
    handles = [Patch(color=colours[name], label=name) for name in judged]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
