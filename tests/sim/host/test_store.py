"""The store of the default host beside another device: the fit there, or a warning."""

from dataclasses import replace

import pytest

from pmtwin.sim.device.profile import DEFAULT_PROFILE
from pmtwin.sim.host.file import DEFAULT_HOST, read_host
from pmtwin.sim.host.store import with_store_beside
from pmtwin.sim.store.file import load_store

OTHER, WITHOUT_FIT = "optane-dcpmm-100-128gb", "dram-ddr4"


@pytest.fixture(scope="module")
def host():
    return read_host(DEFAULT_HOST)


def test_beside_a_profile_with_a_fit_the_draws_go_through_the_samples_of_that_fit(host):
    fit, moved = load_store().fits[OTHER], with_store_beside(host, OTHER)
    for number, (before, after) in enumerate(zip(host.draws, moved.draws, strict=True)):
        sample = fit.twin_parameters(number % fit.count)
        changed = {name for name in before if before[name] != after[name]}
        assert len(changed) > 10 and {name: after[name] for name in changed} == {name: sample[name] for name in changed}
        assert after["kv_extra_reads"] == sample["kv_extra_reads"]
        assert [before[name] == after[name] for name in ("records", "smt_yield", "handoff_ns")] == [True] * 3
    assert moved.values["kv_extra_reads"] == fit.twin_parameters(fit.representative)["kv_extra_reads"]
    assert OTHER in moved.entries["kv_extra_reads"]["source"]
    assert host.warnings(OTHER, has_records=True) == []


def test_what_was_given_stays(host):
    given = {**host.entries["kv_extra_reads"], "origin": "assumed"}
    changed = replace(host, entries={**host.entries, "kv_extra_reads": given})
    moved = with_store_beside(changed, OTHER)
    assert moved.entries["kv_extra_reads"] == given
    assert [draw["kv_extra_reads"] for draw in moved.draws] == [draw["kv_extra_reads"] for draw in host.draws]


def test_beside_a_profile_without_a_fit_the_store_stays_and_is_warned_of(host):
    assert with_store_beside(host, WITHOUT_FIT) is host
    (warning,) = host.warnings(WITHOUT_FIT, has_records=True)
    assert WITHOUT_FIT in warning and f"fitted with profile {DEFAULT_PROFILE}" in warning and "\n" not in warning
    assert host.warnings(WITHOUT_FIT, has_records=False) == []


def test_beside_its_own_profile_nothing_changes(host):
    assert with_store_beside(host, DEFAULT_PROFILE) is host
    assert host.warnings(DEFAULT_PROFILE, has_records=True) == []


def test_a_host_of_the_counted_store_has_nothing_that_another_device_could_change(host):
    names = ("handoff_ns", "timeslice_ns")
    changed = replace(host, entries={name: host.entries[name] for name in names})
    assert with_store_beside(changed, OTHER) is changed
    assert changed.warnings(WITHOUT_FIT, has_records=True) == []
