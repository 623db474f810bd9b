"""Latencies of a new profile: measured before published, and never guessed in silence."""

import pytest

from pmtwin.calibrate.context import Context, Latency, LoadedLatency
from pmtwin.calibrate.latencies import NO_TAIL, device_latencies
from pmtwin.calibrate.published import DRAM, OPTANE
from pmtwin.sim.device import OPERATIONS, load_profile

READS = tuple(Latency("load", "random", size, ns) for size, ns in ((64, 420.0), (64, 430.0), (256, 490.0)))
LINE_NS = dict.fromkeys(OPERATIONS, 20.0)


def test_the_shortest_measured_accesses_count_before_the_publication():
    result = device_latencies(["load"], Context("pmem", latencies=READS), LINE_NS)
    assert result.idle_ns == {("load", "random"): 425.0, ("load", "sequential"): 169.4}
    assert result.sources["idle_latency_ns.load.random"]["origin"] == "measured"
    assert result.sources["idle_latency_ns.load"]["origin"] == "published"


@pytest.mark.parametrize(("media", "known"), [("pmem", OPTANE), ("dram", DRAM)])
def test_a_known_kind_of_memory_has_published_values_with_their_sources(media, known):
    result = device_latencies(OPERATIONS, Context(media), LINE_NS)
    assert result.idle_ns == known.idle_latency_ns and result.tail == known.tail
    assert result.queue_line_ns == known.queue_line_ns
    assert {entry["origin"] for entry in result.sources.values()} == {"published", "assumed"}
    assert all(entry["source"] for entry in result.sources.values())


def test_dram_has_no_wear_levelling():
    assert device_latencies(["load"], Context("dram"), LINE_NS).tail.stall_probability == 0.0


def test_what_nobody_measured_is_not_identified():
    result = device_latencies(["load", "ntstore"], Context("cxl", latencies=READS[:1]), LINE_NS)
    assert result.idle_ns == {("load", "random"): 420.0} and result.queue_line_ns == {} and result.tail == NO_TAIL
    open_ones = {key for key, entry in result.sources.items() if entry["origin"] == "not identified"}
    assert open_ones == {"idle_latency_ns.ntstore", "queue_line_ns", "tail"}


def test_a_profile_stands_in_for_what_is_missing_and_for_nothing_else():
    like = load_profile()
    result = device_latencies(["load", "ntstore"], Context("cxl", latencies=READS[:1]), LINE_NS, like)
    assert result.idle_ns["load", "random"] == 420.0
    assert result.idle_ns["ntstore", "random"] == like.idle_latency_ns["ntstore", "random"]
    assert result.tail == like.tail
    assert result.sources["tail"] == {"origin": "assumed", "source": "as profile optane-dcpmm-100"}
    assert "idle_latency_ns.store_clwb" not in result.sources


def test_latency_under_load_is_fitted_where_it_was_measured():
    loaded = tuple(LoadedLatency(100 + 10 * rho / (2 * (1 - rho)), 1000 * rho) for rho in (0.1, 0.4, 0.7, 0.9))
    result = device_latencies(["load"], Context("dram", loaded=loaded), LINE_NS)
    assert result.queue_line_ns["load"] == pytest.approx(10.0, rel=0.1)
    assert result.sources["queue_line_ns"]["origin"] == "measured"
    few = device_latencies(["load"], Context("dram", loaded=loaded[:3]), LINE_NS)
    assert few.queue_line_ns["load"] == DRAM.queue_line_ns["load"]


def test_the_interval_of_an_idle_latency_is_that_of_its_visits():
    visits = [Latency("load", "random", 64, ns, f"p: {visit}") for visit, ns in enumerate((400.0, 420.0, 441.0))]
    entry = device_latencies(["load"], Context("dram", latencies=tuple(visits)), LINE_NS).sources[
        "idle_latency_ns.load.random"
    ]
    low, high = entry["interval_90"]
    # steps of 5 % on the logarithm, by hand: t(2, 0.95) = 2.92, over the root of 3
    assert (low, high) == (pytest.approx(420.0 / 1.0857, rel=1e-3), pytest.approx(420.0 * 1.0857, rel=1e-3))
    assert "over 3 visits" in entry["source"]
    together = tuple(Latency("load", "random", 64, each.latency_ns, "p: 0") for each in visits)
    once = device_latencies(["load"], Context("dram", latencies=together), LINE_NS).sources[
        "idle_latency_ns.load.random"
    ]
    assert "interval_90" not in once


def test_a_measured_write_stands_for_its_other_pattern_and_for_a_cached_store():
    writes = (Latency("store_clwb", "random", 64, 560.0),)
    result = device_latencies(["load", "ntstore", "store_clwb", "store"], Context("pmem", latencies=writes), LINE_NS)
    assert {result.idle_ns[name, of] for name in ("store_clwb", "store") for of in ("random", "sequential")} == {560.0}
    assert result.idle_ns["ntstore", "random"] == OPTANE.idle_latency_ns["ntstore", "random"]
    assert result.sources["idle_latency_ns.store_clwb.random"]["origin"] == "measured"
    for name in ("store_clwb.sequential", "store.random"):
        assert result.sources[f"idle_latency_ns.{name}"]["source"] == "as measured of store_clwb random"
    loads = device_latencies(["load"], Context("pmem", latencies=READS), LINE_NS)
    assert loads.idle_ns["load", "sequential"] == OPTANE.idle_latency_ns["load", "sequential"]


@pytest.mark.parametrize(("size", "further"), [(64, 0.0), (100, 20.0), (256, 60.0)])
def test_an_access_of_several_lines_tells_the_latency_of_its_first_one(size, further):
    reads = tuple(Latency("load", "random", size, ns, visit) for ns, visit in ((340.0, "a"), (330.0, "b")))
    result = device_latencies(["load"], Context("pmem", latencies=reads), LINE_NS)
    assert result.idle_ns["load", "random"] == pytest.approx(335.0 - further)
    entry = result.sources["idle_latency_ns.load.random"]
    assert ("335.0 ns, less the lines" in entry["source"]) == (further > 0.0)
    assert entry["interval_90"][0] < 335.0 - further < entry["interval_90"][1]


def test_lines_that_would_take_more_than_the_whole_access_share_its_time():
    reads = (Latency("load", "random", 256, 40.0),)
    assert device_latencies(["load"], Context("dram", latencies=reads), LINE_NS).idle_ns["load", "random"] == 10.0
