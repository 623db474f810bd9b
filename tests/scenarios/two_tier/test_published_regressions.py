"""Tables I to IV as shipped: what is known of them comes out, and no negative time is given away."""

import numpy as np
import pytest
from scipy import stats

from pmtwin.scenarios.two_tier.published_ranges import POINTS, hdd_points, nvme_points
from pmtwin.sim.errors import InputError
from pmtwin.sim.regression.file import load_regression, regression_names

NEGATIVE = {"nvme-read": (247, 400), "nvme-write": (45, 400), "hdd-read": (177, 539), "hdd-write": (105, 539)}


@pytest.mark.parametrize(("name", "known"), NEGATIVE.items())
def test_points_without_a_positive_time(name, known):
    times = load_regression(name).values(POINTS[name]())
    assert (int((times <= 0.0).sum()), times.size) == known


@pytest.mark.parametrize("name", regression_names())
def test_t_is_estimate_over_standard_error_as_printed(name):
    for term in load_regression(name).terms.values():
        assert term.estimate / term.standard_error == pytest.approx(term.t, abs=8e-4, rel=6e-4)


@pytest.mark.parametrize(
    ("name", "degrees"), {"nvme-write": 408, "nvme-read": 408, "hdd-write": 171, "hdd-read": 134}.items()
)
def test_p_is_that_of_so_many_degrees_of_freedom(name, degrees):
    """Issue: p-values imply about 420, 420, 182 and 145 runs, of which 12, 12, 11 and 11 go into the terms."""
    for term in load_regression(name).terms.values():
        if not term.p_is_bound:
            assert 2.0 * stats.t.sf(abs(term.t), degrees) == pytest.approx(term.p, rel=0.02, abs=1e-4)


def test_what_the_text_calls_significant_is_not():
    assert load_regression("hdd-write").terms["disks"].p == 0.53045
    assert load_regression("hdd-read").terms["file_bytes:disks"].p == 0.37452


def test_negative_times_are_refused_with_the_point_and_the_reason():
    columns = nvme_points()
    with pytest.raises(
        InputError, match=r"at row \d+ \(threads 8, size_bytes 512, .*Intercept\) gives -6\.059.* 247 of 400"
    ):
        load_regression("nvme-read").predict(columns)


def test_the_rest_is_predicted():
    regression, columns = load_regression("hdd-read"), hdd_points()
    good = regression.values(columns) > 0.0
    rest = {name: values[good] for name, values in columns.items()}
    assert np.array_equal(regression.predict(rest), regression.values(rest))
    assert not regression.outside(rest).any()
