"""Tables I to IV and Figures 6 to 9: the published regressions, refits to simulated runs, the mechanistic form."""

from __future__ import annotations

import numpy as np
from scipy import stats

from pmtwin.calibrate.regression.fitting import FORMS, MECHANISTIC, REGRESSION, cross_validated, errors
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, ORANGE, PAGE_IN
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.two_tier.figures.designs import RUNS, design
from pmtwin.scenarios.two_tier.published_ranges import POINTS
from pmtwin.sim.regression.file import Regression, load_regression
from pmtwin.sim.regression.formula import Formula

FOLDS, RESAMPLES, MOST_DEGREES = 20, 1000, 2000
FIGURES = {"nvme-write": "Figure 6", "nvme-read": "Figure 7", "hdd-write": "Figure 8", "hdd-read": "Figure 9"}
COLOURS = {REGRESSION: ORANGE, MECHANISTIC: BLUE}
MEASURES = {"median_percent": "median error, %", "root_mean_square": "root mean square, s"}


def compute(work: Work) -> dict:
    """Name of a regression -> `runs` (column -> values), `predicted` by form, `compared` by measure."""
    campaign, result = work.setting.campaign, {}
    runs = {name: campaign.nvme_runs if name.startswith("nvme") else campaign.hdd_runs for name in RUNS}
    with work.progress(total=sum(runs.values()), desc="designs") as bar:
        for number, name in enumerate(RUNS):
            seed = np.random.SeedSequence(work.setting.seed, spawn_key=(2, number))
            columns = design(name, runs[name], seed, campaign.run_requests, bar.update)
            predicted = {
                form: cross_validated(form, formula_of(name, form), columns, FOLDS, work.setting.seed) for form in FORMS
            }
            result[name] = {
                "runs": {column: values.tolist() for column, values in columns.items()},
                "predicted": {form: values.tolist() for form, values in predicted.items()},
                "compared": compared(columns["time_s"], predicted, np.random.default_rng(seed)),
            }
    return result


def formula_of(name: str, form: str) -> Formula:
    """The published formula, or the mechanistic one of the same variables."""
    regression = load_regression(name)
    return Formula(regression.formula if form == REGRESSION else regression.mechanism)


def compared(times: np.ndarray, predicted: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, dict]:
    """Measure -> each form's error, and the mechanistic one's over the regression's with a 95 % interval over runs."""
    draws = rng.integers(times.size, size=(RESAMPLES, times.size))
    table = {}
    for measure in MEASURES:
        values = {form: errors(times, predicted[form])[measure] for form in FORMS}
        again = [
            errors(times[rows], predicted[MECHANISTIC][rows])[measure]
            / errors(times[rows], predicted[REGRESSION][rows])[measure]
            for rows in draws
        ]
        low, high = np.percentile(again, (2.5, 97.5)).tolist()
        table[measure] = values | {"ratio": values[MECHANISTIC] / values[REGRESSION], "low": low, "high": high}
    return table


def implied(regression: Regression) -> tuple[int, float]:
    """Runs that the printed p-values imply, and the deviation of residuals, in s, that the AIC then implies.

    The degrees of freedom at which Student's t of the printed t comes nearest to the printed p of all terms, as far as
    both are rounded, plus the terms themselves. AIC as R has it; the deviation is that of greatest likelihood.
    """
    aic, values = regression.aic, regression.terms.values()
    assert aic is not None  # a published table prints it
    printed = [(abs(term.t), term.p) for term in values if term.t is not None and not term.p_is_bound]
    t, p = np.array(printed).T
    degrees, terms = np.arange(5, MOST_DEGREES), len(regression.terms)
    off = np.log(2.0) + stats.t.logsf(t[:, None], degrees) - np.log(p)[:, None]
    rounded = np.where(p >= 1e-3, 1e-5 / p, 1e-2 / (p / 10.0 ** np.floor(np.log10(p))))
    rounded = np.hypot(rounded, 1e-3 * stats.norm.pdf(t) / stats.norm.sf(t))
    runs = int(degrees[np.sum((off / rounded[:, None]) ** 2, axis=0).argmin()]) + terms
    return runs, float(np.sqrt(np.exp((aic - 2.0 * (terms + 1)) / runs - 1.0) / (2.0 * np.pi)))


def render(results: dict) -> Rendered:
    """Drawings by figure of the paper, the comparison, and remarks on the published tables."""
    designs = results["regressions"]
    tables = [_comparison(designs), _published(), *(_data(name, each) for name, each in designs.items())]
    statements = [
        Statement(
            f"{FIGURES[name]}, {name}",
            "beside the regression the mechanistic form has the smaller error on runs that it did not see",
            f"median {each['median_percent']['ratio']:.2f} ({each['median_percent']['low']:.2f} to "
            f"{each['median_percent']['high']:.2f}) of the regression's",
            bool(each["median_percent"]["high"] < 1.0),
        )
        for name, each in ((name, values["compared"]) for name, values in designs.items())
    ]
    return Rendered([_drawing(name, each) for name, each in designs.items()], tables, statements)


def _comparison(designs: dict) -> Table:
    rows = []
    for name, each in designs.items():
        below = [int((np.array(each["predicted"][form]) <= 0.0).sum()) for form in FORMS]
        for measure, title in MEASURES.items():
            values = each["compared"][measure]
            cells = [float(f"{values[key]:.3g}") for key in (*FORMS, "ratio", "low", "high")]
            rows.append((name, len(each["runs"]["time_s"]), title, *cells, *below))
    header = (
        "design", "runs", "error", "regression", "mechanistic", "ratio", "low", "high", "regression not above 0",
        "mechanistic not above 0",
    )  # fmt: skip
    note = (
        f"Simulated runs, predicted in {FOLDS} folds by fits that did not see them. Ratio: mechanistic to regression, "
        "with a 95 % interval by resampling of runs. Other users change the time of a run by 10 % (NVMe) and 30 % "
        "(disks), which no variable tells."
    )
    return Table("regression-forms", "Two forms on runs that they did not see", header, rows, note)


def _published() -> Table:
    rows = []
    for name in FIGURES:
        regression, points = load_regression(name), POINTS[name]()
        negative, (runs, deviation) = int((regression.values(points) <= 0.0).sum()), implied(regression)
        place = regression.source.split(" of ")[0]
        size = next(iter(points.values())).size
        rows.append((name, place, regression.runs, runs, regression.aic, round(deviation), size, negative))
    header = (
        "regression",
        "table",
        "runs by the text",
        "runs by its p",
        "AIC",
        "residual deviation, s",
        "points",
        "not above 0",
    )
    note = (
        "Runs by p: the degrees of freedom at which the printed t gives the printed p; the deviation follows from the "
        "AIC. Points: a grid over the published ranges; at those not above 0 a prediction is refused."
    )
    return Table("published-regressions", "Tables I to IV", header, rows, note)


def _data(name: str, each: dict) -> Table:
    columns = each["runs"] | {f"predicted_{form}_s": values for form, values in each["predicted"].items()}
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return Table(f"runs-{name}", f"Simulated runs, {name}", tuple(columns), rows, shown=False)


def _drawing(name: str, each: dict) -> Drawing:
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    times = np.array(each["runs"]["time_s"])
    ends = 0.5 * times.min(), 2.0 * times.max()
    figure, panels = plt.subplots(1, 2, figsize=(PAGE_IN, 2.9), sharey=True)
    for axes, form in zip(panels, FORMS, strict=True):
        values = np.array(each["predicted"][form])
        inside = values > ends[0]
        axes.plot(ends, ends, color="0.6", linewidth=0.8)
        axes.plot(times[inside], np.minimum(values[inside], ends[1]), ".", color=COLOURS[form], alpha=0.5, markersize=4)
        low = np.full((~inside).sum(), 1.15 * ends[0])
        axes.plot(times[~inside], low, "v", color=COLOURS[form], markersize=4)
        median = each["compared"]["median_percent"][form]
        axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel="simulated (s)")
        axes.set_title(f"{form}\nmedian error {median:.0f} %, {int((values <= 0.0).sum())} not above 0")
        axes.xaxis.set_major_locator(LogLocator(numticks=6))
    panels[0].set_ylabel("predicted (s)")
    caption = (
        f"{FIGURES[name]} of the paper gives no numbers; this is ours: {times.size} simulated runs, predicted by fits "
        "that did not see them. Triangles at the lower edge: predictions below the frame, many of them negative."
    )
    return Drawing(f"fit-{name}", figure, caption, f"Predicted against simulated time of {name}, in both forms.")
