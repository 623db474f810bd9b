"""The whole inference on a simulator whose posterior is known: right, repeatable, resumable."""

import json

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from pmtwin.calibrate.inference.emulated import EmulatedLikelihood
from pmtwin.calibrate.inference.posterior import Posterior
from pmtwin.calibrate.inference.run import Plan, infer
from pmtwin.calibrate.inference.statements import Value
from pmtwin.calibrate.inference.tempering import posterior_particles, resample
from pmtwin.sim.files.checkpoint import Checkpoint
from tests.calibrate.inference.line import EVIDENCE, PRIORS, SUM, Line

PLAN = Plan(draws=400, seed=4)


@pytest.fixture(scope="module")
def posterior():
    return Posterior(PRIORS, EVIDENCE, infer(PRIORS, EVIDENCE, Line(), PLAN))


@pytest.fixture(scope="module")
def whole():
    """The draws of a short run on one process, which nothing stops."""
    return infer(PRIORS, EVIDENCE, Line(), Plan(draws=96))


def grid_means():
    """Posterior means of a and b by summation over a fine grid of the prior."""
    shares = (np.arange(800) + 0.5) / 800
    a, b = np.meshgrid(PRIORS.table[0].value(shares), PRIORS.table[1].value(shares))
    summaries = {"sum": (a + b).ravel(), "product": (a * b).ravel()}
    weights = np.exp(np.sum([each.log_likelihood(summaries) for each in EVIDENCE], axis=0))
    return [float(weights @ column.ravel() / weights.sum()) for column in (a, b)]


def test_the_posterior_is_that_of_summation(posterior):
    means = posterior.draws.weights @ posterior.values
    assert means == pytest.approx(grid_means(), rel=0.1)


def test_later_waves_go_where_the_posterior_is(posterior):
    history = posterior.draws.history
    assert [wave["draws"] for wave in history] == PLAN.waves == [160, 47, 47, 46, 100]
    middles = [wave["log_likelihood"][1] for wave in history]
    assert middles[0] < middles[1] < middles[-1] and middles[-1] > -1.5
    last = history[-1]
    assert posterior.effective_size == pytest.approx(last["effective_size"]) and last["effective_size"] > 60
    assert last["power_of_the_ratio"] == 1.0  # nothing is noisy here, so that the emulator does not matter


def test_the_emulator_of_smooth_quantities_is_exact_where_it_matters(posterior):
    assert posterior.draws.history[-1]["emulator_error"]["linear"] < 0.1
    draws = posterior.draws
    rows = np.stack([draws.summaries[name] for name in Line.quantities], axis=1)
    emulated = EmulatedLikelihood.from_draws(PRIORS, EVIDENCE, Line.quantities, draws.scores[:300], rows[:300], seed=0)
    assert emulated(draws.scores[300:]) == pytest.approx(draws.log_likelihoods[300:], abs=0.3)


def test_particles_follow_a_likelihood_that_is_known():
    """A normal likelihood of half the prior's width around 1: mean 0.8, variance 0.2."""

    def log_likelihood(scores):
        return -0.5 * ((scores[:, 0] - 1.0) / 0.5) ** 2

    result = posterior_particles(log_likelihood, 2, np.random.SeedSequence(3), particles=4000)
    assert result.mean(axis=0) == pytest.approx([0.8, 0.0], abs=0.06)
    assert result.var(axis=0) == pytest.approx([0.2, 1.0], rel=0.12)


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
    draws = infer(PRIORS, (SUM, impossible), Line(), Plan(draws=100))
    posterior = Posterior(PRIORS, (SUM, impossible), draws)
    rows = {row["name"]: row for row in posterior.statement_rows()}
    assert rows["impossible"]["missed"] and rows["impossible"]["draws_that_meet_it"] == 0
    assert not rows["sum"]["missed"]
    assert posterior.most_met_at_once() == (1, 2)


def test_the_same_bits_on_any_number_of_processes(whole):
    two = infer(PRIORS, EVIDENCE, Line(), Plan(draws=96), jobs=2)
    assert np.array_equal(whole.weights, two.weights) and np.array_equal(whole.scores, two.scores)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_bits_on_any_number_of_processors(threads, posterior):
    """Threads of the linear algebra add in another order."""
    with threadpool_limits(threads):
        draws = infer(PRIORS, EVIDENCE, Line(), PLAN)
    assert np.array_equal(draws.weights, posterior.draws.weights)


def test_a_stopped_run_goes_on_where_it_was(whole, tmp_path):
    plan, done = Plan(draws=96), []

    def stop(count):
        done.append(count)
        if sum(done) >= 38:
            raise KeyboardInterrupt

    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        infer(PRIORS, EVIDENCE, Line(), plan, checkpoint=Checkpoint(folder, {"a": 1}), on_done=stop)
    before = sorted(path.name for path in folder.glob("wave-*"))
    assert before
    result = infer(PRIORS, EVIDENCE, Line(), plan, checkpoint=Checkpoint(folder, {"a": 1}))
    assert np.array_equal(result.weights, whole.weights)


def test_resampling_keeps_the_weights():
    weights = np.array([0.5, 0.25, 0.25, 0.0])
    result = resample(weights, 400, np.random.default_rng(1))
    assert np.bincount(result, minlength=4).tolist() == [200, 100, 100, 0]


def test_the_history_is_plain(posterior):
    json.dumps(posterior.draws.history, allow_nan=False)
