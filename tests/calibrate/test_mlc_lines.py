"""MLC's text as people post it: every line with numbers is used, or counted with its line."""

import re
from pathlib import Path

import pytest

from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.cells import plain_number, split_number
from pmtwin.calibrate.readers.mlc import NO_HEADING, TITLE, UNREAD
from pmtwin.calibrate.readers.mlc_lines import cells_of, without_prefix

PLAIN = Path(__file__).parent / "mlc" / "mlc-3.1.txt"


def contents(path):
    context = read_sources([path])[0].context
    return [each.latency_ns for each in context.latencies], context.peaks, context.loaded


def test_a_row_in_quotes_with_a_comment_is_read(shared_cases):
    read, _ = read_sources([shared_cases / "10-mlc-markup-rows" / "mlc-post.txt"])
    assert [each.latency_ns for each in read.context.loaded] == [131.12, 122.98, 98.02, 94.11, 88.30, 82.20]
    assert read.context.loaded[2].bandwidth_mib_s == pytest.approx(68020.9e6 / 2**20 / 2)  # of two sockets
    assert [each.latency_ns for each in read.context.latencies] == [82.4]
    assert list(read.dropped.values()) == [1]  # the second node


def value(line: str) -> str:
    return re.sub(r"(?<![\w.])(\d+)\.(\d+)(?!\S)", r"\1,\2", line)


def thousands(line: str) -> str:
    return re.sub(r"(?<![\w.])(\d{2,3})(\d{3}\.\d+)", r"\1,\2", line)


@pytest.mark.parametrize(
    "dressed",
    [
        lambda line: f"> {line}",
        lambda line: f">> > {line}\r",
        lambda line: f"&gt; {line}",
        lambda line: f"`{line}`",
        lambda line: f"* {line}" if line.strip() else "",
        lambda line: f"- {line.strip()}" if line.strip() else "",
        lambda line: f'"{line}"',
        lambda line: f"{line}  <--- look at this: 12.5" if re.match(r"\s*\d{5} ", line) else line,
        lambda line: f"{line}   # 2nd column, see above" if re.match(r"\s*\d", line) else line,
        lambda line: "| " + " | ".join(line.split()) + " |" if re.match(r"\s*\d", line) else line,
        lambda line: line.replace("\t", "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}"),
        lambda line: f"<td>{line.strip()}</td>",
        lambda line: f"node1: {line}",
        lambda line: f"mlc-1  | {line}".rstrip(),
        lambda line: f"Nov 26 10:11:{len(line) % 60:02d} node1 mlc[123]: {line}",
        lambda line: re.sub(r"(Reads|Reads-Writes|like)(\s*:)\s*(\S+)", r"\1\2,\3,", line),
        lambda line: line.replace(" ", "  ") if re.search(r"Measuring|Intel", line) else line,
        lambda line: ";".join(line.split()) if re.match(r"\s*\d", line) else line,
        lambda line: ",".join(line.split()) if re.match(r"\s*\d{5}", line) else line,
        lambda line: re.sub(r"^( \d{5}\s+\S+)(\s+\S+)", r"\1 ns\2 MB/s", line),
        value,
        thousands,
        lambda line: f"{line}\n",
    ],
)
def test_dressed_text_gives_what_the_plain_text_gives(tmp_path, dressed):
    path = tmp_path / "dressed.txt"
    path.write_text("\n".join(map(dressed, PLAIN.read_text().splitlines())))
    assert contents(path) == contents(PLAIN)


@pytest.mark.parametrize(
    "line",
    [" 00060  lost   97000.1", " 00060  97.4", "~00060~ 97.4  97000.1", "00060 -> 97.4 ns at 97000.1", "97.4 ns 00060"],
)
def test_a_line_with_numbers_in_another_form_is_counted_with_its_line(tmp_path, line):
    text = PLAIN.read_text()
    path = tmp_path / "odd.txt"
    path.write_text(text.replace(" 00100\t", f"{line}\n 00100\t"))
    read, _ = read_sources([path])
    assert read.dropped[UNREAD] == 1 and read.dropped.places[UNREAD] == [f"{path}:37"]
    assert contents(path) == contents(PLAIN)


def test_rows_whose_heading_is_cut_off_are_counted(tmp_path):
    path = tmp_path / "tail.txt"
    tail = "Intel(R) Memory Latency Checker - v3.9\n" + PLAIN.read_text().split("==========================\n")[1]
    path.write_text(f"{tail}ALL Reads        :\t101490.0\n")
    read, _ = read_sources([path])
    assert read.dropped[NO_HEADING] == 7


@pytest.mark.parametrize("prose", ["Our 2 sockets have 12 DIMMs.", "CPU MHz: 2600.000", "12.5 % was idle", "3 runs"])
def test_prose_around_the_text_is_no_row(tmp_path, prose):
    path = tmp_path / "post.txt"
    path.write_text(f"{prose}\n\n{PLAIN.read_text()}\n\n{prose}\n")
    assert sum(read_sources([path])[0].dropped.values()) == sum(read_sources([PLAIN])[0].dropped.values())


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("134910.4", 134910.4),
        ("134,910.4", 134910.4),
        ("134.910,4", 134910.4),
        ("134'910.4", 134910.4),
        ("134\N{NARROW NO-BREAK SPACE}910,4", 134910.4),
        ("1,903,411.7", 1903411.7),
        ("1.903.411", 1903411.0),
        ("0,000,000", 0.0),
        ("48,000", 48000.0),
        ("82,4", 82.4),
        ("0,097", 0.097),
        ("131.120", 131.12),
        ("1.9e6", 1.9e6),
    ],
)
def test_a_number_is_read_with_the_separators_of_any_country(text, number):
    assert plain_number(text) == number
    assert split_number(f" {text} ") == (number, "")


def test_units_belong_to_the_number_before_them():
    cells = cells_of(" 00000   131.12 ns   134.9GB/s  (all reads)")
    assert [(cell.number, cell.unit) for cell in cells] == [(0.0, ""), (131.12, "ns"), (134.9, "GB/s")]
    assert split_number("fast") is None and split_number("12-15") is None


def test_lines_of_another_host_in_one_log_are_not_taken_for_this_one_s():
    lines = ["node1: Intel(R) Memory Latency Checker", "node2: 0 81.2", "node1: 0 97.4"]
    assert without_prefix(lines, TITLE) == ["Intel(R) Memory Latency Checker", "node2: 0 81.2", "0 97.4"]
