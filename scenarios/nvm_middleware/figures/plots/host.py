"""The inferred host: prior beside posterior, correlations, and its predictions beside each published number used."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from pmtwin.calibrate.inference.priors import CHOICE, Prior
from pmtwin.calibrate.inference.statements import SIGN, VALUE, Between
from pmtwin.figures.drawing.numbers import number, percent
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, GREY, PAGE_IN, VERMILION
from pmtwin.scenarios.nvm_middleware.inference.evidence import evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes


COLUMNS = 4
BINS = 16

MISSED = 0.05
"""Posterior probability below which a statement counts as missed, as in `pmtwin.calibrate.inference.posterior`."""


def render_posterior(results: dict) -> Rendered:
    """Figure of the posterior, from the values of the step `host`."""
    data = results["host"]
    rows = [row for row in data["inference"]["parameters"] if not row["nuisance"]]
    return Rendered([_marginals(data, rows), _correlations(data)], [_parameter_table(data)], [_identified(data)])


def render_predictive(results: dict) -> Rendered:
    """Figure of the predictive check, from the values of the step `host`."""
    statements = results["host"]["inference"]["statements"]
    return Rendered([_predictive(statements)], [_statement_table(statements)], [_missed(results["host"]["inference"])])


def _prior(row: dict) -> Prior:
    return Prior(row["name"], row["low"], row["high"], row["distribution"])


def _marginals(data: dict, rows: list[dict]) -> Drawing:
    lines = math.ceil(len(rows) / COLUMNS)
    figure, axes = plt.subplots(lines, COLUMNS, figsize=(PAGE_IN, 1.4 * lines), squeeze=False)
    values = np.array(data["draws"]["values"])
    for place, row in zip(axes.flat, rows, strict=False):
        column = values[:, data["draws"]["names"].index(row["name"])]
        prior = _prior(row)
        shares = np.clip(prior.share(column), 0.0, 1.0)
        bins, ticks = _scale(prior)
        place.hist(shares, bins=bins, density=True, color=BLUE)
        place.axhline(1.0, color=GREY, linewidth=1.0, linestyle="--")
        place.axvline(float(prior.share(data["representative"][row["name"]])), color=VERMILION, linewidth=1.2)
        place.set_xticks(ticks, [number(float(prior.value(share))) for share in ticks], fontsize=6)
        place.set_yticks([])
        place.set_title(row["name"], fontsize=6)
        place.set_xlabel(row["unit"], fontsize=6)
        place.set(xlim=(0, 1))
    for place in axes.flat[len(rows) :]:
        place.set_visible(False)
    return Drawing(
        "host-posterior",
        figure,
        "Each inferred parameter over its prior range: bars are the posterior, the dashed line is the prior, the red "
        "line the representative draw. Each axis has the scale of its prior, so that the prior is flat.",
        "Histograms of the posterior of each parameter, beside its flat prior.",
    )


def _scale(prior: Prior) -> tuple[np.ndarray, np.ndarray]:
    """(edges of the bars, ticks) as shares of a prior; a choice has one of each for every number."""
    if prior.distribution == CHOICE:
        numbers = np.arange(prior.low, prior.high + 1)
        return np.linspace(0, 1, len(numbers) + 1), prior.share(numbers)
    return np.linspace(0, 1, BINS + 1), np.array([0.0, 0.5, 1.0])


def _correlations(data: dict) -> Drawing:
    names, values = data["draws"]["names"], np.array(data["draws"]["values"])
    ranks = np.argsort(np.argsort(values, axis=0), axis=0).astype(float)
    matrix = np.atleast_2d(np.corrcoef(ranks.T))
    figure, axes = plt.subplots(figsize=(PAGE_IN, 0.78 * PAGE_IN))
    image = axes.pcolormesh(matrix, cmap="RdBu_r", vmin=-1, vmax=1, edgecolors="white", linewidth=0.6)
    for (i, j), value in np.ndenumerate(matrix):
        if i != j and abs(value) >= 0.25:
            axes.text(j + 0.5, i + 0.5, f"{value:.1f}", ha="center", va="center", fontsize=5)
    ticks = np.arange(len(names)) + 0.5
    axes.set_xticks(ticks, names, rotation=90, fontsize=6)
    axes.set_yticks(ticks, names, fontsize=6)
    axes.invert_yaxis()
    axes.grid(False)
    figure.colorbar(image, ax=axes, label="rank correlation")
    return Drawing(
        "host-correlations",
        figure,
        "Rank correlations of the inferred parameters over the joint draws; those from 0.25 on are printed.",
        "Matrix of correlations between the inferred parameters.",
    )


def _parameter_table(data: dict) -> Table:
    rows = [
        (
            row["name"],
            row["unit"],
            data["representative"].get(row["name"]),
            *(row[kind][k] for kind in ("posterior", "prior") for k in (0, 2, -1)),
            row["shrinkage"],
            row["identified"],
        )
        for row in data["inference"]["parameters"]
    ]
    header = ("parameter", "unit", "representative", "5 %", "median", "95 %", "prior 5 %", "prior median", "prior 95 %")
    note = "shrinkage: 1 less width of the posterior's 90 % interval over the prior's; identified from 0.5 on"
    return Table("host-posterior", "Prior and posterior", (*header, "shrinkage", "identified"), rows, note)


def _identified(data: dict) -> Statement:
    rows = data["inference"]["parameters"]
    names = [row["name"] for row in rows if row["identified"]]
    return Statement(
        "inference of the host",
        "the published tables identify the host and the load",
        f"{len(names)} of {len(rows)} parameters are identified: {', '.join(names) or 'none'}",
        holds=len(names) == len(rows),
    )


def _span(statement) -> tuple[float, float] | None:
    """Stated range of one quantity: (low, high)."""
    if hasattr(statement, "value"):
        return statement.value, statement.value
    if hasattr(statement, "low"):
        return statement.low, statement.high
    return None


def _predictive(rows: list[dict]) -> Drawing:
    """Values and bounds, each relative to its own scale; rankings by the probability of each neighbouring pair."""
    by_name = {row["name"]: row for row in rows}
    shares, values, orders = _groups(by_name)
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(PAGE_IN, 0.155 * max(len(shares), len(values), len(orders)) + 0.9), width_ratios=(1, 1.1, 1)
    )
    _bars(left, shares, "share of windows, of combinations", (0, 1))
    _bars(middle, values, "simulated / published", None)
    _order_panel(right, orders)
    return Drawing(
        "host-predictive",
        figure,
        "Posterior predictions (blue: 5 to 95 %, mark: median) beside published values (grey band or line), of "
        "every published number that was used; red names are missed: the posterior meets them with a probability below "
        f"{percent(MISSED)}. Left: shares of windows that meet both goals (signs of Tables D.4, D.6, E.3), and of "
        "combinations (section 4.2). Middle: values relative to the published one; bounds of section 4.2 as they are. "
        "Right: median rewards of fixed pools in the published order, best first.",
        "Posterior predictive intervals beside every published number that the inference used.",
    )


def _groups(by_name: dict[str, dict]) -> tuple[list, list, list]:
    """(label, missed, published (low, high), quantiles) of shares and values; (row, statement) of orders."""
    shares, values, orders = [], [], []
    for statement in evidence():
        row = by_name.get(statement.name)
        if row is None or statement.use not in (VALUE, SIGN) or not row.get("quantities"):
            continue
        span = _span(statement)
        if span is None:
            orders.append((statement, row))
            continue
        quantiles = np.array(next(iter(row["quantities"].values())))
        label = statement.name.replace("Table ", "").replace(": both goals", "").replace("section ", "")
        if hasattr(statement, "value"):
            values.append((label, row["missed"], (1.0, 1.0), quantiles / statement.value))
        elif statement.scale == "logit":
            shares.append((label, row["missed"], span, quantiles))
        elif statement.scale == "signed-log" and isinstance(statement, Between):
            values.append((label, row["missed"], (0.0, 1.0), quantiles / statement.high))
        else:
            values.append((label, row["missed"], span, quantiles))
    return shares, values, orders


def _bars(axes: Axes, entries: list, title: str, limits: tuple[float, float] | None) -> None:
    limits = limits or (0.25, 4.0)
    for y, (_, missed, (low, high), quantiles) in enumerate(entries):
        low, high = max(low, limits[0]), min(high, limits[1])
        if high > low:
            axes.barh(y, high - low, left=low, height=0.8, color="#dddddd")
        else:
            axes.plot([low, low], [y - 0.4, y + 0.4], color=GREY, linewidth=2.0)
        shown = np.clip(quantiles, *limits)
        axes.plot(shown[[0, -1]], [y, y], color=VERMILION if missed else BLUE, linewidth=1.4)
        axes.plot(shown[2], y, "|", color=VERMILION if missed else BLUE, markersize=6)
    axes.set_yticks(range(len(entries)), [entry[0] for entry in entries], fontsize=4.6)
    for tick, entry in zip(axes.get_yticklabels(), entries, strict=True):
        tick.set_color(VERMILION if entry[1] else "black")
    if limits[0] > 0:
        axes.set_xscale("log")
        axes.set_xticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"], fontsize=6)
        axes.minorticks_off()
    axes.tick_params(axis="x", labelsize=6)
    axes.set(xlim=limits)
    axes.set_title(title, fontsize=6.5)
    axes.invert_yaxis()


def _order_panel(axes: Axes, orders: list) -> None:
    y, labels, colours = 0.0, [], []
    for statement, row in orders:
        for name, quantiles in row["quantities"].items():
            shown = np.array(quantiles)
            axes.plot(shown[[0, -1]], [y, y], color=BLUE, linewidth=1.4)
            axes.plot(shown[2], y, "|", color=BLUE, markersize=6)
            labels.append(f"{statement.source.replace('Table ', '')}: {name.rsplit('/', 1)[0]}")
            colours.append(VERMILION if row["missed"] else "black")
            y += 1
        y += 0.6
        labels.append("")
        colours.append("black")
    places = _places([len(row["quantities"]) for _, row in orders])
    axes.set_yticks(places, [label for label in labels if label], fontsize=4.6)
    for tick, colour in zip(
        axes.get_yticklabels(), [c for c, label in zip(colours, labels, strict=True) if label], strict=True
    ):
        tick.set_color(colour)
    axes.set_xscale("symlog", linthresh=10.0)
    axes.tick_params(axis="x", labelsize=5)
    axes.set_xticks([-1e4, -100.0, 0.0, 10.0], ["-10k", "-100", "0", "10"])
    axes.minorticks_off()
    axes.set_title("median reward", fontsize=6.5)
    axes.invert_yaxis()


def _places(counts: list[int]) -> list[float]:
    places, y = [], 0.0
    for count in counts:
        places += [y + k for k in range(count)]
        y += count + 0.6
    return places


def _statement_table(rows: list[dict]) -> Table:
    """All statements, including checks and unused ones."""
    table_rows = []
    for row in rows:
        quantities = row.get("quantities") or {}
        only = next(iter(quantities.values())) if len(quantities) == 1 else (None,) * 5
        table_rows.append(
            (
                row["name"],
                row["text"],
                row["use"],
                row["reason"],
                only[0],
                only[2],
                only[-1],
                row.get("probability"),
                row.get("pair_probability"),
                row.get("missed"),
            )
        )
    header = ("statement", "published", "use", "reason", "5 %", "median", "95 %", "probability", "pairs", "missed")
    note = "probability: posterior probability that it is met as written; pairs: that of two in an order"
    return Table("host-predictive", "Published statements and the posterior", header, table_rows, note)


def _missed(inference: dict) -> Statement:
    used = [row for row in inference["statements"] if row["use"] in (VALUE, SIGN) and row.get("quantities")]
    missed = [row["name"] for row in used if row["missed"]]
    most, count = inference["most_statements_met_at_once"]
    text = f"{len(used) - len(missed)} of {len(used)} are met with a probability of at least {percent(MISSED)}; "
    text += f"one draw meets at most {most} of {count}"
    return Statement(
        "inference of the host",
        "the posterior meets every published number that was used",
        text + (f"; missed: {'; '.join(missed)}" if missed else ""),
        holds=not missed,
    )
