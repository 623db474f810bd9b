"""Simulated saturation bandwidth on the curves of the law."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, GREEN, ORANGE, PAGE_IN, PINK, SKY

MIB_PER_GIB = 1024.0
COLOURS = (BLUE, ORANGE, GREEN, PINK, SKY)
WHAT = ("reads", "writes", "mix")
SAME_PERCENT = 1.0
"""Finite runs of several sizes scatter by some tenths of a percent."""


def render(results: dict) -> Rendered:
    """Figures and tables from the values of the experiment `saturation`."""
    data = results["saturation"]
    errors = {what: _errors_percent(data["cases"], what) for what in WHAT}
    largest = max(np.abs(each).max() for each in errors.values())
    computed, holds = f"largest difference {number(largest, 2)} %", bool(largest <= SAME_PERCENT)
    statement = Statement("the device law", "simulated saturation bandwidth equals the law's", computed, holds)
    return Rendered([_drawing(data)], [_summary(data, errors), _table(data)], [statement])


def _errors_percent(cases: list[dict], what: str) -> np.ndarray:
    """Simulated over predicted bandwidth less 1, of each direction of each case."""
    pairs = [
        (simulated, law)
        for case in cases
        if case["what"] == what
        for simulated, law in zip(case["simulated_mib_s"], case["law_mib_s"], strict=True)
        if law > 0.0
    ]
    simulated, law = np.array(pairs).T
    return 100.0 * (simulated / law - 1.0)


def _drawing(data: dict) -> Drawing:
    figure, panels = plt.subplots(1, 2, figsize=(PAGE_IN, 2.35))
    for axes, what in zip(panels, WHAT, strict=False):
        chosen = [case for case in data["cases"] if case["what"] == what]
        for sizes, colour in zip(dict.fromkeys(tuple(case["sizes"]) for case in chosen), COLOURS, strict=True):
            curve = [case for case in chosen if tuple(case["sizes"]) == sizes]
            threads = [case["readers"] + case["writers"] for case in curve]
            law, simulated = (
                [sum(case[name]) / MIB_PER_GIB for case in curve] for name in ("law_mib_s", "simulated_mib_s")
            )
            axes.plot(threads, law, color=colour)
            axes.plot(threads, simulated, "o", color=colour, markeredgecolor="white", label=_label(sizes))
        axes.set(xlabel=f"threads ({what})", ylim=(0, None))
    panels[0].set_ylabel("bandwidth (GiB/s)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), handletextpad=0.5)
    caption = (
        "Closed loops that only the device limits: random payloads by threads that do nothing else, over 6 interleaved "
        "DIMMs. Lines: what the law predicts; points: what the twin delivers. Of several sizes, equally likely, the "
        "law says what each takes; the line is their mean over the time."
    )
    return Drawing("saturation", figure, caption, "Simulated bandwidth by threads, on the lines of the law.")


def _label(sizes: tuple[int, ...]) -> str:
    return f"{sizes[0]:,} B" if len(sizes) == 1 else "several sizes"


def _summary(data: dict, errors: dict[str, np.ndarray]) -> Table:
    rows = [(what, len(each), np.median(np.abs(each)), np.abs(each).max()) for what, each in errors.items()]
    header = ("closed loop", "bandwidths", "median difference (%)", "largest (%)")
    note = (
        f"{data['requests']:,} requests each; of each case {data['compared']:,} on both engines, equal to the last bit."
    )
    return Table("saturation-differences", "Simulated saturation bandwidth and the law's", header, rows, note)


def _table(data: dict) -> Table:
    names = ("law_mib_s", "simulated_mib_s")
    rows = [
        (case["what"], " ".join(map(str, case["sizes"])), case["readers"], case["writers"],
         *(value for name in names for value in case[name]))
        for case in data["cases"]
    ]  # fmt: skip
    header = (
        *("what", "sizes_bytes", "read_threads", "write_threads", "law_read_mib_s", "law_write_mib_s"),
        *("simulated_read_mib_s", "simulated_write_mib_s"),
    )
    return Table("saturation", "All closed loops", header, rows, shown=False)
