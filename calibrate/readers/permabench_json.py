"""PerMA-Bench's own result file: a list of benchmarks, each with the runs of its matrix.

    [{"bm_name": "random_reads", "bm_type": "single", "matrix_args": ["number_threads"], "benchmarks": [
        {"config": {"exec_mode": "random", ...}, "results": {"bandwidth": 2.4, "accessed_bytes": ..., ...}}, ...]}, ...]

Runs of custom operations have `results.latency` with percentiles in ns. A parallel benchmark has a `config` and
`results` for each half, by the half's name; the numbers of a half are in a list of one entry, or one level deeper:

    {"config": {"page_in": {"exec_mode": ...}, "page_out": {...}},
     "results": {"page_in": {"results": {"bandwidth": 10.2, ...}}, "page_out": {"results": {...}}}}
"""

from __future__ import annotations

import json

from pmtwin.calibrate.measurements import Measurements
from pmtwin.calibrate.readers.cleaning import COPY, Tally
from pmtwin.calibrate.readers.document import Document, ReadOptions, counter, require
from pmtwin.calibrate.readers.permabench_runs import Run, measurements
from pmtwin.calibrate.readers.registry import register_document
from pmtwin.sim.errors import InputError


def _recognises(document: Document) -> bool:
    if not document.is_json or '"bm_name"' not in document.text:
        return False
    return any(isinstance(entry, dict) and "bm_name" in entry for entry in _benchmarks(document))


def _benchmarks(document: Document) -> list[object]:
    """The entries of a result file, or of several that were appended to each other."""
    values = (value if isinstance(value, list) else [value] for value in document.json_values)
    return [entry for value in values for entry in value]


@register_document("permabench-json", _recognises, 'JSON with "bm_name" and "benchmarks"')
def read(document: Document, options: ReadOptions) -> Measurements:
    """Usable runs of a result file.

    Raises:
        InputError: no usable run, bandwidths in another unit, or two kinds of memory.
    """
    tally, runs, known = Tally(document.path), [], set()
    for index, entry in enumerate(_benchmarks(document)):
        where = f"{document.path}: [{index}]"
        with tally.row():
            entry = require("benchmark", entry, ("bm_name", "benchmarks"), where)
            where = f"{where} {entry['bm_name']}"
            if not isinstance(entry["benchmarks"], list):
                raise InputError("benchmarks", entry["benchmarks"], "a list of runs", where)
            for number, run in enumerate(entry["benchmarks"]):
                with tally.row():
                    halves = _runs(run, f"{where}[{number}]")
                    content = json.dumps(run, sort_keys=True)  # no two runs take the same time to the last digit
                    if content in known:
                        tally.drop(COPY, len(halves))
                    else:
                        runs += halves
                    known.add(content)
    return measurements(runs, options, tally)


def _runs(run: object, where: str) -> list[Run]:
    """A run, or the halves of a parallel one."""
    run = require("run", run, ("config", "results"), where)
    config = require("config", run["config"], (), where)
    if config and all(isinstance(half, dict) for half in config.values()):
        results = run["results"] if isinstance(run["results"], dict) else {}
        parts = {name: _innermost(results.get(name)) for name in config}
        numbers = {name: part if isinstance(part, dict) else {} for name, part in parts.items()}
        return [
            Run(half, numbers[name], True, f"{where} {name}", read=counter, beside=where)
            for name, half in config.items()
        ]
    results = require("results", _innermost(run["results"]), (), where)
    latency = results.get("latency")
    return [Run(config, results, False, where, latency if isinstance(latency, dict) else {}, read=counter)]


def _innermost(results: object) -> object:
    """The numbers of a run, which may be in a list of one entry, or below `results`."""
    while True:
        if isinstance(results, list) and len(results) == 1:
            results = results[0]
        elif isinstance(results, dict) and isinstance(results.get("results"), dict | list):
            results = results["results"]
        else:
            return results
