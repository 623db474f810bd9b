"""Figures of the inferred host: nothing that was used is left out, and what is missed is named."""

from pmtwin.calibrate.inference.statements import SIGN, VALUE
from pmtwin.figures.drawing.style import styled
from pmtwin.scenarios.nvm_middleware.figures.experiments import host as experiment
from pmtwin.scenarios.nvm_middleware.figures.plots import host
from pmtwin.scenarios.nvm_middleware.inference.evidence import evidence


def test_prior_beside_posterior_of_every_parameter():
    results = {"host": experiment.run()}
    with styled():
        shown = host.render_posterior(results)
        names = [axes.get_title(loc="left") for axes in shown.drawings[0].figure.axes if axes.get_visible()]
    inferred = [row["name"] for row in results["host"]["inference"]["parameters"]]
    assert names == [name for name in inferred if name != "max_latency"]
    assert [row[0] for row in shown.tables[0].rows] == inferred
    assert [drawing.name for drawing in shown.drawings] == ["host-posterior", "host-correlations"]


def test_every_published_number_that_was_used_is_drawn_and_what_is_missed_is_named():
    results = {"host": experiment.run()}
    rows = results["host"]["inference"]["statements"]
    used_or_checked = [each.name for each in evidence() if each.source not in ("Table D.5", "Table D.7")]
    assert [row["name"] for row in rows] == used_or_checked
    shares, values, orders = host._groups({row["name"]: row for row in rows})
    used = [row for row in rows if row["use"] in (VALUE, SIGN)]
    assert len(shares) + len(values) + len(orders) == len(used)
    with styled():
        (statement,) = host.render_predictive(results).statements
    missed = [row["name"] for row in used if row["missed"]]
    assert missed and not statement.holds and all(name in statement.computed for name in missed)
