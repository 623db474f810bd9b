"""The whole inference on a simulator whose posterior is known: right, repeatable, resumable."""

import json

import numpy as np
import pytest

from pmtwin.calibrate.inference.importance import X
from pmtwin.calibrate.inference.posterior import Posterior
from pmtwin.calibrate.inference.run import Plan, infer, simulated
from pmtwin.calibrate.inference.statements import Value
from pmtwin.sim.checkpoint import Checkpoint
from tests.calibrate.inference.line import EVIDENCE, PRIORS, SUM, Line

PLAN = Plan(draws=1600, first=512, wave=272, seed=4)


@pytest.fixture(scope="module")
def posterior():
    return Posterior(PRIORS, EVIDENCE, infer(PRIORS, EVIDENCE, Line(), PLAN))


def grid_means():
    """Posterior means of a and b by summation over a fine grid of the prior."""
    shares = (np.arange(800) + 0.5) / 800
    a, b = np.meshgrid(PRIORS.table[0].value(shares), PRIORS.table[1].value(shares))
    summaries = {"sum": (a + b).ravel(), "product": (a * b).ravel()}
    weights = np.exp(np.sum([each.log_likelihood(summaries) for each in EVIDENCE], axis=0))
    return [float(weights @ column.ravel() / weights.sum()) for column in (a, b)]


def test_the_posterior_is_that_of_summation(posterior):
    means = posterior.draws.weights @ posterior.values
    assert means == pytest.approx(grid_means(), rel=0.06)


def test_later_waves_go_where_the_posterior_is(posterior):
    history = posterior.draws.history
    assert [wave["draws"] for wave in history] == PLAN.waves
    assert history[-1]["effective_size"] > 5 * history[1]["effective_size"] > 0
    assert posterior.effective_size == pytest.approx(effective_size(posterior.draws.weights))


def test_what_is_identified_is_narrower_than_its_prior_and_what_trades_is_correlated(posterior):
    rows = {row["name"]: row for row in posterior.parameters()}
    assert rows["a"]["shrinkage"] > 0.5 and rows["a"]["identified"]
    assert rows["a"]["prior"][2] == pytest.approx(0.0)
    (first, second, value), *_ = posterior.correlated()
    assert {first, second} == {"a", "b"} and value < -0.3


def test_the_representative_is_a_draw_that_meets_the_evidence(posterior):
    a, b = posterior.values[posterior.representative]
    assert abs(a + b - 4.0) < 0.6 and a * b > 2.4


def test_a_statement_that_no_draw_meets_is_named():
    impossible = Value(name="impossible", quantity="sum", value=100.0, discrepancy=0.1)
    draws = infer(PRIORS, (SUM, impossible), Line(), Plan(draws=256, first=256))
    posterior = Posterior(PRIORS, (SUM, impossible), draws)
    rows = {row["name"]: row for row in posterior.statement_rows()}
    assert rows["impossible"]["missed"] and rows["impossible"]["draws_that_meet_it"] == 0
    assert not rows["sum"]["missed"]
    assert posterior.most_met_at_once() == (1, 2)


def test_a_draw_that_cannot_weigh_is_not_simulated_to_its_end():
    row = simulated(Line(), EVIDENCE, {"a": -5.0, "b": 0.1}, 0, least=-1.0)
    assert row[0] == pytest.approx(-4.9) and np.isnan(row[1])
    assert not np.isnan(simulated(Line(), EVIDENCE, {"a": 2.0, "b": 2.0}, 0, least=-1.0)).any()


def test_the_same_bits_on_any_number_of_processes():
    plan = Plan(draws=160, first=96, wave=64)
    one, two = (infer(PRIORS, EVIDENCE, Line(), plan, jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.weights, two.weights) and np.array_equal(one.scores, two.scores)


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    plan, done = Plan(draws=160, first=96, wave=64), []

    def stop(count):
        done.append(count)
        if sum(done) >= 96:
            raise KeyboardInterrupt

    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        infer(PRIORS, EVIDENCE, Line(), plan, checkpoint=Checkpoint(folder, {"a": 1}), on_done=stop)
    before = sorted(path.name for path in folder.glob("wave-*"))
    assert before
    found = infer(PRIORS, EVIDENCE, Line(), plan, checkpoint=Checkpoint(folder, {"a": 1}))
    assert np.array_equal(found.weights, infer(PRIORS, EVIDENCE, Line(), plan).weights)


def test_weights_of_draws_from_the_prior_are_the_likelihood():
    scores = PRIORS.design(64, 1)
    logs = np.linspace(-3, 0, 64)
    weights = normalised(weights_of(scores, logs, [from_prior(2), from_prior(2)], [32, 32]))
    assert weights == pytest.approx(np.exp(logs) / np.exp(logs).sum())


def test_resampling_keeps_the_weights():
    weights = np.array([0.5, 0.25, 0.25, 0.0])
    found = resample(weights, 400, np.random.default_rng(1))
    assert np.bincount(found, minlength=4).tolist() == [200, 100, 100, 0]


def test_the_history_is_plain(posterior):
    json.dumps(posterior.draws.history, allow_nan=False)
