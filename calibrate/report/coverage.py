"""How many kept-aside configurations lie inside their interval, each judged without its own fold."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pmtwin.calibrate.calibration import OperationCalibration

QUANTILE_90 = 1.6449
TARGET_PERCENT = (85.0, 97.0)


def share_interval(inside: int, of: int) -> tuple[float, float]:
    """90 % interval of a share (Wilson, JASA 1927): `inside` of `of`, both ends within 0 and 1."""
    share, spread = inside / of, QUANTILE_90**2 / of
    middle = (share + spread / 2.0) / (1.0 + spread)
    half = np.sqrt(spread * (share * (1.0 - share) + spread / 4.0)) / (1.0 + spread)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def draw_coverage(judged: Mapping[str, OperationCalibration], figure: Figure, colours: Mapping[str, str]) -> None:
    """One mark for each operation, pattern and number of DIMMs."""
    axes, labels, lowest = figure.subplots(), [], 80.0
    for name, each in judged.items():
        of = each.configurations.take(each.unseen_configurations.index)
        covered = np.abs(each.unseen_configurations.full) <= each.half_widths["configurations"]
        for pattern, dimms in sorted(set(zip(of.pattern.tolist(), of.dimms.tolist(), strict=True))):
            here = (of.pattern == pattern) & (of.dimms == dimms)
            share = 100.0 * covered[here].mean()
            low, high = (100.0 * end for end in share_interval(int(covered[here].sum()), int(here.sum())))
            place = len(labels)
            axes.plot([place, place], [low, high], color=colours[name], lw=5, alpha=0.35, solid_capstyle="butt")
            axes.plot(place, share, "o", color=colours[name], ms=7)
            labels.append(f"{pattern}\n{dimms:g} DIMM{'s' if dimms > 1 else ''}\nof {here.sum()}")
            lowest = min(lowest, low)
    axes.axhspan(*TARGET_PERCENT, color="0.92", zorder=0)
    axes.axhline(90, color="0.4", lw=0.8, zorder=0)
    axes.set_xticks(range(len(labels)), labels, fontsize=7)
    axes.set(ylabel="inside the 90 % interval (%)", ylim=(np.floor(lowest / 10.0) * 10.0, 101))
    handles = [Patch(color=colours[name], label=name) for name in judged]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
