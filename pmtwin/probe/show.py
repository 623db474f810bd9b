"""Output of `pmtwin probe`, as a table or as JSON: a result, a plan, or a comparison of two results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmtwin.console.output import counted, print_json, print_table, used_rows

if TYPE_CHECKING:
    from pmtwin.calibrate.probing.state import Plan

PLANNED = {
    "most_threads": "threads, at most",
    "bandwidth_cases": "cases of bandwidth",
    "latency_cases": "cases of latency",
    "mix_cases": "cases of reads among writes",
    "effect_cases": "cases of strides, fences and the remote node",
    "seconds_of_all": "seconds of all cases, about",
    "limit_s": "seconds, at most",
}
"""Key of a plan -> its name in the table."""


def show_result(result: dict, taken: dict, output: str, as_json: bool) -> None:
    """Print the summary of a probe, and which of its rows calibrate will use (`taken`, from `pmtwin.probe.usable`)."""
    from pmtwin.calibrate.readers.region import region_note

    probe = result["context"]["probe"]
    if as_json:
        print_json({"output": output, **probe, "warnings": result["context"]["warnings"], "calibrate": taken})
        return
    rows = [(name, str(probe[name])) for name in ("cases", "visits", "measurements")]
    rows.append(("seconds", f"{probe['seconds']:.1f}"))
    if not probe["error_percent"]:
        rows.append(("error of the model", f"not estimated: {_lacking(probe['configurations'])}"))
    for name, label in (("error_percent", "error of the model"), ("noise_percent", "noise of repetitions")):
        if probe[name]:
            rows.append(
                (label, " / ".join(f"{value:.2f}" for value in probe[name]) + " % (median / mean / 90th percentile)")
            )
    if probe["refused"]:
        rows.append(("refused", f"{counted(len(probe['refused']), 'case')}, the first: {probe['refused'][0]['error']}"))
    if note := region_note(result["context"]):
        rows.append(("region", note))
    if taken["kept"]:
        rows.append(("kept", taken["kept"]))
    rows.append(("usable by calibrate", _used_and_dropped(taken)))
    rows += [("dropped", f"{count:,}: {reason}") for reason, count in taken["dropped_rows"].items()]
    further = taken["accept_disturbed"]
    if further["usable_rows"] > taken["usable_rows"]:
        rows.append(("with --accept-disturbed", _used_and_dropped(further)))
    for name, count in taken["too_few_configurations"].items():
        rows.append((f"{name} is not fitted", f"{counted(count, 'configuration')}, {taken['needed']} are needed"))
    print_table([*rows, ("result", output)])


def _used_and_dropped(taken: dict) -> str:
    """Numbers of the rows by use; they add up to the number of measurements."""
    return f"{used_rows(taken['usable_rows'], taken['other_rows'])}; {sum(taken['dropped_rows'].values()):,} dropped"


def _lacking(configurations: dict[str, int]) -> str:
    """Reason for a missing model error: operations with too few configurations, or no fit since they had enough."""
    from pmtwin.calibrate.probing.model_error import JUDGED_FROM

    few = [f"{count} of {name}" for name, count in configurations.items() if count < JUDGED_FROM]
    return f"{', '.join(few) or 'no fit yet'}; it takes {JUDGED_FROM} usable configurations of each operation"


def show_plan(plan: Plan, limit_s: float | None, as_json: bool) -> None:
    """Print the plan of a probe; `limit_s`: seconds that it may take."""
    from pmtwin.calibrate.probing.effect_cases import effect_cases
    from pmtwin.calibrate.probing.plan import bandwidth_cases, latency_cases, mix_cases

    pure = bandwidth_cases(plan.operations, plan.most_threads)
    counts = {
        "preset": plan.preset.name,
        "operations": ", ".join(plan.operations),
        "most_threads": plan.most_threads,
        "bandwidth_cases": len(pure),
        "latency_cases": len(latency_cases(plan.operations)),
        "mix_cases": len(mix_cases(plan.operations, plan.most_threads, plan.preset)),
        "effect_cases": len(
            effect_cases(plan.operations, plan.most_threads, plan.remote_threads, plan.preset, plan.seed)
        ),
        "seconds_of_all": round(1.2 * len(pure) * plan.preset.most_repetitions * plan.preset.min_time_s),
        "limit_s": limit_s,
    }
    if as_json:
        print_json(counts)
        return
    rows = [(PLANNED.get(name, name), str(value)) for name, value in counts.items() if value is not None]
    print_table(rows)


def show_comparison(paths: Sequence[str], comparison: dict, as_json: bool) -> None:
    """Print the differences between two probes."""
    if as_json:
        print_json(comparison)
        return
    rows = [("all", *comparison["difference_percent"])] + [
        (name, *values) for name, values in comparison["by_operation"].items()
    ]
    if comparison["effects"]:
        rows.append(("strides, fences, remote node", *comparison["effects"]["difference_percent"]))
    rows += [
        (f"noise of {path}", *noise) for path, noise in zip(paths, comparison["noise_percent"], strict=True) if noise
    ]
    print(
        f"{comparison['cases']} cases in common; the second is {comparison['shift_percent']:+.2f} % off in the median"
    )
    print_table(rows, ("difference in %", "median", "mean", "90th percentile"))
    latencies = [tuple(row.values()) for row in comparison["latencies"]]
    if latencies:
        print_table(latencies, ("latency of", "pattern", "size B", "first ns", "second ns", "difference %"))
