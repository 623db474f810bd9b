"""One trace in the forms in which people have it: the same pages from all, and what touches nothing is counted."""

import bz2
import gzip
import lzma
import os
import struct
import threading

import numpy as np
import pytest

from pmtwin.scenarios.block_traces import Trace, footprint, oracle_format, pages
from pmtwin.sim.errors import InputError

ROWS = [(k * 7919 % 100 * 4096, 512 * (k % 9 + 1)) for k in range(300)]
PLAIN = "offset,size\n" + "".join(f"{offset},{size}\n" for offset, size in ROWS)
FORMS = {
    "BOM and CRLF": PLAIN.replace("\n", "\r\n").encode("utf-8-sig"),
    "UTF-16": PLAIN.encode("utf-16"),
    "CR": PLAIN.replace("\n", "\r").encode(),
    "no last newline": PLAIN.rstrip().encode(),
    "blank lines": ("\n" + PLAIN.replace("4096,", "\n4096,", 1) + "\n \n,\n").encode(),
    "quotes": "".join(f'"{line.replace(",", chr(34) + "," + chr(34))}"\n' for line in PLAIN.split()).encode(),
    "commas at the end": PLAIN.replace("\n", ",\n").encode(),
    "commas at the end of rows": (PLAIN[:12] + PLAIN[12:].replace("\n", ",\n")).encode(),
    "upper case": PLAIN.upper().encode(),
    "gzip": gzip.compress(PLAIN.encode()),
    "bzip2": bz2.compress(PLAIN.encode()),
    "xz": lzma.compress(PLAIN.encode()),
}
NAMES = ("t.csv", "t.csv.gz", "t.oracleGeneral")


def made(folder, content: bytes, name: str = "t.csv") -> Trace:
    (folder / name).write_bytes(content)
    return Trace(folder / name)


def sequence(trace: Trace, page_bytes: int = 4096) -> np.ndarray:
    return np.concatenate(list(pages.page_blocks(trace, page_bytes)))


def pattern(numbers: np.ndarray) -> list[int]:
    """Which requests are for the same page: all that a replacement policy sees."""
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    return first[inverse].tolist()


def records(rows) -> bytes:
    return np.array(rows, oracle_format.RECORD).tobytes()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_pages(tmp_path, form):
    expected = sequence(made(tmp_path, PLAIN.encode(), "plain.csv")).tolist()
    for name in NAMES:
        trace = made(tmp_path, FORMS[form], name)
        assert sequence(trace).tolist() == expected and not trace.left_out.rows


@pytest.mark.parametrize("name", ["t.oracleGeneral", "t.oracleGeneral.bin.gz", "t.csv", "t"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress, lzma.compress])
def test_records_are_known_by_what_they_hold(tmp_path, name, packed):
    trace = made(tmp_path, packed(records([(1_600_000_000 + k, k % 7, 100, -1) for k in range(99)])), name)
    assert sequence(trace).tolist() == [k % 7 for k in range(99)]


def test_a_pipe_is_a_trace():
    reader, writer = os.pipe()
    thread = threading.Thread(target=lambda: (os.write(writer, gzip.compress(PLAIN.encode())), os.close(writer)))
    thread.start()
    trace = Trace(f"/dev/fd/{reader}")
    assert footprint(trace, 4096).requests == 300 and len(sequence(trace)) > 300
    thread.join()
    os.close(reader)


def test_a_fifo_is_a_trace_and_its_next_writer_another(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for rows in (3, 5):
        content = PLAIN.splitlines(keepends=True)[: rows + 1]
        thread = threading.Thread(target=(tmp_path / "fifo").write_text, args=("".join(content),))
        thread.start()
        trace = Trace(tmp_path / "fifo")
        assert [footprint(trace, 4096).requests for _ in range(2)] == [rows, rows]
        thread.join()


RNG = np.random.default_rng(3)
FOREIGN = {
    "noise": RNG.bytes(24_000),
    "records of 20 bytes": b"".join(struct.pack("<QQI", k, k % 9, 4096) for k in range(1200)),
    "another last column": records([(k, k % 9, 4096, 2**62 + k) for k in range(500)]),
    "four bytes off": records([(1_600_000_000 + k, k * 7919, 4096, -1) for k in range(500)])[4:-20],
    "another byte order": b"".join(struct.pack(">IQIq", k, 1, 4096, -1) for k in range(500)),
    "sizes that are none": records([(k, 1, 2**32 - 1 - k, -1) for k in range(500)]),
    "times at random": records([(int(t), 1, 4096, -1) for t in RNG.integers(0, 2**32, 500)]),
}


@pytest.mark.parametrize("foreign", FOREIGN)
@pytest.mark.parametrize("name", NAMES)
def test_other_binary_content_is_refused(tmp_path, foreign, name):
    with pytest.raises(InputError, match=f"{name}' is binary, but not oracleGeneral: record"):
        footprint(made(tmp_path, FOREIGN[foreign], name), 4096)


def test_objects_may_have_names(tmp_path):
    """Numbers of 64 bits stay what they are; a name has the number of its hash, in every block and pass."""
    names = ["7", "CF", "9" * 30, "CF", "x" * 200, "7", "x" * 199, "007"]
    trace = made(tmp_path, ("obj_id,obj_size\n" + "".join(f"{name},5\n" for name in names)).encode())
    first = sequence(trace).tolist()
    assert first[0] == first[5] == first[7] == 7 and first[1] == first[3] and len(set(first)) == 5
    assert sequence(trace).tolist() == first
    short = made(tmp_path, b"obj_id,obj_size\nCF,\n7,5\n", "short.csv")  # a deletion has no size
    assert sequence(short).tolist() == [first[1], 7]


def test_blocks_agree_on_names_and_volumes(tmp_path, monkeypatch):
    monkeypatch.setattr("pmtwin.scenarios.block_traces.csv_format.BLOCK_REQUESTS", 3)
    rows = [(0, 4096), ("sda", 4096), (0, 0), (7, 4096), ("sda", 4096), (7, 4096), (0, 4096), ("07", 4096)]
    content = "offset,size,dev\n" + "".join(f"{offset},1,{dev}\n" for dev, offset in rows)
    trace = made(tmp_path, content.encode())
    assert pattern(sequence(trace)) == pattern(np.array([1, 2, 0, 3, 2, 3, 1, 3]))
    assert footprint(trace, 4096)[:4] == (8, 8, 4, 3)
    together = Trace(trace.path, "together")
    assert sequence(together).tolist() == [1, 1, 0, 1, 1, 1, 1, 1] and footprint(together, 4096)[2:4] == (2, 3)


@pytest.mark.parametrize("columns", ["volume", "Disk_ID", "hostname,disknumber"])
def test_volumes_have_several_names(tmp_path, columns):
    names = ["a,0", "b,0", "a,1", "a,0"] if "," in columns else ["0", "1", "2", "0"]
    trace = made(tmp_path, f"offset,size,{columns}\n".encode() + "".join(f"8192,1,{name}\n" for name in names).encode())
    assert footprint(trace, 4096)[2:4] == (3, 3)
    assert sequence(trace)[0] == sequence(trace)[3] == 2  # those of the first volume are as they are


def test_pages_of_several_volumes_need_room(tmp_path):
    trace = made(tmp_path, b"offset,size,dev\n0,1,0\n%d,1,1\n" % (1 << 60))
    assert footprint(trace, 8192).pages == 2
    with pytest.raises(InputError, match=r"t.csv: page: .*several volumes; --page-bytes"):
        footprint(trace, 4096)


def test_what_touches_nothing_is_counted_with_its_place(tmp_path):
    trace = made(tmp_path, b"offset,size\n-1,0\n\n0,5\noffset,size\n0,0\n4096,5\n")
    size = footprint(trace, 4096)
    assert (size.requests, size.pages) == (2, 2) and footprint(trace, 4096) == size
    assert {each["reason"]: (each["count"], each["first"]) for each in size.left_out} == {
        "size 0": (2, "line 2"),
        "header again": (1, "line 5"),
    }
    for trace in (
        made(tmp_path, b"obj_id,obj_size\n1,0\n2,7\n"),
        made(tmp_path, records([(0, 1, 0, -1), (1, 2, 7, -1)]), "t.bin"),
    ):
        assert footprint(trace, 4096)[:3] == (1, 1, 1) and trace.left_out.rows["size 0"]["count"] == 1
    with pytest.raises(InputError, match=r"has no requests \(left out: 1 of size 0, first line 2\)"):
        footprint(made(tmp_path, b"offset,size\n0,0\n"), 4096)


BAD_LINES = {
    "a line cut off": b"40",
    "no number": b"4o96,512",
    "a cell too many": b"4096,5,12",
    "a quote that is not closed": b'"4096,512',
    "bytes that are no text": b"4096,5\xff2",
    "zeros": bytes(20),
    "a size out of range": b"4096,99999999999",
    "a sign": b"-4096,512",
}


@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES)
@pytest.mark.parametrize("count", [3, 4])
def test_a_few_lines_that_cannot_be_read_cost_no_more_than_themselves(tmp_path, bad, count):
    expected = sequence(made(tmp_path, PLAIN.encode(), "plain.csv")).tolist()
    lines = PLAIN.encode().splitlines()
    for number in (301, 200, 100, 1)[:count]:
        lines.insert(number, bad)
    trace = made(tmp_path, b"\n".join(lines))
    if count == 4:  # of 304
        with pytest.raises(InputError, match=r"t\.csv.*at most 1 % of the lines may be others, here 4 of 304 are"):
            footprint(trace, 4096)
        return
    for _ in range(2):
        assert sequence(trace).tolist() == expected
        (row,) = trace.left_out.rows.values()
        assert row["count"] == 3 and row["first"].startswith("line 101 (")


def test_a_name_that_is_no_text_is_not_hashed(tmp_path):
    rows = b"".join(b"a%d,1\n" % (k % 7) for k in range(200))
    trace = made(tmp_path, b"obj_id,size\n" + rows + b"caf\xe9,1\n")
    assert footprint(trace, 4096).pages == 7 and str(trace.left_out) == "1 that cannot be read, first line 202 (trace)"


def test_a_header_in_another_encoding_is_refused(tmp_path):
    with pytest.raises(InputError, match="is no text in UTF-8: line 1 has the byte 0xe9"):
        made(tmp_path, b"offset,size,caf\xe9\n0,1,2\n")


def test_the_files_of_users(shared_cases):
    case = shared_cases / "12-trace-string-keys"
    assert pattern(sequence(Trace(case / "ibm.csv"))) == pattern(sequence(Trace(case / "ibm-numbered.csv")))
    with pytest.raises(InputError, match="a header with the columns offset and size, or obj_id"):
        Trace(case / "ibm-original.csv")

    case = shared_cases / "15-trace-excel-bom"
    plain = sequence(Trace(case / "plain.csv")).tolist()
    for name in ("requests.csv", "blank-end.csv", "../34-pipe-inputs/trace.csv.gz", "../34-pipe-inputs/trace.csv.bz2"):
        assert sequence(Trace(case / name)).tolist() == plain
    with pytest.raises(InputError, match="semicolons between its columns"):
        Trace(case / "semicolons.csv")

    case = shared_cases / "16-trace-zero-size"
    zeros, without = Trace(case / "zeros.oracleGeneral"), Trace(case / "without.oracleGeneral")
    assert sequence(zeros).tolist() == sequence(without).tolist()
    assert zeros.left_out.rows["size 0"] == {"reason": "size 0", "count": 333, "first": "record 3"}
    flushes = Trace(case / "requests.csv")
    assert sequence(flushes).tolist() == plain and flushes.left_out.rows["size 0"]["first"] == "line 79"


def test_the_samples_have_one_volume_but_for_two(shared_data):
    folder = shared_data / "block_traces"
    assert footprint(Trace(folder / "cloudphysics_sample.csv.gz"), 4096)[:4] == (113_872, 1_141_869, 269_210, 1)
    assert footprint(Trace(folder / "ssdsim_example.csv.gz"), 4096).volumes == 22
