"""The device's curves, with points where measurements are at hand and without where not."""

import numpy as np
import pytest

from pmtwin.figures.drawing.style import styled
from pmtwin.figures.experiments import device
from pmtwin.figures.plots.device import render_mix, render_threads

PROFILE = "optane-dcpmm-100"


def test_curves_are_what_the_profile_predicts_and_lie_in_their_bands():
    data = device.run(PROFILE, None)
    assert data["data"] == []
    for curve in [*data["threads"], *data["sizes"], data["mix"]]:
        low, middle, high = (np.array(curve[name]) for name in ("low_mib_s", "bandwidth_mib_s", "high_mib_s"))
        assert np.all((low > 0) & (low < middle) & (middle < high))
        assert curve["points"] is None


def test_without_measurements_the_caption_says_so():
    with styled():
        drawing = render_threads({"device": device.run(PROFILE, None)}).drawings[0]
    assert "not at hand" in drawing.caption and "error" not in drawing.caption


def test_measured_points_are_near_the_curves(shared_data):
    data = device.run(PROFILE, shared_data / "optane")
    assert data["data"] == [device.SWEEP, device.MIX_FILE]
    with styled():
        caption = render_threads({"device": data}).drawings[0].caption
        rows = render_mix({"device": data}).tables[0].rows
    assert float(caption.split("points shown: ")[1].split(" %")[0]) < 4.0
    assert next(row for row in rows if row[2] == "measured")[4] == pytest.approx(3892.9e6 / 2**20)
