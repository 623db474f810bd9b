"""The interactive class: the shipped constants are what the published curves say, and a trace can be read."""

import gzip

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.workloads.azure_blob import BLOB_STATISTICS, blob_class
from pmtwin.scenarios.nvm_middleware.workloads.azure_fit import SMALL_BYTES, fit_blob_statistics
from pmtwin.scenarios.nvm_middleware.workloads.azure_trace import COLUMNS, read_blob_trace, trace_statistics
from pmtwin.sim.errors import InputError
from pmtwin.sim.load.workload import SIZE_BINS


def row(time_ms=0, blob="b", size=100, read="True", write="False", app="app"):
    return [str(time_ms), "r", "u", app, "i", blob, "BlockBlob", "e", str(size), read, write]


def write_csv(path, rows, columns=COLUMNS):
    path.write_text("\n".join(",".join(cells) for cells in [columns, *rows]) + "\n")
    return path


def test_the_shipped_constants_are_found_again_in_the_curves(shared_data):
    assert fit_blob_statistics(shared_data / "azure_blob") == BLOB_STATISTICS


def test_the_fit_follows_the_curves(shared_data):
    # the share of small reads of at most 27 bytes, by eye on the curve: 63.4 % of the 71.5 % below 1 KB
    sizes = blob_class().sizes(False)
    assert np.mean(sizes <= 27) == pytest.approx(63.4 / 71.5, abs=0.01)
    # and of small writes of at most 63 bytes: 33.8 % of 50.1 %
    assert np.mean(blob_class().sizes(True) <= 63) == pytest.approx(33.8 / 50.1, abs=0.01)


def test_the_class():
    made = blob_class(clients=7, rate_ops=1000.0)
    assert (made.clients, made.rate_ops, made.write_ratio) == (7, 1000.0, 0.17)
    for is_write in (False, True):
        assert made.sizes(is_write).shape == (SIZE_BINS,)
        assert made.sizes(is_write).max() < SMALL_BYTES


def test_a_folder_without_the_curves_is_refused(tmp_path):
    with pytest.raises(InputError, match="published_stats"):
        fit_blob_statistics(tmp_path)
    (tmp_path / "published_stats.json").write_text('{"read_fraction_fitted": 0.7}')
    (tmp_path / "cdf_size_access_all.csv").write_text("size_bytes,other\n1,2\n")
    with pytest.raises(InputError, match="cdf_pct_high"):
        fit_blob_statistics(tmp_path)


def test_reading_the_original_schema(tmp_path):
    path = write_csv(
        tmp_path / "trace.csv",
        [
            row(0, "x", 10),
            row(5, "y", 1023),
            row(10, "x", 20, read="false", write="true"),
            row(11, "x", 1024),  # not below 1 KB
            row(15, "x", 30, read="True", write="True"),
            row(20, "x", 7, app="other"),
        ],
    )
    trace = read_blob_trace(path)
    assert trace.timestamp_ms.tolist() == [0, 5, 10, 15, 15, 20]
    assert trace.blob.tolist() == [0, 1, 0, 0, 0, 2]
    assert trace.size_bytes.tolist() == [10, 1023, 20, 30, 30, 7]
    assert trace.is_write.tolist() == [False, False, True, False, True, False]


def test_statistics_of_a_trace_by_hand(tmp_path):
    rows = [row(0, size=8), row(10, size=8), row(40, size=64), row(50, size=32, read="0", write="1")]
    statistics = trace_statistics(read_blob_trace(write_csv(tmp_path / "trace.csv", rows)))
    assert statistics.write_ratio == 0.25
    assert statistics.write_sizes == ((32, 256),)
    assert statistics.read_sizes == ((8, 171), (64, 85))
    gaps = np.array([10, 30, 10])
    assert statistics.interarrival_cov == pytest.approx(gaps.std() / gaps.mean())
    assert blob_class(statistics=statistics).interarrival_cov == statistics.interarrival_cov


def test_compressed_and_plain_read_alike(tmp_path):
    plain = write_csv(tmp_path / "trace.csv", [row(0), row(1), row(3)])
    (tmp_path / "trace.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    packed = read_blob_trace(tmp_path / "trace.csv.gz")
    np.testing.assert_array_equal(packed.timestamp_ms, read_blob_trace(plain).timestamp_ms)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(size="many")], r"trace.csv:2: BlobBytes: 'many'"),
        ([row(), row(size="nan")], r"trace.csv:3: BlobBytes: 'nan'"),
        ([row(time_ms="-1")], r"trace.csv:2: Timestamp: '-1'"),
        ([row(read="yes")], r"trace.csv:2: Read: 'yes'"),
        ([row(read="False")], r"trace.csv:2: Read, Write"),
        ([row()[:5]], r"trace.csv:2.*truncated"),
        ([row(size=5000)], r"at least one access of less than 1024 bytes"),
    ],
)
def test_bad_rows_are_named_with_their_line(tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        read_blob_trace(write_csv(tmp_path / "trace.csv", rows))


def test_bad_files_are_named(tmp_path):
    with pytest.raises(InputError, match="missing: Write"):
        read_blob_trace(write_csv(tmp_path / "trace.csv", [], COLUMNS[:-1]))
    (tmp_path / "empty.csv").touch()
    with pytest.raises(InputError, match="empty"):
        read_blob_trace(tmp_path / "empty.csv")
    (tmp_path / "binary.csv").write_bytes(bytes(range(128, 256)))
    with pytest.raises(InputError, match="is no text in UTF-8: line 1"):
        read_blob_trace(tmp_path / "binary.csv")
    with pytest.raises(InputError, match="No such file"):
        read_blob_trace(tmp_path / "absent.csv")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"x" * 10_000)[:20])
    with pytest.raises(InputError, match="is truncated or damaged"):
        read_blob_trace(tmp_path / "cut.csv.gz")


def test_a_trace_too_short_to_know_its_burstiness(tmp_path):
    with pytest.raises(InputError, match="more than 2 accesses"):
        trace_statistics(read_blob_trace(write_csv(tmp_path / "trace.csv", [row(0), row(1)])))
