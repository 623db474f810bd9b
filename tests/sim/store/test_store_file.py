"""A store's file: read with clear errors, and what it gives the twin."""

import json
from dataclasses import replace

import pytest

from pmtwin.sim.device.profile import DEFAULT_PROFILE
from pmtwin.sim.errors import InputError
from pmtwin.sim.parameters.large_store import LARGE_STORE
from pmtwin.sim.parameters.store_law import IN_TWIN, twin_name
from pmtwin.sim.parameters.values import resolve
from pmtwin.sim.store.file import DEFAULT_STORE, load_store, store_names


@pytest.fixture
def changed(tmp_path):
    """A copy of the shipped file with one change."""

    def write(change) -> str:
        content = load_store().document()
        change(content)
        path = tmp_path / "store.json"
        path.write_text(json.dumps(content))
        return str(path)

    return write


def test_the_shipped_store_survives_writing_and_reading(tmp_path):
    store = load_store()
    store.save(tmp_path / "store.json")
    again = load_store(tmp_path / "store.json")
    assert store_names() == [DEFAULT_STORE] and again.document() == store.document()
    for fit in store.fits.values():
        assert 100 <= fit.count <= 400


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda c: c.update(format="x"), "format"),
        (lambda c: c.update(version=2), "version"),
        (lambda c: c.update(fits={}), "fits"),
        (lambda c: c.pop("machine_log_sd"), "machine_log_sd"),
        (lambda c: next(iter(c["fits"].values()))["samples"]["rows"][3].pop(), r"rows\[3\]"),
        (lambda c: next(iter(c["fits"].values()))["samples"]["names"].__setitem__(0, "x"), "names"),
        (lambda c: next(iter(c["fits"].values()))["samples"]["rows"][1].__setitem__(0, -1.0), "above 0"),
        (lambda c: c["latency_over_mean"].pop("get"), "latency_over_mean"),
        (lambda c: c["fitted_range"]["get"].pop("records"), "fitted_range.get"),
    ],
)
def test_a_damaged_file_is_refused_by_field(changed, change, named):
    with pytest.raises(InputError, match=named):
        load_store(changed(change))


def test_an_unknown_store_is_refused():
    with pytest.raises(InputError, match="did you mean 'pmemkv-cmap'"):
        load_store("pmemkv-cmp")


def test_beside_a_profile_without_a_fit_the_default_profiles_stands_in():
    store = load_store()
    first, other = store.fits
    assert other == DEFAULT_PROFILE, "the default's is not the first of the file"
    assert [store.fitted_beside(name) for name in (first, other, "dram-ddr4")] == [first, other, other]
    alone = replace(store, fits={first: store.fits[first]})
    assert alone.fitted_beside("dram-ddr4") == first and alone.fit_beside("dram-ddr4") is store.fits[first]


def test_every_sample_is_a_set_of_the_twins_parameters():
    for fit in load_store().fits.values():
        for sample in range(fit.count):
            parameters = fit.twin_parameters(sample)
            assert set(parameters) == {twin_name(name) for name in IN_TWIN}
            resolve(parameters | {"records": 1e8})
        assert fit.twin_parameters(0) != fit.twin_parameters(1)
        with pytest.raises(InputError, match="sample"):
            fit.twin_parameters(fit.count)


def test_the_twins_defaults_are_near_the_shipped_posterior():
    entries = load_store().fits["optane-dcpmm-100"].parameters
    defaults = {parameter.name: parameter.default for parameter in LARGE_STORE}
    for name, entry in entries.items():
        if twin_name(name) in defaults:
            assert abs(defaults[twin_name(name)] - entry["value"]) <= 0.25 * (entry["high"] - entry["low"]), name
