"""How many directory entries a media write holds, from threads on both nodes of PerMA-Bench."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.effects import fit_effects
from pmtwin.calibrate.effects.directory import DirectoryFitting, with_directory
from pmtwin.calibrate.effects.fitting import Measured
from pmtwin.calibrate.effects.rows import bandwidth_rows, read_effect_tables
from pmtwin.calibrate.effects.shared_accesses import accesses_per_us, points_of, writing_time
from pmtwin.calibrate.effects.shared_rows import shared_rows
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.files.csv_table import parse_table

FILE = "permabench/numa_100series_256gb.csv"
HEADER = "numa,exec_mode,access_size_bytes,threads,write_ratio,persist_instruction,read_bandwidth_gib_s,"
HEADER += "write_bandwidth_gib_s,latency_avg_ns\n"


@pytest.fixture(scope="module")
def profile():
    return load_profile()


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


def fit(profile, tables, operation="load"):
    return DirectoryFitting().fit(operation, profile, Measured(bandwidth_rows(()), tables=tables))


SHARES = (0.0, 0.2, 0.5, 0.8, 1.0)
ENDS = {("near", 0.0): 61.0, ("near", 1.0): 317.0, ("far", 0.0): 72.0, ("far", 1.0): 482.0}


def predicted_latencies(profile, entries, rows):
    """(place, share of writes) -> mean latency in ns on a device whose media writes hold so many entries."""
    entry = profile.effects["directory"]["load"]
    stated = {**entry, "parameters": {**entry["parameters"], "entries_per_write": entries}}
    counts = accesses_per_us(with_directory(profile, stated), rows)
    return {("none", row.write_share): row.threads * 1e3 / count for row, count in zip(rows, counts, strict=True)}


@pytest.fixture(scope="module")
def both():
    """Rows of both nodes, of any latency."""
    return shared_rows([made({("none", share): 200.0 for share in SHARES})])


@pytest.mark.parametrize("name", ["optane-dcpmm-100", "optane-dcpmm-100-256gb"])
def test_the_entries_that_made_the_measurements_come_back(name, both):
    """One profile's mixes share the media's time, the other's wait in one queue."""
    profile = load_profile(name)
    entry = fit(profile, [made(predicted_latencies(profile, 2.5, both))])
    assert entry["parameters"]["entries_per_write"] == pytest.approx(2.5, rel=1e-3)
    assert entry["log_half_width"][0] < 1e-3
    assert entry["not_identified"] == ["streamed_entries_per_write"]


def test_a_thread_reads_and_writes_for_as_long_as_its_accesses_take(profile, both):
    result = predict(profile, points_of(both, writing_time(profile, both)))
    written = result["write_bandwidth_mib_s"] / result["bandwidth_mib_s"]
    assert written == pytest.approx(np.array(SHARES), abs=1e-9)


def test_other_nodes_of_the_benchmark_do_not_matter(profile, both):
    """The law that predicts is the one that the entries are fitted beside, not the benchmark's own pure ends."""
    latencies = predicted_latencies(profile, 1.5, both)
    assert fit(profile, [made(ENDS | latencies)]) == fit(profile, [made(latencies)])


def test_without_threads_of_both_nodes_nothing_is_told(profile):
    assert shared_rows([made(ENDS)]) == [] and fit(profile, [made(ENDS)]) is None


@pytest.mark.parametrize("operation", ["load", "store_clwb"])
def test_a_law_that_does_not_predict_the_rows_is_told_nothing(profile, both, operation):
    table = made(predicted_latencies(profile, 2.0, both))
    kept = {name: entry for name, entry in profile.effects["remote"].items() if name != operation}
    near = replace(profile, effects={**profile.effects, "remote": kept})
    boxes = [box for box in profile.fitted_range[operation] if box["pattern"] == "sequential"]
    streams = replace(profile, fitted_range={**profile.fitted_range, operation: boxes})
    parameters = {name: law for name, law in profile.parameters.items() if name != operation}
    lacking = replace(profile, parameters=parameters, effects={**profile.effects, "remote": kept})
    assert [fit(law, [table]) for law in (near, streams, lacking)] == [None] * 3


def test_only_reads_change_entries(profile, both):
    assert fit(profile, [made(predicted_latencies(profile, 2.0, both))], "store_clwb") is None


def test_writes_and_half_the_reads_are_as_many_in_all_rows_of_both_nodes(published):
    both = [row for row in shared_rows(published) if row.remote_share == 0.5]
    changes = [(row.write_share + 0.5 * (1.0 - row.write_share)) * row.accesses_per_us for row in both]
    assert len(changes) == 6 and min(changes) > 43.0 and max(changes) < 46.5


@pytest.mark.parametrize(("name", "percent"), [("optane-dcpmm-100", 10.0), ("optane-dcpmm-100-256gb", 15.0)])
def test_rows_left_out_are_met(published, name, percent):
    profile = load_profile(name)
    entry, shipped = fit(profile, published), profile.effects["directory"]["load"]
    assert entry["errors_percent"][0][0] < percent
    assert entry["errors_percent"][0] == pytest.approx(shipped["errors_percent"][0], abs=0.05)
    assert entry["parameters"] == pytest.approx(shipped["parameters"], rel=1e-3)


def test_dram_learns_no_directory(profile):
    table = made(ENDS | {("none", share): 200.0 for share in SHARES})
    for media, told in (("pmem", True), ("not stated", True), ("dram", False)):
        effects = fit_effects(profile, [table], media=media)
        assert ("directory" in effects) is told, media


def test_a_measurement_of_both_nodes_is_no_measurement_of_one(tmp_path):
    path = tmp_path / "mine.csv"
    rows = "".join(f"load,random,64,16,6,both,{last},9000\n" for last in ("", "same"))
    path.write_text("operation,pattern,access_size_bytes,threads,dimms,numa,last_node,bandwidth_mib_s\n" + rows)
    measured, _ = read_sources([str(path)], ReadOptions())
    assert not measured.context.varied and measured.dropped == {"threads on both nodes at once": 2}
