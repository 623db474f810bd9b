"""The middleware beside the twin: what was measured over what was predicted."""

from __future__ import annotations

from figures.rendered import Drawing, Rendered, Table
from figures.style import BLUE, GREEN, GREY, ORANGE, PAGE_IN, PINK, SKY, VERMILION, number

COLOURS = (BLUE, ORANGE, GREEN, PINK, VERMILION, SKY)
MARKERS = "osD^vP"

SHOWN = {
    "throughput_ops": ("throughput", "thousand operations/s", "throughput"),
    "p99_us": ("p99 of interactive requests", "us", "p99"),
}
"""Measure -> title, unit, and the beginning of its fields among the tolerances."""

SCALES = {"throughput_ops": 1e-3, "p99_us": 1.0}


def render(results: dict) -> Rendered:
    """From the values of `pmtwin validate`; within `figures.style.styled`."""
    data = results["validation"]
    drawing = Drawing(
        "validation",
        _draw(data),
        "Measured over predicted, one point for each policy in each workload; bars are 95 % intervals of the "
        "error over seeds, the band is what passes in the worst case.",
        "Two panels, throughput and tail latency: the ratio of measured to predicted values over the predicted value.",
    )
    return Rendered([drawing], tables(data))


def tables(data: dict) -> list[Table]:
    """The comparison in tables, the shortest first."""
    return [*_transfers(data), _errors(data), _regions(data), _best(data), *_parameters(data), _comparisons(data)]


def _draw(data: dict):
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

    figure, panels = plt.subplots(1, 2, figsize=(PAGE_IN, 2.9))
    workloads = list(dict.fromkeys(entry["workload"] for entry in data["comparisons"]))
    for panel, (name, (title, unit, field)) in zip(panels, SHOWN.items(), strict=True):
        worst = data["verdict"]["tolerances"].get(f"{field}_worst")
        if worst is not None:
            panel.axhspan(1 / (1 + worst / 100), 1 / (1 - worst / 100), color=GREY, alpha=0.12, linewidth=0)
        panel.axhline(1.0, color=GREY, linewidth=0.8)
        for k, workload in enumerate(workloads):
            points = [_point(entry[name]) for entry in data["comparisons"] if entry["workload"] == workload]
            points = [point for point in points if point is not None]
            if not points:
                continue
            x, y, below, above = zip(*points, strict=True)
            x = [SCALES[name] * value for value in x]
            style = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
            panel.errorbar(
                x, y, (below, above), linestyle="none", markersize=3, elinewidth=0.6, label=workload, **style
            )
        panel.set(title=title, xlabel=f"predicted ({unit})", ylabel="measured / predicted")
    panels[1].set_xscale("log")  # tails range over orders of magnitude
    panels[1].xaxis.set(
        major_locator=LogLocator(subs=(1, 2, 5)), major_formatter=ScalarFormatter(), minor_formatter=NullFormatter()
    )
    panels[0].legend()
    return figure


def _point(both: dict) -> tuple[float, float, float, float] | None:
    """(predicted, measured / predicted, its distance to the ends of its interval); None without requests."""
    predicted, error = both["predicted"]["mean"], both["error_percent"]
    if not (predicted > 0 and both["measured"]["mean"] > 0):
        return None
    ratio = 1.0 / (1.0 + error["mean"] / 100)
    if error["low"] is None:
        return predicted, ratio, 0.0, 0.0
    ends = [1.0 / max(1.0 + error[end] / 100, 1e-3) for end in ("high", "low")]
    return predicted, ratio, max(ratio - ends[0], 0.0), max(ends[1] - ratio, 0.0)


def _three(errors: dict, name: str) -> tuple[float, float, float]:
    return tuple(errors[name][key] for key in ("median_percent", "worst_percent", "bias_percent"))


_HEADER = ("median error %", "worst %", "bias %")


def _errors(data: dict) -> Table:
    titles = {name: title for name, (title, *_) in SHOWN.items()} | {"batch_ops": "throughput of the batch class"}
    rows = [
        (group, title, *_three(errors, name))
        for group, errors in data["errors"].items()
        for name, title in titles.items()
    ]
    note = "Errors are predicted / measured - 1: a bias above zero means that the twin promises more than there is."
    return Table("validation-errors", "How far the twin is off", ("", "", *_HEADER), rows, note)


def _regions(data: dict) -> Table:
    rows = [
        (
            one["kind"],
            one["region"],
            one["errors"]["p99_us"]["entries"],
            *_three(one["errors"], "throughput_ops"),
            *_three(one["errors"], "p99_us"),
        )
        for one in data["regions"]
    ]
    header = ("region", "", "cases", *(f"{what} {name}" for what in ("throughput", "p99") for name in _HEADER))
    return Table("validation-regions", "Errors by region", header, rows)


def _best(data: dict) -> Table:
    rows = [
        (_where(one), one["measure"], _pools(one["predicted"]), _pools(one["measured"]), one["loss_percent"])
        for one in data["best"]
    ]
    header = ("workload", "measure", "best, says the twin", "best measured", "lost by the twin's choice %")
    return Table("validation-best", "The best fixed pools", header, rows)


def _parameters(data: dict) -> list[Table]:
    """What was given for the host, or by hand, if anything was."""
    used = data.get("configuration", {})
    given = used.get("twin", {}).get("parameters", {})
    rows = [tuple(one.values()) for one in used.get("parameters", ()) if one["name"] in given]
    header = ("parameter", "value", "origin", "source")
    return [Table("validation-parameters", "Parameters that are not the twin's defaults", header, rows)] if rows else []


def _where(one: dict) -> str:
    """A phase by itself, and the same one while phases take turns, are two things."""
    return f"{one['workload']}, changing" if one["changing"] else one["workload"]


def _pools(pools: list[int]) -> str:
    return f"{pools[0]},{pools[1]}"


def _transfers(data: dict) -> list[Table]:
    """Of a policy that is held against the best fixed pools, if one is."""
    rows = []
    for one in data.get("transfer", ()):
        shares = [_percent(one["attainment"][name]) for name in ("fixed", "policy", "policy_on_twin")]
        ratio = None if one["ratio"] is None else _interval(one["ratio"])
        medians = [one["median_reward"][name] for name in ("fixed", "policy")]
        rows.append((one["workload"], _pools(one["pools"]), *shares, ratio, *medians, one["decided_by"]))
    header = ("", "best fixed pools", "SLA kept by them %", "by the policy %", "by it on the twin %", "policy / fixed")
    header += ("median reward, fixed", "policy", "decided by")
    note = "The fixed pools were chosen on the middleware from other seeds; intervals are over seeds."
    return [Table("validation-transfer", "The policy and the best fixed pools", header, rows, note)] if rows else []


def _percent(share: dict) -> str:
    return _interval({name: None if value is None else 100 * value for name, value in share.items()})


def _comparisons(data: dict) -> Table:
    rows = []
    for entry in data["comparisons"]:
        cells = [entry["policy"], _where(entry)]
        for name in ("throughput_ops", "p99_us", "reward"):
            cells += [_interval(entry[name][side]) for side in ("predicted", "measured")]
            if "error_percent" in entry[name]:
                cells.append(entry[name]["error_percent"]["mean"])
        cells += [100 * entry["sla_attainment"][side]["mean"] for side in ("predicted", "measured")]
        rows.append(cells)
    header = ("policy", "workload", "throughput twin", "measured", "error %", "p99 twin (us)", "measured", "error %")
    header += ("reward twin", "measured", "SLA kept twin %", "measured %")
    return Table("validation", "Every comparison", header, rows, data["interval"])


def _interval(value: dict) -> str:
    mean, low, high = (None if value[key] is None else number(value[key], 4) for key in ("mean", "low", "high"))
    return mean if low is None else f"{mean} [{low}, {high}]"
