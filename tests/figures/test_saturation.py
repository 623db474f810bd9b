"""Closed loops that only the device limits reach the bandwidth of the law, on both engines."""

import pytest

from pmtwin.figures.drawing.style import styled
from pmtwin.figures.experiments import saturation
from pmtwin.figures.plots.saturation import render
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.profile import load_profile

PROFILE = "optane-dcpmm-100"


@pytest.fixture(scope="module")
def data() -> dict:
    return saturation.run(PROFILE, requests=20_000, compared=60, seed=3)


def test_simulated_saturation_bandwidth_is_what_predict_says(data):
    """One size by threads, several sizes, and mixes; the rest is the noise of a finite run."""
    for case in data["cases"]:
        noise = 0.02 if len(case["sizes"]) > 1 else 0.01
        assert case["simulated_mib_s"] == pytest.approx(case["law_mib_s"], rel=noise), case


@pytest.mark.parametrize("name", ["dram-ddr4", "optane-dcpmm-100-512gb"])
@pytest.mark.parametrize(("readers", "writers"), [(16, 0), (0, 30), (9, 6)])
def test_so_it_is_on_other_devices(name, readers, writers):
    at = load_profile(name), (256,), readers, writers
    assert saturation.simulated_mib_s(*at, 20_000, 5) == pytest.approx(saturation.law_mib_s(*at), rel=0.01)


def test_inside_the_data_the_law_is_not_the_mechanism_alone():
    profile = load_profile(PROFILE)
    bare = float(bandwidth_mib_s(profile, "ntstore", "random", 256, 24))
    assert abs(saturation.law_mib_s(profile, (256,), 0, 24)[1] / bare - 1.0) > 0.02


def test_the_figure_states_the_difference(data):
    with styled():
        rendered = render({"saturation": data})
    assert len(rendered.tables[1].rows) == len(data["cases"])
    assert "%" in rendered.statements[0].computed


def test_a_twin_off_the_law_is_noticed(data):
    wrong = [dict(case, simulated_mib_s=[1.03 * value for value in case["simulated_mib_s"]]) for case in data["cases"]]
    with styled():
        assert render({"saturation": data | {"cases": wrong}}).statements[0].holds is False
