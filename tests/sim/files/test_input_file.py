"""A user's file is opened by what it holds: compressed, of another kind, a pipe, damaged."""

import bz2
import gzip
import io
import lzma
import os
import threading
import zipfile

import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.files import input_file
from pmtwin.sim.files.input_file import content_of, one_reader, open_content, plain_suffix, rest_of

CONTENT = b"offset,size\n" + b"".join(b"%d,4096\n" % (k * 7919) for k in range(5_000))
PACKED = {
    "plain": lambda content: content,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "gzip in xz": lambda content: lzma.compress(gzip.compress(content)),
    "two gzip members": lambda content: gzip.compress(content[:99]) + gzip.compress(content[99:]),
}


def written(folder, content: bytes, name: str = "file.csv"):
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("name", ["file.csv", "file.csv.gz", "file.xz", "file"])
def test_compression_is_known_by_the_content(tmp_path, packed, name):
    path = written(tmp_path, PACKED[packed](CONTENT), name)
    assert content_of(path, "trace") == CONTENT
    assert rest_of(io.BytesIO(path.read_bytes()), "standard input", "trace") == CONTENT


@pytest.mark.parametrize("packed", ["gzip", "bzip2", "xz"])
def test_a_truncated_or_damaged_file_is_refused(tmp_path, packed):
    whole = PACKED[packed](CONTENT)
    middle = len(whole) // 2
    for content in (whole[:middle], whole[:middle] + bytes(64) + whole[middle + 64 :]):
        with pytest.raises(InputError, match=r"trace: '.*file.csv' is truncated or damaged \(.*allowed: .*whole"):
            content_of(written(tmp_path, content), "trace")


def test_zstd_is_read_or_refused_by_name(tmp_path):
    frame = b"\x28\xb5\x2f\xfd\x24\x03\x19\x00\x00abc\xc2\xff\xc2\xb4"  # one block as it is, and its checksum
    path = written(tmp_path, frame)
    if input_file.zstd:
        assert content_of(path, "trace") == b"abc"
    else:
        with pytest.raises(InputError, match=r"is compressed by zstd, .*decompress it: zstd -d"):
            content_of(path, "trace")


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.csv", content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (zipped(CONTENT), "a ZIP archive or a workbook of Excel"),
        (b"<!DOCTYPE html>\n<html>", "a web page or XML"),
        (b"\xef\xbb\xbf\n <HTML>", "a web page or XML"),
        (gzip.compress(b"<html>"), "a web page or XML"),
        (gzip.compress(b"a.csv".ljust(257, b"\0") + b"ustar  \0"), "a tar archive"),
        (b"PAR1\x15\x04", "a Parquet file"),
        (b"%PDF-1.7", "a PDF document"),
    ],
    ids=["zip", "html", "html with a BOM", "html in gzip", "tar in gzip", "parquet", "pdf"],
)
def test_content_of_another_kind_is_named(tmp_path, content, kind):
    with pytest.raises(InputError, match=f"is {kind}; allowed: a trace; unpack"):
        content_of(written(tmp_path, content), "trace", "a trace")


def test_what_is_no_file_is_named(tmp_path):
    for path, wrong in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory"), ("a\0b", "cannot be read")):
        with pytest.raises(InputError, match=wrong):
            content_of(path, "trace")
    with pytest.raises(InputError, match="is a device or a socket"):
        content_of("/dev/zero", "trace")


def write_into(descriptor: int, content: bytes) -> None:
    with os.fdopen(descriptor, "wb") as pipe:
        pipe.write(content)


@pytest.mark.parametrize("packed", ["plain", "gzip"])
def test_a_pipe_is_read_as_often_as_a_file(packed):
    """Of `<(zcat FILE)` a program gets the name `/dev/fd/N`."""
    reader, writer = os.pipe()
    thread = threading.Thread(target=write_into, args=(writer, PACKED[packed](CONTENT * 9)))
    thread.start()
    try:
        for _ in range(3):
            assert content_of(f"/dev/fd/{reader}", "trace") == CONTENT * 9
        with open_content(f"/dev/fd/{reader}", "trace", "a trace") as file:
            assert file.readline() == b"offset,size\n"
    finally:
        thread.join()
        os.close(reader)


def test_a_dash_that_names_no_file_is_told_the_path_of_standard_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"'-' cannot be read .*; standard input is /dev/stdin"):
        content_of("-", "--trace")
    with pytest.raises(InputError) as caught:
        content_of("absent.csv", "--trace")
    assert "/dev/stdin" not in str(caught.value)
    written(tmp_path, CONTENT, "-")
    assert content_of("-", "--trace") == CONTENT


def test_a_pipe_that_no_medium_holds_names_the_folder(monkeypatch):
    monkeypatch.setattr(input_file.tempfile, "TemporaryFile", lambda **_: open("/dev/full", "wb"))  # noqa: SIM115
    reader, writer = os.pipe()
    thread = threading.Thread(target=write_into, args=(writer, CONTENT))
    thread.start()
    with pytest.raises(InputError, match=r"does not fit into /.*TMPDIR=FOLDER"):
        content_of(f"/dev/fd/{reader}", "trace")
    os.close(reader)
    thread.join()


def test_an_empty_pipe_is_not_waited_for():
    reader, writer = os.pipe()
    os.close(writer)
    assert content_of(f"/dev/fd/{reader}", "trace") == b""
    os.close(reader)


def test_a_fifo_waits_for_its_writer_but_not_without_end(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "a")
    thread = threading.Thread(target=lambda: (tmp_path / "a").write_bytes(CONTENT))
    thread.start()
    assert content_of(tmp_path / "a", "trace") == CONTENT
    thread.join()
    monkeypatch.setattr(input_file, "WAIT_SECONDS", 0.05)
    os.mkfifo(tmp_path / "b")
    with pytest.raises(InputError, match="is a pipe without a writer"):
        content_of(tmp_path / "b", "trace")


@pytest.fixture
def fifo(tmp_path):
    """Path of a FIFO, and a function that has a thread write content into it once."""
    path, threads = tmp_path / "fifo", []
    os.mkfifo(path)

    def write(content: bytes) -> None:
        threads.append(threading.Thread(target=path.write_bytes, args=(content,)))
        threads[-1].start()

    yield path, write
    for thread in threads:
        thread.join()


def test_the_next_writer_of_a_fifo_is_read_by_the_next_reader(fifo):
    path, write = fifo
    for content in (b"first", b"second"):
        write(content)
        with one_reader():
            assert content_of(path, "trace") == content
            with one_reader():  # as a command of Python within another
                assert content_of(path, "trace") == content
            assert content_of(path, "trace") == content
    for content in (b"third", b"fourth"):
        write(content)
        assert content_of(path, "trace") == content


def test_a_reader_of_its_own_keeps_what_a_fifo_gave(fifo):
    path, write = fifo
    write(CONTENT)
    kept = {}
    for _ in range(2):
        with open_content(path, "trace", "a trace", kept) as file:
            assert file.read() == CONTENT


def test_a_compression_is_no_part_of_a_kind():
    assert [plain_suffix(name) for name in ("a.csv", "b.json.xz", "c.tar.gz", "/dev/fd/63")] == [
        ".csv", ".json", ".tar", ""
    ]  # fmt: skip
