"""Table 1: times of a program by the share of remote accesses, beside the published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pmtwin.figures.drawing.numbers import number, percent
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, PAGE_IN
from pmtwin.scenarios.numa_threads.figures.experiments.far_threads import THREADS
from pmtwin.scenarios.numa_threads.published import TABLE_1

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = sorted(TABLE_1)
MOST_ERROR_PERCENT = 3.0
"""Mean error of the ratios that is aimed at."""


def render(results: dict) -> Rendered:
    """Ratios to the program without remote accesses, and the times themselves."""
    import matplotlib.pyplot as plt

    seeds, samples = times(results["far-threads"]["runs"])
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE_IN, 2.6))
    published = np.array([TABLE_1[each] for each in SHARES])
    _panel(left, published / published[0], seeds / seeds[:, :1], samples / samples[:, :1])
    left.set_ylabel("time over that at 0 %")
    _panel(right, published, seeds, samples)
    right.set(yscale="log", ylabel="time (s)", yticks=[100, 200, 400, 800])
    right.yaxis.set_major_formatter(lambda value, _: number(value))
    right.minorticks_off()
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    caption = (
        f"Table 1: {THREADS} threads, 20,000 writes of 400 kB each. Remote threads have a logical core each on the "
        "other node, the others share 36 near the data; between whole numbers of threads times are interpolated. "
        f"{_band(len(samples))} No number of the paper sets a parameter."
    )
    errors = errors_percent(seeds.mean(axis=0))
    alt = f"The ratios differ from the published ones by {errors.mean():.1f} % on average."
    drawing = Drawing("numa-table-1", figure, caption, alt)
    return Rendered([drawing], [_table(seeds, samples)], _statements(seeds, samples))


def times(runs: list[dict]) -> tuple[np.ndarray, np.ndarray]:
    """Times at the published shares, of seeds with the profile and of sampled systems; shape (runs, shares) each."""
    groups: dict[tuple[bool, int], dict[int, float]] = {}
    for run in runs:
        key = (False, run["seed"]) if run["sample"] is None else (True, run["sample"])
        groups.setdefault(key, {})[run["far"]] = run["real_s"]
    wanted = [THREADS * share / 100.0 for share in SHARES]
    rows = {key: np.interp(wanted, sorted(each), [each[far] for far in sorted(each)]) for key, each in groups.items()}
    seeds, samples = (
        np.array([row for (sampled, _), row in rows.items() if sampled == which]).reshape(-1, len(wanted))
        for which in (False, True)
    )
    return seeds, samples


def errors_percent(real_s: np.ndarray) -> np.ndarray:
    """Errors of the ratios to the program without remote accesses, of the other four shares."""
    published = np.array([TABLE_1[each] for each in SHARES])
    return 100.0 * np.abs((real_s / real_s[0]) / (published / published[0]) - 1.0)[1:]


def _panel(axes: Axes, published: np.ndarray, seeds: np.ndarray, samples: np.ndarray) -> None:
    if len(samples):
        axes.fill_between(SHARES, *_ends(samples), color=BLUE, alpha=0.2, linewidth=0, label="here, 90 % of systems")
    axes.plot(SHARES, seeds.mean(axis=0), "o-", color=BLUE, label="here")
    axes.plot(SHARES, published, "D", color="black", markerfacecolor="white", label="published")
    axes.set_xticks(SHARES)
    axes.set_xlabel("remote accesses (%)")


def _ends(samples: np.ndarray) -> np.ndarray:
    return np.percentile(samples, (5.0, 95.0), axis=0)


def _band(samples: int) -> str:
    return f"Band: 5th to 95th percentile of {samples} sampled systems." if samples else "The device is the profile's."


def _table(seeds: np.ndarray, samples: np.ndarray) -> Table:
    ends = _ends(samples) if len(samples) else np.stack([seeds.min(axis=0), seeds.max(axis=0)])
    mean, errors = seeds.mean(axis=0), [0.0, *errors_percent(seeds.mean(axis=0))]
    rows = [
        (
            share, TABLE_1[share], round(mean[place], 2), *(round(float(end[place]), 2) for end in ends),
            round(TABLE_1[share] / TABLE_1[0], 4), round(mean[place] / mean[0], 4), round(errors[place], 2),
        )
        for place, share in enumerate(SHARES)
    ]  # fmt: skip
    header = (
        "remote (%)", "published (s)", "here (s)", "5 %", "95 %", "published ratio", "ratio here", "error (%)",
    )  # fmt: skip
    return Table("numa-table-1", "Table 1: times by the share of remote accesses", header, rows, _band(len(samples)))


def _statements(seeds: np.ndarray, samples: np.ndarray) -> list[Statement]:
    errors, alike = errors_percent(seeds.mean(axis=0)), errors_percent(np.ones(len(SHARES)))
    kept = np.array([errors_percent(row).mean() <= MOST_ERROR_PERCENT for row in samples])
    shares = f"; at most {MOST_ERROR_PERCENT:g} % in {percent(kept.mean())} of the systems" if len(kept) else ""
    ratios = Statement(
        "Table 1",
        f"ratios of the times, mean error at most {MOST_ERROR_PERCENT:g} % (all equal: {alike.mean():.1f} %)",
        f"{errors.mean():.1f} %{shares}",
        bool(errors.mean() <= MOST_ERROR_PERCENT),
        used=False,
    )
    near_s = seeds[:, 0]
    low, high = _ends(samples)[:, 0] if len(samples) else (near_s.min(), near_s.max())
    inside = Statement(
        "Table 1",
        f"{TABLE_1[0]} s without remote accesses",
        f"{number(near_s.mean())} s [{number(low)}, {number(high)}]",
        bool(low <= TABLE_1[0] <= high),
        number(near_s.mean() - TABLE_1[0]),
        used=False,
    )
    return [ratios, inside]
