"""The text that Intel's Memory Latency Checker (MLC, 3.x) prints: idle latencies, latency under load, peak bandwidths.

All runs of a file are read, whatever text is around them; every line with numbers is used, or counted with a reason.
MLC uses all threads and does not state their number, so that its bandwidths are peaks and no points of a sweep. They
are of all sockets together, except in the matrix between nodes. A profile describes the first node of the matrix, or
the node that the options name.
"""

from __future__ import annotations

import re

from pmtwin.calibrate.context import Context, Latency, LoadedLatency, Peak
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cells import mib_s_of, ns_of
from pmtwin.calibrate.readers.cleaning import COPY
from pmtwin.calibrate.readers.document import Document, ReadOptions
from pmtwin.calibrate.readers.mlc_header import COMMAND, FIRST_NODE, Setting, buffer_fault, caches_mib
from pmtwin.calibrate.readers.mlc_lines import Cell, cells_of, plain_line, values_in, without_prefix
from pmtwin.calibrate.readers.mlc_runs import (
    Idle,
    Runs,
    Section,
    copied_runs,
    largest_buffers,
    of_one_node,
    warn_of_unlike,
)
from pmtwin.calibrate.readers.registry import register_document
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MOST_DIMMS
from pmtwin.sim.errors import InputError

TITLE = re.compile(r"Intel\s*(?:\(R\)|\N{REGISTERED SIGN})?\s+Memory\s+Latency\s+Checker", re.IGNORECASE)
IDLE, LOADED, RATIOS, MATRIX, CACHES, OTHER = "idle", "loaded", "ratios", "matrix", "caches", "other"
SECTIONS = (
    (re.compile(r"Measuring\s+idle\s+latencies"), IDLE),
    (re.compile(r"Measuring\s+Loaded\s+Latencies"), LOADED),
    (re.compile(r"Measuring\s+(Peak|Maximum)(\s+Injection)?\s+Memory\s+Bandwidths"), RATIOS),
    (re.compile(r"Measuring\s+Memory\s+Bandwidths\s+between\s+nodes"), MATRIX),
    (re.compile(r"Measuring\s+cache"), CACHES),
    (re.compile(r"Measuring\s+"), OTHER),
)
"""Headings of the sections, in any 3.x."""

NOT_MEASURED = "a dash: MLC could not measure it"
OTHER_NODE = "another node than the first, or the remote one"
MIXED_LOAD = "latency under a load of reads and writes: not covered by this law"
OF_CACHES = "latency from cache to cache: not of memory"
OF_OTHERS = "a section of MLC that is not of memory"
UNREAD = "a line with numbers in no form of MLC's (cut off?)"
NO_HEADING = "a row of MLC's without the heading that says what it is"
UNIT = "in a unit that is not known"
TRAFFIC_UNKNOWN = "traffic of an unknown kind (option -W)"
RANDOM_PEAK = "bandwidth of random accesses (-r): no peak, and the number of threads is not stated"
ONE_THREAD = "bandwidth of one thread (-k, -m): no peak"
NOTHING = "a section of latencies or bandwidths with values (truncated?)"

MODULES = f"MLC does not state the number of modules: its peaks may be those of {MOST_DIMMS} (--dimms N)"
READS_ASSUMED = "MLC's text does not state the traffic of a bandwidth matrix: reads alone, its default"
SOME_CORES = "MLC's peaks are of some cores (-k, -m), of which all may reach more"
ORDER = "idle latencies of MLC are of sequential accesses (its default without -r), the prefetchers off"
TAKEN = f"{ORDER}: taken for random ones too"
OF_SEQUENTIAL = f"{ORDER}: those of random ones are not measured"

ONE_IDLE = re.compile(r"Each iteration took[^(]*\(\s*(\S+)\s*([a-z]+)\s*\)")
_RATIO = re.compile(r"^\W*(?:(ALL\s+Reads)|(\d+):(\d+)\s+Reads-Writes|(Stream-triad\s+like))\s*:?(.*)", re.IGNORECASE)
_NODE = re.compile(r"^\s*(?:(?:numa\s+)?node|socket)\s*(?=\d)", re.IGNORECASE)


def _recognises(document: Document) -> bool:
    return bool(TITLE.search(document.text))


@register_document("mlc", _recognises, 'text with "Intel(R) Memory Latency Checker"', beside_others=True)
def read(document: Document, options: ReadOptions) -> Measurements:
    """Latencies and peak bandwidths of all runs in the text.

    Raises:
        InputError: no section with values.
    """
    raw = re.sub(r"\r+\n", "\n", document.text).splitlines()
    lines = [plain_line(line) for line in without_prefix(raw, TITLE)]
    runs = Runs(document.path, options.media, caches_mib(lines))
    _read_runs(runs, lines)
    latencies = largest_buffers(runs)
    values = [*runs.of_node, *(of_one_node(runs, run, value) for run, value in runs.of_system)]
    if not (latencies or values or runs.dropped):
        raise InputError("source", document.path, NOTHING)
    peaks = tuple(value for value in values if isinstance(value, Peak))
    warn_of_unlike(runs, latencies, peaks)
    if peaks and not options.dimms:
        runs.notes[MODULES] = None
    loaded = tuple(value for value in values if isinstance(value, LoadedLatency))
    context = Context(options.media, latencies, loaded, peaks=peaks, notes=tuple(runs.notes))
    return from_rows([], runs.dropped, context)


def _read_runs(runs: Runs, lines: list[str]) -> None:
    """Read the lines; of a run that repeats an earlier one the rows are only counted."""
    copies, number, reading = copied_runs(lines, TITLE), 0, runs
    for index, line in enumerate(lines, start=1):
        if TITLE.search(line):
            number += 1
            copy = Runs(runs.path, runs.media, runs.caches, node=runs.node)
            _count_copy(runs, reading)
            reading = copy if number in copies else runs
        _read_line(reading, line, f"{runs.path}:{index}")
    _count_copy(runs, reading)


def _count_copy(runs: Runs, reading: Runs) -> None:
    if reading is not runs:
        for place in reading.places():
            runs.dropped.count(COPY, place)


def _read_line(runs: Runs, line: str, place: str) -> None:
    if TITLE.search(line):
        runs.run, runs.section, runs.setting = runs.run + 1, None, Setting()
        return
    if COMMAND.search(line):
        runs.section = None
    if runs.setting.note(line) or _begin_section(runs, line) or _note_header(runs.section, line):
        return
    if not line.strip():
        if runs.section:
            runs.section.closed = runs.section.rows > 0
    elif single := ONE_IDLE.search(line):
        _read_idle(runs, cells_of(" ".join(single.groups())), place)
    elif ratio := _RATIO.match(line):
        _read_ratio(runs, ratio, place)
    else:
        _read_row(runs, line, place)


def _begin_section(runs: Runs, line: str) -> bool:
    kind = next((kind for title, kind in SECTIONS if title.search(line)), None)
    if kind is None:
        return False
    unit = re.search(r"\(in (\w+)\)", line)
    runs.section = Section(kind, ns_of(unit.group(1)) if unit else 1.0)
    return True


def _note_header(section: Section | None, line: str) -> bool:
    """Note a line that describes the rows of a section; True if it is such a line."""
    if section is None:
        return False
    words = line.split()
    if unit := re.match(r"\W*Bandwidths are in (\S+)", line):
        section.mib_s = mib_s_of(unit.group(1))
    elif words[:1] == ["Using"] and "traffic" in line:
        section.traffic = line
    elif words[:1] == ["Delay"]:
        units = [word.strip("()") for word in words[1:]]
        section.columns = tuple("ns" if ns_of(unit) else "mib_s" for unit in units)
        times, speeds = ([of(unit) for unit in units] for of in (ns_of, mib_s_of))
        section.ns = next(filter(None, times), None)
        section.mib_s = next(filter(None, speeds), None)
    else:
        return words[:1] in (["Using"], ["Inject"])
    return True


def _read_row(runs: Runs, line: str, place: str) -> None:
    section, cells = runs.section, cells_of(_NODE.sub("", line))
    labelled = bool(_NODE.match(line))
    decimals = values_in(line)
    dashes = any(cell.number is None for cell in cells)
    if section and not (cells or decimals):
        # words alone, such as a shell's prompt, end the rows; tables of caches have them between rows
        section.closed = section.closed or (section.rows > 0 and section.kind not in (CACHES, OTHER))
    elif len(cells) < 2 or (labelled and not decimals and not dashes):
        if decimals and section and not (section.closed and "->" not in line):
            _drop_of_section(runs, section, place)
        elif len(cells) == 1 and len(decimals) != 1:
            return  # a line of prose
        elif section and not section.closed and cells and cells[0].text.isdigit() and len(cells[0].text) == 5:
            runs.dropped.count(UNREAD, place)
    elif section is None or (section.closed and not _fits(section, cells)):
        if len(decimals) > 1 or re.match(r"\s*\d{5}\s", line):
            runs.dropped.count(NO_HEADING, place)
    elif _fits(section, cells):
        section.rows += 1
        read_cells = _read_loaded if section.kind == LOADED else _read_node
        read_cells(runs, section, cells[1:], place)
    else:
        _drop_of_section(runs, section, place)


def _fits(section: Section, cells: list[Cell]) -> bool:
    """Whether a row has the form of the rows of its section."""
    if section.kind == LOADED:
        return cells[0].text.isdigit() and len(cells) > len(section.columns)
    return section.kind in (IDLE, MATRIX) and bool(re.fullmatch(r"\d{1,3}", cells[0].text))


def _drop_of_section(runs: Runs, section: Section, place: str) -> None:
    section.rows += 1
    runs.dropped.count({CACHES: OF_CACHES, OTHER: OF_OTHERS}.get(section.kind, UNREAD), place)


def _value(cell: Cell, factor: float | None, own: float | None) -> tuple[float, str]:
    """A cell's value by the unit behind it, else by that of its section, and why it is not usable ("" if it is)."""
    if cell.number is None:
        return 0.0, NOT_MEASURED
    factor = own if cell.unit else factor
    return (cell.number * factor, "") if factor else (0.0, UNIT)


def _ns(cell: Cell, section: Section | None) -> tuple[float, str]:
    return _value(cell, section.ns if section else 1.0, ns_of(cell.unit))


def _mib_s(cell: Cell, section: Section) -> tuple[float, str]:
    return _value(cell, section.mib_s, mib_s_of(cell.unit))


def _node_fault(runs: Runs) -> str:
    """Why a run is not usable: it is of another node than the first run of the text; "" if it is of the same."""
    node = runs.setting.node()
    runs.node = runs.node or node
    if runs.node != FIRST_NODE:
        runs.notes[f"MLC's values are of the memory of {runs.node}, as its options say"] = None
    return "" if node == runs.node else OTHER_NODE


def _read_idle(runs: Runs, cells: list[Cell], place: str, section: Section | None = None) -> None:
    latency, reason = _ns(cells[0], section) if cells else (0.0, UNREAD)
    reason = reason or _node_fault(runs) or buffer_fault(runs.setting, runs.caches, False)
    if reason:
        runs.dropped.count(reason, place)
        return
    pattern = runs.setting.pattern()
    if pattern != "random":
        pattern = "sequential" if runs.media == "pmem" else "random"
        runs.notes[OF_SEQUENTIAL if runs.media == "pmem" else TAKEN] = None
    visit = f"{runs.path}: run {runs.run}"
    value = Latency("load", pattern, CACHE_LINE_BYTES, latency, visit, place)
    runs.idle.append(Idle(value, runs.setting.chosen_buffer_mib()))


def _read_node(runs: Runs, section: Section, cells: list[Cell], place: str) -> None:
    """Read a row of a matrix, which has a value for each node; only that of the first node's own memory is used."""
    if section.kind == MATRIX or runs.run not in runs.sockets or section.rows > runs.sockets[runs.run]:
        runs.sockets[runs.run] = section.rows
    if section.rows > 1:
        runs.dropped.count(OTHER_NODE, place)
    elif section.kind == IDLE:
        _read_idle(runs, cells, place, section)
    else:
        if section.traffic is None and runs.setting.command is None:
            runs.notes[READS_ASSUMED] = None
        _add_peak(runs, section, cells[0], runs.setting.traffic(section.traffic), place)


def _read_ratio(runs: Runs, ratio: re.Match, place: str) -> None:
    section, cells = runs.section, cells_of(ratio.group(5).strip(" ,"))
    if section is None or section.kind != RATIOS:
        runs.dropped.count(NO_HEADING, place)
        return
    section.rows += 1
    if not cells:
        runs.dropped.count(UNREAD, place)
        return
    reads, writes = (2, 1) if ratio.group(4) else (1, 0) if ratio.group(1) else map(int, ratio.group(2, 3))
    _add_peak(runs, section, cells[0], (reads, writes, bool(ratio.group(4))), place)


def _add_peak(runs: Runs, section: Section, cell: Cell, traffic: tuple[int, int, bool] | None, place: str) -> None:
    bandwidth, reason = _mib_s(cell, section)
    setting, threads = runs.setting, runs.setting.threads()
    reason = reason or ("" if traffic and sum(traffic[:2]) else TRAFFIC_UNKNOWN)
    reason = reason or (RANDOM_PEAK if setting.option("r", "()") is not None else ONE_THREAD if threads == 1 else "")
    reason = reason or _node_fault(runs) or buffer_fault(setting, runs.caches, True)
    if reason or traffic is None:
        runs.dropped.count(reason, place)
        return
    if threads:
        runs.notes[SOME_CORES] = None
    reads, writes, non_temporal = traffic
    of_one = section.kind == MATRIX or bool(threads)
    _add(runs, Peak(reads / (reads + writes), non_temporal, bandwidth, of_one, place), of_one)


def _read_loaded(runs: Runs, section: Section, cells: list[Cell], place: str) -> None:
    values = dict(zip(section.columns, cells, strict=False))
    if set(values) != {"ns", "mib_s"}:
        runs.dropped.count("bandwidth under load without a latency (-T)", place)
        return
    latency, reason = _ns(values["ns"], section)
    bandwidth, slow = _mib_s(values["mib_s"], section)
    traffic = runs.setting.traffic(section.traffic)
    reason = reason or slow or ("" if traffic else TRAFFIC_UNKNOWN) or (MIXED_LOAD if traffic and traffic[1] else "")
    reason = reason or _node_fault(runs) or buffer_fault(runs.setting, runs.caches, True)
    if reason:
        runs.dropped.count(reason, place)
    else:
        _add(runs, LoadedLatency(latency, bandwidth, place), bool(runs.setting.threads()))


def _add(runs: Runs, value: Peak | LoadedLatency, of_one_node: bool) -> None:
    if of_one_node:
        runs.of_node.append(value)
    else:
        runs.of_system.append((runs.run, value))
