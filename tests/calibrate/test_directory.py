"""How many directory entries a media write holds, from threads on both nodes of PerMA-Bench."""

import numpy as np
import pytest

from pmtwin.calibrate.effects import fit_effects
from pmtwin.calibrate.effects.directory import DirectoryFitting, SharedBench
from pmtwin.calibrate.effects.fitting import Measured
from pmtwin.calibrate.effects.rows import bandwidth_rows, read_effect_tables
from pmtwin.calibrate.effects.shared_rows import shared_rows
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.sim.device import load_profile
from pmtwin.sim.files.csv_table import parse_table

FILE = "permabench/numa_100series_256gb.csv"
HEADER = "numa,exec_mode,access_size_bytes,threads,write_ratio,persist_instruction,read_bandwidth_gib_s,"
HEADER += "write_bandwidth_gib_s,latency_avg_ns\n"


@pytest.fixture(scope="module")
def parameters():
    return load_profile().parameters


@pytest.fixture(scope="module")
def published(shared_data):
    path = shared_data / FILE
    if not path.is_file():
        pytest.skip("the published measurements are not in ../shared/data")
    return read_effect_tables([path])


def made(latencies):
    """PerMA-Bench's table of (place, share of writes) -> mean latency in ns, 16 threads."""
    rows = "".join(
        f"{place},random,64,16,{share},{'cache' if share else ''},1,1,{latency}\n"
        for (place, share), latency in latencies.items()
    )
    return parse_table((HEADER + rows).encode(), "numa.csv", field="--effects")


def fit(parameters, tables, operation="load"):
    return DirectoryFitting().fit(operation, parameters, Measured(bandwidth_rows(()), tables=tables))


ENDS = {("near", 0.0): 61.0, ("near", 1.0): 317.0, ("far", 0.0): 72.0, ("far", 1.0): 482.0}


def test_the_entries_that_made_the_measurements_come_back(parameters):
    rows = shared_rows([made(ENDS | {("none", share): 200.0 for share in (0.0, 0.2, 0.5, 0.8)})])
    bench = SharedBench(parameters, rows, "store_clwb")
    true = {(row.remote_share, row.write_share): 16e3 / bench.accesses_per_us(row, 2.5) for row in rows}
    latencies = {("none", share): true[0.5, share] for share in (0.0, 0.2, 0.5, 0.8)}
    entry = fit(parameters, [made(ENDS | latencies)])
    assert entry["parameters"]["entries_per_write"] == pytest.approx(2.5, rel=1e-3)
    assert entry["log_half_width"][0] < 0.01
    assert entry["not_identified"] == ["streamed_entries_per_write"]


def test_ends_are_the_benchmarks_own(parameters):
    rows = shared_rows([made(ENDS | {("none", 0.5): 200.0})])
    bench = SharedBench(parameters, rows, "store_clwb")
    for row in rows:
        if row.remote_share != 0.5:
            assert bench.accesses_per_us(row, 1.0) == pytest.approx(row.accesses_per_us)


@pytest.mark.parametrize("lacking", [*ENDS, ("none", 0.0)])
def test_without_an_end_or_both_nodes_nothing_is_told(parameters, lacking):
    latencies = {place: latency for place, latency in (ENDS | {("none", 0.0): 173.0}).items() if place != lacking}
    assert shared_rows([made(latencies)]) == [] and fit(parameters, [made(latencies)]) is None


def test_only_reads_change_entries(parameters):
    table = made(ENDS | {("none", 0.0): 173.0})
    assert fit(parameters, [table], "store_clwb") is None
    assert fit({"load": parameters["load"]}, [table]) is None  # the writes' law is what a media write takes


def test_writes_and_half_the_reads_are_as_many_in_all_rows_of_both_nodes(published):
    both = [row for row in shared_rows(published) if row.remote_share == 0.5]
    changes = [(row.write_share + 0.5 * (1.0 - row.write_share)) * row.accesses_per_us for row in both]
    assert len(changes) == 6 and min(changes) > 43.0 and max(changes) < 46.5


def test_rows_left_out_are_met(published):
    for name in ("optane-dcpmm-100", "optane-dcpmm-100-256gb"):
        profile = load_profile(name)
        entry, rows = fit(profile.parameters, published), shared_rows(published)
        assert entry["errors_percent"][0][0] < 5.0
        assert entry["parameters"] == pytest.approx(profile.effects["directory"]["load"]["parameters"], rel=1e-3)
        bench = SharedBench(profile.parameters, rows, "store_clwb")
        for place in (0.0, 1.0):  # mixes of one node, to which nothing is fitted
            errors = [
                abs(bench.accesses_per_us(row, 1.0) / row.accesses_per_us - 1.0)
                for row in rows
                if row.remote_share == place and 0.0 < row.write_share < 1.0
            ]
            assert np.median(errors) < 0.06


def test_dram_learns_no_directory(parameters):
    table = made(ENDS | {("none", 0.0): 173.0})
    for media, told in (("pmem", True), ("not stated", True), ("dram", False)):
        effects = fit_effects(parameters, [table], media=media)
        assert ("directory" in effects) is told, media


def test_a_measurement_of_both_nodes_is_no_measurement_of_one(tmp_path):
    path = tmp_path / "mine.csv"
    rows = "".join(f"load,random,64,16,6,both,{last},9000\n" for last in ("", "same"))
    path.write_text("operation,pattern,access_size_bytes,threads,dimms,numa,last_node,bandwidth_mib_s\n" + rows)
    measured, _ = read_sources([str(path)], ReadOptions())
    assert not measured.context.varied and measured.dropped == {"threads on both nodes at once": 2}
