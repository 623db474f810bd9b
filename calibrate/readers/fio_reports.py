"""The reports of fio in a text, one for each run of the program, also where files were appended, wrapped or cut off.

Each report is used, or its entries are counted as dropped. With `--status-interval` a run prints its report again and
again, each time for all that it did so far: only then does a report replace the one before it. Of a report that is cut
off or damaged, the whole entries are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeGuard

from pmtwin.calibrate.readers.cleaning import COPY, Tally
from pmtwin.calibrate.readers.document import Document
from pmtwin.sim.errors import InputError

LISTS = ("jobs", "client_stats")
"""Names of the list of entries, in reports of fio and of `fio --client`."""

EARLIER = "an earlier state of the same run (--status-interval)"
BROKEN = "the entry is cut off or damaged (no JSON)"

LEAST_GROWTH_MS = 100.0
"""Least growth between two reports of one run, which are an interval apart; two runs of the same length differ by a few
ms."""

START_TOLERANCE_S = 2.0
"""Most seconds between the starts that two reports of one run tell."""

_BEGIN = re.compile(r'\{\s*"fio version"')
_GLOBAL, _ENTRY = re.compile(r'(?P<key>"global options"\s*:\s*)'), re.compile(r'(?P<key>)\{\s*"jobname"')
_NO_NUMBER = re.compile(r":\s*[+-]?(?:nan|inf)\b")
"""The mean of nothing, as fio 2 prints it; it is no JSON."""


def reports_of(document: Document, tally: Tally) -> list[dict]:
    """The reports of distinct runs, in the order of the file.

    Raises:
        InputError: text in JSON that is neither whole nor the beginning of a report.
    """
    kept: list[dict] = []
    contents: list[dict] = []
    for report in _all_reports(document, tally):
        content = _content(report)
        if content in contents:
            tally.drop(COPY, len(_entries(report)))
        elif kept and _grows(kept[-1], report):
            tally.drop(EARLIER, len(_entries(kept[-1])))
            kept[-1], contents[-1] = report, content
        else:
            kept.append(report)
            contents.append(content)
    return kept


def is_report(value: object) -> TypeGuard[dict]:
    """Whether a value of JSON is a report of fio."""
    return isinstance(value, dict) and "fio version" in value and any(name in value for name in LISTS)


def _all_reports(document: Document, tally: Tally) -> Iterator[dict]:
    try:
        values = document.json_values
    except InputError:
        values = [*_salvaged(document.text, tally)]
        if not values:
            raise
    for value in values:
        yield from _within(value)


def _within(value: object) -> Iterator[dict]:
    """The reports in a value: the value itself, or those in the lists and objects that a script put around them."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if is_report(value):
            yield value
        elif isinstance(value, dict | list):
            waiting += reversed(list(value.values() if isinstance(value, dict) else value))


def _salvaged(text: str, tally: Tally) -> list[dict]:
    """The whole reports in a text that is not JSON throughout, and the whole entries of broken reports."""
    text, decoder, reports, end = _NO_NUMBER.sub(": null", text), json.JSONDecoder(), [], 0
    begins = [match.start() for match in _BEGIN.finditer(text)]
    for begin, limit in zip(begins, [*begins[1:], len(text)], strict=True):
        if begin < end:
            continue
        try:
            report, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            report, end = _whole_entries(decoder, text[begin:limit], tally), limit
        reports.append(report)
    if text[end:].lstrip().startswith("{"):  # a report of which not even the first line is whole
        tally.drop(BROKEN)
    return [report for report in reports if _entries(report)]


def _whole_entries(decoder: json.JSONDecoder, text: str, tally: Tally) -> dict:
    """A broken report with its whole entries. Broken entries are counted; at least one, also where all are whole."""
    report: dict = {"fio version": "", "jobs": []}
    broken = 0
    for match in (match for pattern in (_GLOBAL, _ENTRY) for match in pattern.finditer(text)):
        try:
            value, _ = decoder.raw_decode(text, match.end("key"))
        except (ValueError, RecursionError):
            broken += 1
            continue
        if match.re is _GLOBAL:
            report["global options"] = value
        else:
            report["jobs"].append(value)
    tally.drop(BROKEN, max(broken, 1))
    return report


def _entries(report: dict) -> list:
    entries = next((report[name] for name in LISTS if name in report), None)
    return entries if isinstance(entries, list) else [entries]


def _content(report: dict) -> dict:
    """A report without its clock times."""
    return {name: value for name, value in report.items() if not name.startswith("time")}


def _grows(first: dict, second: dict) -> bool:
    """Whether the second report is a later state of the run of the first."""
    before, after = _entries(first), _entries(second)
    if first.get("global options") != second.get("global options") or len(before) != len(after):
        return False
    pairs = list(zip(before, after, strict=True))
    if not all(isinstance(job, dict) for pair in pairs for job in pair):
        return False
    if not all(old.get(name) == new.get(name) for old, new in pairs for name in ("jobname", "groupid", "job options")):
        return False
    if _number(before[0], "eta") > 0.0:  # fio still expected to run; the end of a ramp sets its clock and counters back
        return True
    start, later_start = _start(first, before), _start(second, after)
    if start is not None and later_start is not None:
        if abs(later_start - start) > START_TOLERANCE_S:
            return False
        if _number(after[0], "elapsed") > _number(before[0], "elapsed") > 0.0:
            return True
    grown = [(_length(new) - _length(old), _accesses(new) - _accesses(old)) for old, new in pairs]
    never_less = all(longer >= 0.0 and more >= 0.0 for longer, more in grown)
    return never_less and any(longer >= LEAST_GROWTH_MS and more > 0.0 for longer, more in grown)


def _start(report: dict, jobs: list[dict]) -> float | None:
    """Time in seconds at which fio began; None where the report does not tell."""
    begin = _number(report, "timestamp") - _number(jobs[0], "elapsed")
    return begin if "timestamp" in report and "elapsed" in jobs[0] else None


def _length(job: dict) -> float:
    return max(_number(side, "runtime") for side in _sides(job))


def _accesses(job: dict) -> float:
    return sum(_number(side, "total_ios") for side in _sides(job))


def _sides(job: dict) -> list[dict]:
    return [job[name] for name in ("read", "write", "mixed") if isinstance(job.get(name), dict)] or [{}]


def _number(values: dict, name: str) -> float:
    value = values.get(name, 0)
    return float(value) if isinstance(value, int | float) and abs(value) < 2.0**63 else 0.0
