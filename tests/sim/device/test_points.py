"""The table of `pmtwin predict`: what is accepted, and how each error names line, field, value and what is allowed."""

import pytest

from pmtwin.sim.device.points import parse_points
from pmtwin.sim.errors import InputError

HEADER = "operation,pattern,threads,access_size_bytes,dimms,power_w"
GOOD = "load,random,4,256,6,15"


def parse(*lines: str, header: str = HEADER):
    return parse_points("\n".join([header, *lines]).encode(), "p.csv")


def test_power_defaults_to_15_watt():
    columns = parse("load,random,4,256,6,", GOOD.replace(",15", ",18")).columns
    assert columns["power_w"].tolist() == [15.0, 18.0]
    assert parse("load,random,4,256,6", header=HEADER.removesuffix(",power_w")).columns["power_w"].tolist() == [15.0]


def test_blanks_and_a_byte_order_mark_do_not_matter():
    points = parse_points(("\ufeff" + HEADER + "\r\n load , random,4 ,256,6,15\r\n\r\n").encode(), "p.csv")
    assert points.columns["operation"].tolist() == ["load"]
    assert points.table.rows[0][0] == " load "  # kept as it was


def test_a_mix_is_read_with_its_threads():
    header = "operation,pattern,read_threads,write_threads,write_operation,access_size_bytes,dimms"
    columns = parse("mixed,random,12,4,ntstore,64,6", header=header).columns
    assert (columns["threads"][0], columns["read_threads"][0], columns["write_threads"][0]) == (16, 12, 4)


@pytest.mark.parametrize(("row", "threads"), [("load,1,,,", 1), ("mixed,,1,0,ntstore", 1), ("load,2,,,", 2)])
def test_threads_of_both_nodes_are_at_least_two(row, threads):
    header = (
        "numa,pattern,access_size_bytes,dimms,last_node,operation,threads,read_threads,write_threads,write_operation"
    )
    rows = [f"{numa},random,64,6,same,{row}" for numa in ("local", "remote", "both")]
    assert parse(*rows[:2], header=header).columns["remote"].tolist() == [0.0, 1.0]
    if threads == 2:
        assert parse(*rows, header=header).columns["remote"].tolist() == [0.0, 1.0, 0.5]
        return
    with pytest.raises(InputError, match=r"^p.csv:4: threads: 1 .* at least 2 with numa=both"):
        parse(*rows, header=header)


@pytest.mark.parametrize(
    ("row", "line", "named"),
    [
        ("loads,random,4,256,6,15", 3, "operation: 'loads'.*did you mean 'load'"),
        ("load,rnd,4,256,6,15", 3, "pattern: 'rnd' .* random"),
        ("load,random,-4,256,6,15", 3, "threads: -4 .* 1 to 512"),
        ("load,random,0,256,6,15", 3, "threads: 0 "),
        ("load,random,4.5,256,6,15", 3, "threads: '4.5' .* a whole number, 1 to 512"),
        ("load,random,0.5,256,6,15", 3, "threads: 0.5 "),
        ("load,random,nan,256,6,15", 3, "threads: 'nan' .* finite"),
        ("load,random,inf,256,6,15", 3, "threads: 'inf' .* finite"),
        ("load,random,four,256,6,15", 3, "threads: 'four' .* a number"),
        ("load,random,,256,6,15", 3, "threads: '' .* a number"),
        ("load,random,4,0,6,15", 3, "access_size_bytes: 0 "),
        ("load,random,4,256,0,15", 3, "dimms: 0 .* 1 to 16"),
        ("load,random,4,256,17,15", 3, "dimms: 17 .* 1 to 16"),
        ("load,random,4,256.5,6,15", 3, "access_size_bytes: '256.5' .* a whole number, 1 to 67,108,864"),
        ("load,random,4,256,2.5,15", 3, "dimms: '2.5' .* whole"),
        ("load,random,4,256,6,NaN", 3, "power_w: 'NaN'"),
        ("load,random,4,256,6,150", 3, "power_w: 150 .* 10 to 20"),
        ("load,random,4,256", 3, "row: '4 values' .* 6 values"),
    ],
)
def test_a_wrong_row_is_named(row, line, named):
    with pytest.raises(InputError, match=f"^p.csv:{line}: {named}"):
        parse(GOOD, row)


MIX_HEADER = "operation,pattern,threads,read_threads,write_threads,write_operation,access_size_bytes,dimms"


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("mixed,random,,-1,4,ntstore,64,6", "read_threads: -1 "),
        ("mixed,random,,4.5,4,ntstore,64,6", "read_threads: '4.5' .* whole"),
        ("mixed,random,,4,4.5,ntstore,64,6", "write_threads: '4.5' .* whole"),
        ("mixed,random,8.5,4,4,ntstore,64,6", "threads: '8.5' .* whole"),
        ("mixed,random,,0,0,ntstore,64,6", r"read_threads \+ write_threads: 0 "),
        ("mixed,random,,4,4,load,64,6", "write_operation: 'load'"),
        ("mixed,random,9,4,4,ntstore,64,6", "threads: '9' .* = 8"),
        ("load,random,4,4,,,64,6", "read_threads 4 belongs to operation mixed"),
    ],
)
def test_a_wrong_mix_is_named(row, named):
    with pytest.raises(InputError, match=f"^p.csv:2: {named}"):
        parse(row, header=MIX_HEADER)


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("operation,pattern,thread,access_size_bytes,dimms", "column: 'thread'.*did you mean 'threads'"),
        ("operation,pattern,access_size_bytes,dimms,dimms", "column: 'dimms' .* once"),
        ("operation,pattern,threads,access_size_bytes", "column dimms is missing"),
        ("operation,pattern,access_size_bytes,dimms", "column threads is missing"),
    ],
)
def test_a_wrong_header_is_named(header, named):
    with pytest.raises(InputError, match=f"^p.csv:1: {named}"):
        parse(",".join(["load"] * len(header.split(","))), header=header)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (HEADER.encode(), "at least one row"),
        (b"\x7fELF\0\0", "binary"),
        (b"\xff\xfa\xfb", "no text in UTF-8"),
        (HEADER.encode() + b'\n"load,random', "well-formed"),
    ],
)
def test_a_file_that_is_no_table_is_refused(content, named):
    with pytest.raises(InputError, match=named):
        parse_points(content, "p.csv")
