"""Figures of the assumptions that decide, when all of them vary together."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, GREY, ORANGE, PAGE_IN, policy_label
from pmtwin.scenarios.nvm_middleware.figures.experiments.screening import BATCH_GAIN, P99_GAIN
from pmtwin.scenarios.nvm_middleware.figures.plots.evaluation import BASELINE, kind_of
from pmtwin.sim.numerics.morris import Effects, effects

TRAINED = "q-learning"
SHOWN = 14
"""Parameters in the drawing; the table has all."""

DECIDES = 2.0
"""Standard errors by which an effect must differ from zero to count."""

LEAD = "lead of the trained policy over fixed 15,15"
PANELS = (
    (LEAD, "lead over 15,15", "points of attainment"),
    (P99_GAIN, "section 4.2: p99", "points gained"),
    (BATCH_GAIN, "section 4.2: throughput", "points gained"),
)
"""(output, title, unit); the lead is that of the trained policy."""


def render(data: dict) -> Rendered:
    """Elementary effects of every inferred or assumed parameter, and how often the findings hold over all of them."""
    screening = data["screening"]
    outputs, morris = _outputs(screening), {}
    points = np.array(screening["points"])
    for name, values in outputs.items():
        morris[name] = effects(points, values[..., None])
    names = [each["name"] for each in screening["parameters"]]
    order = np.argsort(-_importance(morris), kind="stable")
    drawing = _drawing(names, order, morris, screening, points.shape[0])
    return Rendered([drawing], [_table(screening, order, morris)], _statements(outputs, screening, names, morris))


def influence(screening: dict) -> dict[str, str]:
    """Parameter -> how much it moves the lead of the trained policy, in words."""
    points = np.array(screening["points"])
    morris = effects(points, _outputs(screening)[LEAD][..., None])
    return {
        each["name"]: f"{morris.mean_absolute[k, 0]:.1f} \u00b1 {morris.standard_error[k, 0]:.1f}"
        for k, each in enumerate(screening["parameters"])
    }


def deciding(screening: dict) -> list[str]:
    """The parameters whose effect on the trained policy's lead differs from zero, the largest first."""
    names = [each["name"] for each in screening["parameters"]]
    return _deciding(names, effects(np.array(screening["points"]), _outputs(screening)[LEAD][..., None]))


def _deciding(names: list[str], morris: Effects) -> list[str]:
    size, error = morris.mean_absolute[:, 0], morris.standard_error[:, 0]
    return [names[k] for k in np.argsort(-size, kind="stable") if size[k] > DECIDES * error[k] and size[k] > 0.0]


def _outputs(screening: dict) -> dict[str, np.ndarray]:
    """Name -> shape (r, k + 1)."""
    values = {name: np.array(each) for name, each in screening["outputs"].items()}
    specs = {kind_of(spec): spec for spec in screening["policies"]}
    lead = values[f"attainment: {specs[TRAINED]}"] - values[f"attainment: {specs[BASELINE]}"]
    return {LEAD: lead, P99_GAIN: values[P99_GAIN], BATCH_GAIN: values[BATCH_GAIN]}


def _importance(influences: dict[str, Effects]) -> np.ndarray:
    """Largest share of an output's strongest effect, by parameter."""
    sizes = np.stack([each.mean_absolute[:, 0] for each in influences.values()])
    return (sizes / np.maximum(sizes.max(axis=1, keepdims=True), 1e-12)).max(axis=0)


def _drawing(names: list[str], order: np.ndarray, influences: dict, screening: dict, count: int) -> Drawing:
    import matplotlib.pyplot as plt

    shown = order[:SHOWN]
    inferred = [screening["parameters"][k]["inferred"] for k in shown]
    figure, panels = plt.subplots(1, len(PANELS), figsize=(PAGE_IN, 0.24 * len(shown) + 1.1), sharey=True)
    rows = np.arange(len(shown))
    for axes, (output, title, unit) in zip(panels, PANELS, strict=True):
        each = influences[output]
        size, error = each.mean_absolute[shown, 0], each.standard_error[shown, 0]
        colours = [BLUE if known else ORANGE for known in inferred]
        axes.barh(rows, size, color=colours, height=0.62)
        axes.errorbar(size, rows, xerr=error, fmt="none", ecolor=GREY, elinewidth=0.9, capsize=2)
        axes.plot(np.abs(each.mean[shown, 0]), rows, "|", color="black", markersize=7)
        axes.set(xlabel=unit, title=title)
        axes.set_xlim(left=0)
        axes.grid(axis="y", visible=False)
    panels[0].set_yticks(rows, [names[k] for k in shown])
    panels[0].invert_yaxis()
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in (ORANGE, BLUE)]
    labels = ["assumed: over its plausible range", "inferred: over its posterior"]
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return Drawing(
        "sensitivity",
        figure,
        f"How much each parameter matters while all others vary too: mean absolute elementary effect of {count} "
        "trajectories (Morris), per width of the parameter's range; whiskers are its standard error, the black mark is "
        "the size of the mean effect with its sign, which is shorter where the effect changes sign. The "
        f"{len(shown)} strongest of {len(names)} parameters; the table has all.",
        "Bars of how much each parameter moves three results.",
    )


def _table(screening: dict, order: np.ndarray, influences: dict[str, Effects]) -> Table:
    rows = []
    for k in order:
        each = screening["parameters"][k]
        sizes = [(m.mean_absolute[k, 0], m.standard_error[k, 0], m.mean[k, 0]) for m in influences.values()]
        origin = "inferred" if each["inferred"] else "assumed"
        rows.append((each["name"], origin, each["low"], each["high"], *(value for size in sizes for value in size)))
    columns = [f"{output}: {what}" for output in influences for what in ("effect", "standard error", "with sign")]
    note = "Effects are per width of the range from low to high; those with sign can cancel."
    return Table("sensitivity", "Elementary effects", ("parameter", "origin", "low", "high", *columns), rows, note)


def _statements(outputs: dict, screening: dict, names: list[str], influences: dict[str, Effects]) -> list[Statement]:
    lead, p99, batch = (outputs[name].ravel() for name, *_ in PANELS)
    first = ", ".join(_deciding(names, influences[LEAD])[:5]) or "none"
    share = float(np.mean(lead > 0.0))
    return [
        Statement(
            "assumptions of the twin",
            f"{policy_label(TRAINED)} meets the service level more often than {policy_label(BASELINE)}, whatever is "
            "assumed",
            f"at {100 * share:.0f} % of {lead.size} points at which all {len(names)} parameters vary together; median "
            f"lead {np.median(lead):.0f} points, 5 % to 95 %: {_span(lead)}. What moves it most: {first}",
            holds=bool(share == 1.0),
        ),
        Statement(
            "section 4.2, assumptions of the twin",
            "the gains of section 4.2 (up to 98 % in p99, up to 86 % in batch throughput), whatever is assumed",
            f"5 % to 95 % over the same points: p99 {_span(p99)} %, batch throughput {_span(batch)} %",
        ),
    ]


def _span(values: np.ndarray) -> str:
    low, high = np.percentile(values, [5, 95])
    return f"{low:.0f} to {high:.0f}"
