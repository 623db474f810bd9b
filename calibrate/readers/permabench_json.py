"""PerMA-Bench's own result file: a list of benchmarks, each with the runs of its matrix.

    [{"bm_name": "random_reads", "bm_type": "single", "matrix_args": ["number_threads"], "benchmarks": [
        {"config": {"exec_mode": "random", ...}, "results": {"bandwidth": 2.4, "accessed_bytes": ..., ...}}, ...]}, ...]

Runs of custom operations have `results.latency` with percentiles in ns; those of parallel benchmarks hold one `config`
and `results` for each half, by its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from pmtwin.calibrate.measurements import Measurements
from pmtwin.calibrate.readers.document import Document, ReadOptions, counter, require
from pmtwin.calibrate.readers.permabench_runs import Run, measurements
from pmtwin.calibrate.readers.registry import register_document
from pmtwin.sim.errors import InputError


def _recognises(document: Document) -> bool:
    if not document.is_json or '"bm_name"' not in document.text:
        return False
    first = document.json[0] if isinstance(document.json, list) and document.json else document.json
    return isinstance(first, dict) and "bm_name" in first


@register_document("permabench-json", _recognises, 'JSON with "bm_name" and "benchmarks"')
def read(document: Document, options: ReadOptions) -> Measurements:
    """Usable runs of a result file.

    Raises:
        InputError: another structure, a missing or impossible value, an unknown name, bandwidths in another unit.
    """
    value = document.json if isinstance(document.json, list) else [document.json]
    runs = [run for index, entry in enumerate(value) for run in _runs(entry, f"{document.path}: [{index}]")]
    return measurements(runs, options, document.path)


def _runs(entry: object, where: str) -> Iterator[Run]:
    entry = require("benchmark", entry, ("bm_name", "benchmarks"), where)
    where = f"{where} {entry['bm_name']}"
    if not isinstance(entry["benchmarks"], list):
        raise InputError("benchmarks", type(entry["benchmarks"]).__name__, "a list of runs", where)
    for index, run in enumerate(entry["benchmarks"]):
        place = f"{where}[{index}]"
        run = require("run", run, ("config", "results"), place)
        config = require("config", run["config"], (), place)
        if entry.get("bm_type") == "parallel":
            results = run["results"] if isinstance(run["results"], dict) else {}
            for name, half in config.items():
                half = require("config", half, ("exec_mode",), place)
                part = _only(results.get(name))
                part = part if isinstance(part, dict) else {}
                yield Run(half, part, True, f"{place} {name}", read=counter, beside=place)
            continue
        results = require("results", _only(run["results"]), (), place)
        latency = results.get("latency")
        yield Run(config, results, False, place, latency if isinstance(latency, dict) else {}, read=counter)


def _only(results: object) -> object:
    """A list of one result is that result."""
    return results[0] if isinstance(results, list) and len(results) == 1 else results
