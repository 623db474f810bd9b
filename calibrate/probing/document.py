"""The result of a probe: Google Benchmark's JSON, with the probe's own record in `context.probe`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pmtwin.calibrate.probing.journal import Journal
from pmtwin.calibrate.probing.repetitions import LARGEST_NOISE_PERCENT
from pmtwin.calibrate.probing.state import Plan, State
from pmtwin.sim.files.json_file import read_json

SCHEMA_VERSION = 1
"""Version of `context.probe`; `context.json_schema_version` is Google Benchmark's own."""


def document(journal: Journal, context: dict, plan: Plan, state: State, seconds: float, interrupted: bool) -> dict:
    """The whole result.

    Args:
        context: description of the machine and device.
        seconds: time of the probe, including the runs before an interruption.
        interrupted: whether the probe was interrupted and can continue later.
    """
    visits: dict[str, list[list[dict]]] = {}
    for entry in journal.entries:
        if "benchmarks" in entry:
            visits.setdefault(json.dumps(entry["case"]), []).append(entry["benchmarks"])
    benchmarks = [benchmark for repeated in visits.values() for benchmark in _numbered(repeated)]
    probe_record = {
        "schema_version": SCHEMA_VERSION,
        "probe_id": journal.probe_id,
        "asked": journal.header["asked"],
        "interrupted": interrupted,
        "ended_by": "interrupt" if interrupted else state.ended,
        "seconds": round(seconds, 1),
        "cases": state.cases,
        "visits": state.visits,
        "measurements": len(benchmarks),
        "configurations": state.configurations,
        "error_percent": state.error_percent,
        "noise_percent": state.noise_percent,
        "history": state.history,
        "refused": state.refused,
    }
    context = context | {"probe": probe_record}
    if (journal.header["asked"].get("dimms") or context.get("dimms")) is not None:
        context["dimms"] = plan.dimms  # without it, calibrate notes that the number is assumed
    context["warnings"] = [*context.get("warnings", ()), *warnings_of(state)]
    return {"context": context, "benchmarks": benchmarks}


def _numbered(visits: list[list[dict]]) -> list[dict]:
    """The repetitions of a case as one series, each with the number of its visit."""
    repetitions = [(visit, entry) for visit, entries in enumerate(visits) for entry in entries]
    named = []
    for index, (visit, entry) in enumerate(repetitions):
        names = {key: _REPEATS.sub("", entry[key]) for key in ("name", "run_name") if key in entry}
        counts = {"repetition_index": index, "repetitions": len(repetitions), "visit": visit}
        named.append(entry | names | counts)
    return named


_REPEATS = re.compile(r"/repeats:\d+")
"""Part of a name in which Google Benchmark states the repetitions requested in a visit; visits can differ in it."""


def warnings_of(state: State) -> list[str]:
    """Warnings about the machine that follow from the measurements."""
    noise = state.noise_percent
    if not noise or noise[0] <= LARGEST_NOISE_PERCENT:
        return []
    return [
        f"noisy: repetitions of one case are {noise[0]:.1f} % off in the median, {noise[2]:.1f} % in one of ten: stop "
        "other work, fix the clock frequency (governor performance), probe again; or give --time more"
    ]


def own_probe_id(path: Path) -> str | None:
    """Probe id in a file; None if the file is not a readable result of a probe."""
    try:
        return read_json(path, "--output")["context"]["probe"]["probe_id"]
    except (ValueError, KeyError, TypeError):
        return None


def to_text(value: dict) -> str:
    """JSON text with an indented context and one line for each repetition, whose histogram has hundreds of numbers."""
    lines = ",\n".join(json.dumps(entry, allow_nan=False) for entry in value["benchmarks"])
    context = json.dumps(value["context"], indent=1, allow_nan=False)
    return f'{{\n"context": {context},\n"benchmarks": [\n{lines}\n]\n}}\n'
