"""Traces of every format give the same requests, in blocks; a damaged one is refused with its place."""

import gzip

import numpy as np
import pytest

from pmtwin.scenarios.block_traces import Footprint, Requests, Trace, footprint, oracle_format, pages, pages_of
from pmtwin.scenarios.block_traces import requests as requests_module
from pmtwin.sim.errors import InputError

CSV = "time_us,dev,op,offset,size\n0.0,0,W,8191,2\n5.5,0,R,4096,4096\n7.0,0,read,0,12289\n"
EXPECTED = [1, 2, 1, 0, 1, 2, 3]
"""Pages of 4 KiB that these requests touch."""


def every_page(trace: Trace) -> list[int]:
    return np.concatenate(list(pages.page_blocks(trace, 4096))).tolist()


def written(folder, content: bytes, name: str):
    (folder / name).write_bytes(content)
    return Trace(folder / name)


@pytest.mark.parametrize("name", ["trace.csv", "trace.csv.gz"])
def test_requests_are_split_into_pages(tmp_path, name):
    content = CSV.encode()
    trace = written(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)
    assert every_page(trace) == EXPECTED
    assert footprint(trace, 4096) == Footprint(3, 7, 4)
    (block,) = trace.blocks()
    assert block.write.tolist() == [True, False, False] and block.time_us.tolist() == [0.0, 5.5, 7.0]


def test_columns_may_stand_in_any_order_and_times_be_left_out(tmp_path):
    trace = written(tmp_path, b"size,note,offset\n2,x,8191\n4096,y,4096\n12289,z,0", "other.csv")
    assert every_page(trace) == EXPECTED


def test_objects_are_pages(tmp_path):
    objects = [7, 2**64 - 1, 7]
    records = np.array([(k, number, 100, -1) for k, number in enumerate(objects)], oracle_format.RECORD)
    binary = written(tmp_path, gzip.compress(records.tobytes()), "t.oracleGeneral.bin.gz")
    text = "time,obj_id,size\n" + "".join(f"{k},{number},100\n" for k, number in enumerate(objects))
    plain = written(tmp_path, text.encode(), "t.csv")
    placed = written(tmp_path, b"obj_id,offset\n" + b"".join(b"%d,0\n" % number for number in objects), "u.csv")
    assert every_page(binary) == every_page(plain) == every_page(placed)
    assert footprint(binary, 4096) == Footprint(3, 3, 2)


def test_blocks_are_of_bounded_size(tmp_path, monkeypatch):
    """Many requests, and few that touch many pages each."""
    monkeypatch.setattr("pmtwin.scenarios.block_traces.csv_format.BLOCK_REQUESTS", 10)
    monkeypatch.setattr(pages, "MOST_PAGES", 30)
    rng = np.random.default_rng(1)
    rows = [(int(rng.integers(10**6)), int(rng.integers(1, 100_000))) for _ in range(95)]
    trace = written(tmp_path, b"offset,size\n" + b"".join(b"%d,%d\n" % row for row in rows), "t.csv")
    assert [len(block.size) for block in trace.blocks()] == [10] * 9 + [5]
    largest = max(len(block) for block in pages.page_blocks(trace, 4096))
    assert largest < 30 + 2 * 26
    expected = [page for offset, size in rows for page in range(offset // 4096, (offset + size - 1) // 4096 + 1)]
    assert every_page(trace) == expected
    assert footprint(trace, 4096) == Footprint(95, len(expected), len(set(expected)))


def test_a_request_that_ends_with_its_page_touches_no_other():
    column = np.array([0, 4096, 4095]), np.array([4096, 1, 1]), np.zeros(3, np.int64)
    assert pages_of(Requests(np.zeros(3), np.zeros(3, bool), *column), 4096).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (CSV + "8.0,0,W,12", "line 5: line"),
        (CSV + "8.0,0,W,12,\n", "line 5: line"),
        (CSV + "8.0,0,W,nan,1\n", "line 5: line"),
        (CSV + "8.0,0,W,-1,1\n", "line 5: offset"),
        (CSV + "8.0,0,W,1,-1\n", "line 5: size"),
        (CSV + "8.0,0,W,4,096,512\n", "line 5: line: .*5 cells"),
        (CSV + f"8.0,0,W,{2**63},1\n", "line 5: line"),
        (CSV + "nan,0,W,1,1\n", "line 5: time_us"),
        (CSV + "\n8.0,0,W,?,1\n", "line 6: line"),
        (CSV.replace(",", ";"), "semicolons between its columns"),
        (CSV.replace(",", "\t"), "tabs between its columns"),
        ("time,lba\n1,2\n", "header"),
        ("", "is empty"),
        ("<html>", "is a web page"),
        ("\0".join(CSV + "\0"), "UTF-16 without a byte-order mark"),
        ("obj_id,size\n,1\n", "line 2: line.*an object in obj_id"),
        ("offset,size\n", "at least one request"),
        ("\x00\x9f\xff", "truncated"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, content, message):
    with pytest.raises(InputError, match=message) as error:
        footprint(written(tmp_path, content.encode(), "t.csv"), 4096)
    assert "\n" not in str(error.value) and "t.csv" in str(error.value)


def test_a_truncated_file_is_refused(tmp_path):
    rows = "".join(f"{k}.5,0,R,{k * 7919},512\n" for k in range(20_000))
    whole = gzip.compress((CSV + rows).encode())
    records = np.zeros(5, oracle_format.RECORD).tobytes()
    for name, content in (("t.csv.gz", whole[: len(whole) // 2]), ("t.oracleGeneral", records[:-1])):
        with pytest.raises(InputError, match="truncated"):
            footprint(written(tmp_path, content, name), 4096)
    with pytest.raises(InputError, match="No such file"):
        Trace(tmp_path / "nowhere.csv")
    assert requests_module.BLOCK_REQUESTS > 1
