"""The fit report is drawn of a sweep and of a few rows, and says in both where not to trust the model."""

import numpy as np
import pytest

from pmtwin.calibrate.build import calibrate
from pmtwin.calibrate.report.page import write_report

PLOTS = ["by-size", "by-threads", "coverage", "noise", "predicted", "trust"]


@pytest.fixture(scope="module")
def few(make_sweep):
    """Nine configurations: no two share so many sizes or thread counts that a band could be drawn."""
    sweep = make_sweep()
    loads = np.flatnonzero((sweep.pattern == "random") & (sweep.dimms == 6))
    return calibrate(sweep.take(loads[:: len(loads) // 9][:9]), "<few>", "x & y", bootstrap=2, jobs=1)


def test_nine_configurations_are_enough_for_a_report(few, tmp_path):
    page = write_report(few, tmp_path / "report").read_text()
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["index.html"]
    assert "&lt;few&gt;" in page and "x &amp; y" in page and "<few>" not in page
    assert "Own data: the mechanism alone. Unseen: what predict says" in page
    assert "load sequential" in page and "nothing was measured twice" in page
    assert all(f'id="{name}-figure_1"' in page for name in PLOTS)


def test_without_intervals_the_fitted_data_are_drawn_and_no_error_is_said_to_be_known(make_sweep, tmp_path):
    fit = calibrate(make_sweep(), "fast", "x", bootstrap=0)
    page = write_report(fit, tmp_path / "report").read_text()
    assert "how far to trust the predictions is not known" in page
    drawn = {name for name in PLOTS if f'id="{name}-figure_1"' in page}
    assert drawn == {*PLOTS} - {"coverage", "trust"} and "map of trust" in page
    assert page.count("<figcaption") == 4 and "kept-aside" not in page
    assert (
        "Unseen" not in page and "Own data" not in page and "90 % interval" not in page
    )  # explains no column that is absent


def test_the_line_that_repeats_it_is_as_it_was_typed(few, tmp_path):
    page = write_report(few, tmp_path / "report", "pmtwin calibrate few.csv -o few.json").read_text()
    assert "made by <code>pmtwin calibrate few.csv -o few.json</code>" in page


def test_the_order_is_what_a_reader_needs_first(few, tmp_path):
    page = write_report(few, tmp_path / "report").read_text()
    marks = [
        "Where not to trust it</h2>",
        'class="cards"',
        "trust-figure",
        "predicted-figure",
        "How far to trust it</h2>",
    ]
    marks.append("<summary>Parameters")
    assert sorted(marks, key=page.index) == marks
