"""A broken row of a table is counted with its line and costs no other; numbers are read as people write them."""

import pytest

from pmtwin.calibrate.context import Latency
from pmtwin.calibrate.readers.cells import plain_column
from pmtwin.sim.errors import InputError

HEADER = "operation,pattern,access_size_bytes,threads,dimms,bandwidth_mib_s,latency_ns"
GOOD = ["load,random,64,1,4,6050,97", "load,random,4096,8,4,47100,", "store_clwb,random,256,8,4,12900,"]


@pytest.fixture
def read(reader_of):
    """Function of the text of a table that gives its measurements."""
    return reader_of("t.csv")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("laod,random,64,1,4,6050,", "t.csv:3: operation: 'laod'"),
        ("load,random,64,0,4,6050,", "t.csv:3: threads: 0 "),
        ("load,random,64,1,17,6050,", "t.csv:3: dimms: 17 "),
        ("load,random,64,1,4,fast,", "t.csv:3: bandwidth_mib_s: 'fast'"),
        ("load,random,64,1,4,60 furlongs/s,", "t.csv:3: bandwidth_mib_s: '60 furlongs/s'"),
        ("load,random,64,1,4,6 GiB,", "t.csv:3: bandwidth_mib_s: '6 GiB'"),
        ("load,random,64,1,4,nan,", "t.csv:3: bandwidth_mib_s"),
        ("mixed,random,64,1,4,6050,", "column read_threads"),
        ("load,random,64,1,4", "t.csv:3: row: '5 values'"),
        ('load,random,64,1,"4,6050,', "t.csv:3: source: 'unexpected end of data'"),
        ("# a remark", "t.csv:3: row: '1 values'"),
    ],
)
def test_a_broken_row_costs_no_other(read, row, reason):
    result = read("\n".join([HEADER, GOOD[0], row, *GOOD[1:]]) + "\n")
    ((told, count),) = result.dropped.items()
    assert len(result) == 3 and count == 1 and reason in told
    assert result.sources[0].rows == 4
    with pytest.raises(InputError, match=r"t\.csv"):
        read(f"{HEADER}\n{row}\n")


def test_broken_rows_of_one_kind_are_counted_together_with_their_lines(read):
    result = read("\n".join([HEADER, *GOOD, "laod,random,64,1,4,6050,", "lod,random,64,1,4,6050,"]))
    ((reason, places),) = result.dropped.places.items()
    assert [place.rpartition(":")[2] for place in places] == ["5", "6"] and result.dropped[reason] == 2


def test_a_header_that_is_not_usable_is_refused_as_one(read):
    with pytest.raises(InputError, match="threads"):
        read("\n".join([HEADER.replace("threads", "thread"), *GOOD]))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ('load,random,"4,096",8,4,"47,100",', (4096, 47100)),
        ("load,random,4KiB,8,4,47100 MiB/s,", (4096, 47100)),
        ("load,random,4096 B,8,4,45.99609375 GiB/s,", (4096, 47100)),
        ('load,random,4096,8,4,"47.100,0",', (4096, 47100)),
        ("load,random,4096,8,4,49387.9296 MB/s,", (4096, 47100)),
    ],
)
def test_separators_and_units_in_cells_are_read(read, cells, expected):
    result = read(f"{HEADER}\n{cells}\n")
    assert (result.access_size_bytes[0], result.bandwidth_mib_s[0]) == pytest.approx(expected)


@pytest.mark.parametrize("cell", ["97", "97 ns", "0.097 us", '"97,0"', "97.0ns"])
def test_a_latency_has_the_unit_behind_it(read, cell):
    assert read(f"{HEADER}\nload,random,64,1,4,,{cell}\n").context.latencies == (Latency("load", "random", 64.0, 97.0),)


@pytest.mark.parametrize(
    "dressed",
    [
        lambda line: f"> {line}",
        lambda line: f">> {line}\r",
        lambda line: f"| {' | '.join(line.split(','))} |" + ("\n|---|:--|--:|" if line == HEADER else ""),
        lambda line: f"> | {' | '.join(line.split(','))} |",
    ],
)
def test_a_quoted_table_is_that_table(read, dressed):
    plain = read("\n".join([HEADER, *GOOD]))
    result = read("\n".join(map(dressed, [HEADER, *GOOD])))
    assert result.bandwidth_mib_s.tolist() == plain.bandwidth_mib_s.tolist() and not result.dropped


@pytest.mark.parametrize("mark", ["\N{NO-BREAK SPACE}", "\N{THIN SPACE}", "\N{NARROW NO-BREAK SPACE}"])
def test_thousands_are_apart_by_any_space_that_does_not_break(read, mark):
    assert read("\n".join([HEADER, f"load,random,4096,8,4,20{mark}480,"])).bandwidth_mib_s.tolist() == [20480.0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("padding", ["", ",,"])
def test_lines_end_and_are_padded_as_spreadsheets_do(read, end, padding):
    result = read("".join(f"{line}{padding}{end}" for line in [HEADER, *GOOD]))
    assert len(result) == 3 and not result.dropped and not result.context.notes


def test_a_row_with_more_commas_than_the_header_has_no_more_values(read):
    assert len(read("\n".join([HEADER, *GOOD, GOOD[1] + ",,"]))) == 4


def test_a_column_without_a_name_is_named_so(read):
    result = read("\n".join(f"{cell},{line}" for cell, line in zip(["", "0", "1", "2"], [HEADER, *GOOD], strict=True)))
    assert result.context.notes == ("columns that were not used: one without a name",)


@pytest.mark.parametrize("name", ["NUMA", "Numa", "powerW"])
def test_a_column_in_other_letters_is_refused_since_its_rows_would_be_others(read, name):
    with pytest.raises(InputError, match=rf"t\.csv:1: column: '{name}' is not accepted; allowed: (numa|power_w)"):
        read("\n".join([f"{HEADER},{name}", *(f"{row},1" for row in GOOD)]))


@pytest.mark.parametrize(
    ("cells", "plain"),
    [
        (["3187.2000000000003", "12", "fast", ""], ["3187.2000000000003", "12", "fast", ""]),
        (["3,187.2", "12,288", "20 GiB/s"], ["3187.2", "12288.0", "20GiB/s"]),
        (["81,250", "305,5", "1.204"], ["81.250", "305.5", "1204"]),
        (["12.480,5", "850,125"], ["12480.5", "850.125"]),
    ],
)
def test_a_comma_is_in_a_column_what_it_is_in_its_other_cells(cells, plain):
    assert plain_column(cells) == plain


def test_a_latency_that_a_comma_made_large_is_none_of_memory(read):
    result = read("\n".join([HEADER, *GOOD, 'load,random,64,1,4,,"81,250"']))
    assert "latency above 10 us: page faults, or not in ns" in result.dropped
