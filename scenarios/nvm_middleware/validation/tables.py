"""The tables of a validation: for a reader in few digits, for a program (CSV) in full, a column each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pmtwin.console.output import interval_text
from pmtwin.figures.drawing.numbers import MINUS, number
from pmtwin.figures.drawing.rendered import Table
from pmtwin.scenarios.nvm_middleware.host.contention import contention_seen
from pmtwin.sim.common.number_forms import percentage as percentage_in_ascii
from pmtwin.sim.host.file import host_names

SIDES = ("predicted", "measured")
ERRORS = {"throughput_ops": "throughput", "p99_us": "p99", "batch_ops": "throughput of the batch class"}
_HEADER = ("median error %", "worst %", "bias %")
_NAMES = ("median_percent", "worst_percent", "bias_percent")
_NOISE = {
    "seeds_percent": "the standard deviation between seeds",
    "windows_percent": "that between windows of a run",
    "repeat_percent": "how far one seed is from the others' mean",
}
_NOISE_HEADER = ("measured alone: seeds %", "windows %", "one seed from others %")


def tables(data: dict) -> list[Table]:
    """The comparison in tables, the shortest first."""
    return [
        *_transfers(data),
        _errors(data),
        _regions(data),
        _best(data),
        *_notes(data),
        *_drift(data),
        *_parameters(data),
        _comparisons(data),
    ]


def _table(name: str, title: str, header: Sequence[str], names: Sequence[str], rows: list, note: str = "") -> Table:
    """Cells are text, whole numbers, percentages (float) or {mean[, low, high, range]}; the CSV has no range."""
    first = rows[0] if rows else [None] * len(names)
    columns = [
        column
        for name, cell in zip(names, first, strict=True)
        for column in ([name] if not isinstance(cell, dict) else [name + _ENDS[key] for key in _ENDS if key in cell])
    ]
    full = [[value for cell in row for value in _values(cell)] for row in rows]
    return Table(name, title, tuple(header), [tuple(map(_shown, row)) for row in rows], note, data=(columns, full))


_ENDS = {"mean": "", "low": "_low", "high": "_high"}


def _values(cell: object) -> list:
    return [cell[key] for key in _ENDS if key in cell] if isinstance(cell, dict) else [cell]


def _shown(cell: Any):
    if isinstance(cell, dict):
        if cell["mean"] is None:
            return None
        interval = interval_text({"low": None, "high": None, **cell}, percentage, ", ", "[]")
        return f"{percentage(cell['mean'])} {interval}".rstrip()
    return percentage(cell) if isinstance(cell, float) else cell


def percentage(value: float) -> str:
    """`number_forms.percentage` with the minus sign of pages."""
    return percentage_in_ascii(value).replace("-", MINUS)


def _errors(data: dict) -> Table:
    rows = [
        (group, title, *(errors[name][key] for key in _NAMES), *(data["noise"][group][name][key] for key in _NOISE))
        for group, errors in data["errors"].items()
        for name, title in ERRORS.items()
    ]
    note = "Errors are predicted / measured - 1: a bias above zero means that the twin promises more than there is. "
    note += "Measured alone are medians over cases, in percent: " + "; ".join(_NOISE.values()) + "."
    header, names = (
        ("", "", *_HEADER, *_NOISE_HEADER),
        ("group", "measure", *_NAMES, *(f"noise_{key}" for key in _NOISE)),
    )
    return _table("validation-errors", "How far the twin is off", header, names, rows, note)


def _regions(data: dict) -> Table:
    both = {name: ERRORS[name] for name in ("throughput_ops", "p99_us")}
    rows = [
        (
            region["kind"],
            region["region"],
            region["errors"]["p99_us"]["entries"],
            *(region["errors"][name][key] for name in both for key in _NAMES),
        )
        for region in data["regions"]
    ]
    header = ("region", "", "cases", *(f"{what} {name}" for what in both.values() for name in _HEADER))
    names = ("kind", "region", "cases", *(f"{what}_{name}" for what in both.values() for name in _NAMES))
    return _table("validation-regions", "Errors by region", header, names, rows)


def _best(data: dict) -> Table:
    rows = [
        (_condition(choice), choice["measure"], *(_pools(choice[side]) for side in SIDES), choice["loss_percent"] + 0.0)
        for choice in data["best"]
    ]
    header = ("workload", "measure", "best by the twin", "best measured", "lost by the twin's choice %")
    names = ("workload", "measure", "predicted_pools", "measured_pools", "loss_percent")
    return _table("validation-best", "The best fixed pools", header, names, rows)


def _notes(data: dict) -> list[Table]:
    """Notes of the policies on their choices, if there are any."""
    names = ("policy", "side", "run", "note", "windows", "times", "kept_percent", "at_the_end")
    rows = [
        (*(note[name] for name in names[:-1]), "yes" if note["at_the_end"] else "no") for note in data.get("notes", ())
    ]
    header = (*names[:-2], "attainment in them %", "at the end")
    return [_table("validation-notes", "What policies note of their windows", header, names, rows)] if rows else []


def _drift(data: dict) -> list[Table]:
    """Speed of the machine over its speed when the host file was written, if there is one."""
    drift = data.get("configuration", {}).get("host_drift")
    if not drift:
        return []
    whole = {"mean": drift["ratio"], "low": drift["low"], "high": drift["high"]}
    rows = [
        ("all", whole),
        *((name, {"mean": ratio, "low": None, "high": None}) for name, ratio in drift["cells"].items()),
    ]
    note = (
        f"Above 1 the machine was slower than when the file was written; {drift['rounds']} rounds, {drift['interval']}."
    )
    title, header = "Time of a request now over that in the host file", ("experiment", "now / then")
    return [_table("validation-drift", title, header, ("experiment", "ratio"), rows, note)]


def _parameters(data: dict) -> list[Table]:
    """Measured parameters of the host, and parameters set by hand, if there are any; those of a shipped host have a
    page of their own (`pmtwin list parameters`)."""
    used = data.get("configuration", {})
    shipped = tuple(f"{name}: " for name in host_names())
    given = used.get("twin", {}).get("parameters", {})
    intervals = used.get("host_measurement", {}).get("parameters", used.get("host_intervals", {}))
    rows = []
    for parameter in used.get("parameters", ()):
        if (name := parameter["name"]) in given and not parameter["source"].startswith(shipped):
            ends = [intervals.get(name, {}).get(end) for end in ("low", "high")]
            seen = contention_seen(name, parameter["value"], ends[1])
            origin = ": ".join(filter(None, [parameter["origin"], seen]))
            rows.append((name, parameter["value"], *ends, origin, parameter["source"]))
    header = ("parameter", "value", "low", "high", "origin", "source")
    return [Table("validation-parameters", "Parameters that are not the twin's defaults", header, rows)] if rows else []


def _condition(entry: dict) -> str:
    """Name of a condition: a single phase differs from the same phase among changing ones."""
    return f"{entry['workload']}, changing" if entry["changing"] else entry["workload"]


def _pools(pools: list[int]) -> str:
    return f"{pools[0]},{pools[1]}"


def _transfers(data: dict) -> list[Table]:
    """Transfers of a policy, beside the best fixed pools if they were run."""
    whose = ("fixed", "policy", "policy_on_twin")
    rows = []
    for transfer in data.get("transfer", ()):
        shares = [_percent(transfer["attainment"][name]) for name in whose]
        medians = [{"mean": transfer["median_reward"][name]} for name in whose[:2]]
        ratio = None if transfer["ratio"] is None else _shown(transfer["ratio"])
        rows.append((transfer["workload"], _pools(transfer["pools"]), *shares, ratio, *medians, transfer["decided_by"]))
    header = (
        "",
        "best fixed pools",
        "attainment by them %",
        "by the policy %",
        "by it on the twin %",
        "policy / fixed",
        *("median reward, fixed", "policy", "decided by"),
    )
    names = (
        *("workload", "fixed_pools", *(f"attainment_percent_{name}" for name in whose), "policy_over_fixed"),
        *("median_reward_fixed", "median_reward_policy", "decided_by"),
    )
    note = "The fixed pools were chosen on the middleware from other seeds; intervals are over seeds."
    return (
        [_table("validation-transfer", "The policy and the best fixed pools", header, names, rows, note)]
        if rows
        else []
    )


def _percent(share: dict) -> dict:
    ends = share["range"] and [100 * value for value in share["range"]]
    return {name: None if share[name] is None else 100 * share[name] for name in _ENDS} | {"range": ends}


def _comparisons(data: dict) -> Table:
    """Means and the errors' intervals for a reader; the CSV has every interval."""
    measures = ("throughput_ops", "p99_us", "reward")
    shown, full = [], []
    for entry in data["comparisons"]:
        cells = [entry["policy"], _condition(entry)]
        short = list(cells)
        for name in measures:
            cells += [entry[name][side] for side in SIDES]
            short.append(" / ".join(number(entry[name][side]["mean"], 4) for side in SIDES))
            if "error_percent" in entry[name]:
                cells.append(entry[name]["error_percent"])
                short.append(_shown(entry[name]["error_percent"]))
        cells += [_percent(entry["attainment"][side]) for side in SIDES]
        short.append(" / ".join(f"{100 * entry['attainment'][side]['mean']:.0f}" for side in SIDES))
        full.append(cells)
        shown.append(tuple(short))
    both = "twin / measured"
    header = (
        *("policy", "workload", f"ops/s {both}", "error %", f"p99 us {both}", "error %"),
        *(f"reward {both}", f"attainment % {both}"),
    )
    names = ["policy", "workload"]
    for name in measures:
        names += [f"{name}_{side}" for side in SIDES]
        names += [f"{name}_error_percent"] if name != "reward" else []
    names += [f"attainment_percent_{side}" for side in SIDES]
    made = _table("validation", "Every comparison", header, names, full, data["interval"])
    return Table(made.name, made.title, made.header, shown, made.note, data=made.data)
