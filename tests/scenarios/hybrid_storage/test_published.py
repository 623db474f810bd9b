"""Published values agree with one another where the paper states them twice, and listings show all of them."""

from pmtwin.scenarios.hybrid_storage.listings import LISTINGS
from pmtwin.scenarios.hybrid_storage.published import (
    ASSUMED,
    CLAIMS,
    ORDERS,
    SUITES,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
)
from pmtwin.sim.hybrid.devices import CONFIGS, DEVICES


def claim(name, text):
    (only,) = [each for each in CLAIMS if (each.name, each.claim) == (name, text)]
    return only


def test_seventeen_traces_in_the_kinds_that_the_text_names():
    assert len(TABLE_4) == 17
    for kind, low, high in (("read-intensive", 70, 90), ("near-equal", 45, 60), ("write-intensive", 0, 10)):
        rows = [row for row in TABLE_4.values() if row.suite in SUITES[kind]]
        assert rows and all(low <= row.read_percent <= high for row in rows)


def test_mixes_have_traces_that_are_known():
    assert {name for mix in TABLE_5.values() for name in mix.workloads} <= {*TABLE_4, *ASSUMED}
    assert [len(mix.workloads) for mix in TABLE_5.values()] == [2, 2, 2, 4, 4, 8]


def test_devices_of_the_model_have_what_table_3_prints_except_the_impossible():
    for row in TABLE_3:
        device = DEVICES[row.label]
        assert (device.read_gb_s, device.write_gb_s, device.capacity_gb) == (
            row.read_gb_s,
            row.write_gb_s,
            row.capacity_gb,
        )
        for field in ("read_iops", "write_iops"):
            printed = getattr(row, field)
            is_possible = printed is not None and printed * 4096 / 1e9 <= 3.0
            assert not is_possible or getattr(device, field) == printed


def test_over_means_a_ratio_of_latencies_and_not_a_share():
    """Gap closed, Sibyl's share of Oracle and "over Sibyl" are three statements about two ratios (perf)."""
    oracle = claim("sibyl", "performance, of Oracle's, %").perf / 100.0  # latency of Oracle, Sibyl's is 1
    over = claim("harmonia", "performance over Sibyl, %").perf / 100.0
    closed = claim("harmonia", "gap between Sibyl and Oracle closed, %").perf / 100.0
    as_ratio, as_share = (1.0 - 1.0 / (1.0 + over)) / (1.0 - oracle), over / (1.0 - oracle)
    assert abs(as_ratio - closed) < 0.03
    assert abs(as_share - closed) > 0.3


def test_the_state_has_the_features_and_bits_that_the_text_names():
    assert sum(row.bits for row in TABLE_1) == claim("state", "bits of the features of a page").perf
    assert len(TABLE_1) == claim("network", "inputs, with two devices").perf
    too_wide = {row.name for row in TABLE_1 if row.bits != (row.bins - 1).bit_length()}
    assert too_wide == {"acc_intr", "acc_freq", "migr_intr"}  # 6 bits would do


def test_chosen_hyperparameters_lie_in_their_design_space():
    assert all(row.low <= value <= row.high for row in TABLE_2 for value in (row.placement, row.migration))


def test_no_storage_of_the_paper_holds_a_workload_of_the_size_that_it_states():
    capacity_gb = {row.label: row.capacity_gb for row in TABLE_3}
    (size,) = [each for each in CLAIMS if each.name == "workloads"]
    for devices in CONFIGS.values():
        workload_gb = size.perf * capacity_gb[devices[0]]
        assert workload_gb > 1000 * sum(capacity_gb[name] for name in devices)


def test_listings_show_all_traces_mixes_and_claims():
    rows = {row["name"]: row for row in LISTINGS["block-workloads"].entries()}
    assert set(rows) == {*TABLE_4, *ASSUMED, *TABLE_5}
    assert rows["YCSB-A"]["place"] == "assumed" and rows["LUN0"]["place"] == "Table 4"
    assert "LUN0, not LUN1" in rows["mix2"]["note"]
    claims = LISTINGS["block-claims"].entries()
    assert len(claims) == len(CLAIMS) + len(ORDERS)
    assert len({tuple(row) for row in claims}) == 1
    assert [len(LISTINGS[name].entries()) for name in ("block-features", "block-agents")] == [7, 5]
    assert len({tuple(row) for row in rows.values()}) == 1
