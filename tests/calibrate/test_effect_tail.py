"""The tail of single writes: what far percentiles tell comes back, and the shipped profile meets the published ones."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.effects.rows import read_effect_tables
from pmtwin.calibrate.effects.tail import COLUMNS, FITTED, MEAN_NS, TailRow, fit_tail, score_tail, tail_rows
from pmtwin.calibrate.published import OPTANE
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.access_latency import AccessLatency

KNOWN = replace(OPTANE.tail, write_body_sigma=0.12, stall_ns=30_000.0, stall_region_bytes=60_000.0)
REGIONS = 2.0 ** np.arange(8, 27)


def rows_of(tail) -> list[TailRow]:
    """Percentiles that follow a tail exactly."""
    return [
        TailRow(size, {q: float(AccessLatency(MEAN_NS, tail, 1.0, size).quantile(q)) for q in COLUMNS.values()})
        for size in REGIONS
    ]


def test_a_known_tail_comes_back():
    result = fit_tail(OPTANE.tail, rows_of(KNOWN))
    for name in FITTED:
        assert getattr(result, name) == pytest.approx(getattr(KNOWN, name), rel=0.02), name
    assert result.stall_probability == KNOWN.stall_probability  # held


def test_a_hot_spot_kept_aside_that_differs_is_an_error():
    rows = rows_of(KNOWN)
    assert score_tail(OPTANE.tail, rows)["p99.99%"][1] < 1.0
    odd = [replace(rows[3], quantiles_ns={q: 2 * ns for q, ns in rows[3].quantiles_ns.items()})]
    score = score_tail(OPTANE.tail, rows[:3] + odd + rows[4:])
    assert score["points"] == len(REGIONS) and score["p99.99%"][1] > 2.0
    assert score_tail(OPTANE.tail, rows[:3]) is None


def test_the_figure_is_in_microseconds(tmp_path):
    path = tmp_path / "tail.csv"
    path.write_text("HotspotRegion,99.99%,99.999%,Max\n256,0.32,52.7,56.8\n")
    assert tail_rows(read_effect_tables([path])) == [TailRow(256.0, {0.9999: 320.0, 0.99999: 52_700.0})]


def test_shipped_percentiles_are_the_published_ones(shared_data):
    path = shared_data / "optane/fast20_03-tail_latency.csv"
    if not path.is_file():
        # The data are not part of a clone: they lie beside it, if at all.
        pytest.skip("the published measurements are not in ../shared/data")
    profile = load_profile()
    rows = tail_rows(read_effect_tables([path]))
    for k, q in enumerate(COLUMNS.values()):
        result = np.array([AccessLatency(MEAN_NS, profile.tail, 1.0, row.region_bytes).quantile(q) for row in rows])
        errors = np.abs(result / [row.quantiles_ns[q] for row in rows] - 1.0)
        assert np.median(errors) < (0.02, 0.03)[k]
    stated = profile.record["errors_percent_tail"]
    assert stated["points"] == len(rows) and stated["p99.99%"][0] < 2.0 and stated["p99.999%"][0] < 3.0
    constants = fit_tail(OPTANE.tail, rows)
    for name in FITTED:
        assert getattr(OPTANE.tail, name) == pytest.approx(getattr(constants, name), rel=0.01), name
