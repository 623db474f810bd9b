"""The thesis' tables as evidence, and a simulator that gives every quantity which they are about."""

import pytest

from pmtwin.calibrate.inference.statements import CHECK, UNUSED, Ranking, Value
from pmtwin.scenarios.nvm_middleware import published
from pmtwin.scenarios.nvm_middleware.inference.evidence import FEW_WINDOWS, attainment_bounds, evidence
from pmtwin.scenarios.nvm_middleware.inference.priors import PRIORS
from pmtwin.scenarios.nvm_middleware.inference.simulator import ThesisSimulator
from pmtwin.sim.device.profile import DEFAULT_PROFILE
from pmtwin.sim.host.file import DEFAULT_HOST, read_host
from pmtwin.sim.parameters.values import PARAMETERS
from pmtwin.sim.store.file import load_store

SHORT = ThesisSimulator(windows=4, warmup_windows=1, requests=200, combination_requests=200)


@pytest.fixture(scope="module")
def shown():
    return SHORT.simulate(PRIORS.draws(PRIORS.design(2, 0))[1], seed=5)


def by_name():
    return {each.name: each for each in evidence()}


@pytest.mark.parametrize(
    ("quantiles", "bounds"),
    [
        (published.TABLE_D4_REWARD[10, 10], (0.75, 1.0)),
        (published.TABLE_D4_REWARD[15, 5], (FEW_WINDOWS, 0.25)),
        (published.TABLE_D4_REWARD[5, 15], (0.25, 0.75)),  # a median of 0 has no sign
        (published.TABLE_D6_REWARD[15, 15], (0.0, FEW_WINDOWS)),
        ((1.0, 2.0, 3.0, 4.0, 5.0), (1.0 - FEW_WINDOWS, 1.0)),
    ],
)
def test_signs_of_quartiles_bound_the_share_of_windows(quantiles, bounds):
    assert attainment_bounds(quantiles) == bounds


def test_published_attainment_of_the_long_run():
    """E.3 is not rounded: the agent met both goals in 25 to 50 % of its windows, 15,15 and none in under 25 %."""
    result = by_name()
    agent = result["Table E.3: phases, 10,10: both goals"]
    assert (agent.low, agent.high, agent.use) == (0.25, 0.5, CHECK)
    for pools in ("none", "15,15"):
        assert result[f"Table E.3: phases, {pools}: both goals"].high == 0.25


def test_orders_of_median_rewards_are_those_of_the_tables():
    orders = {each.source: each for each in evidence() if isinstance(each, Ranking)}
    assert orders["Table D.4"].text == "10,10 > 5,15 > 15,15 > 5,5 > 15,5"
    assert orders["Table D.6"].text == "7,7 > 5,5 > 10,10 > 7,3 > 15,5 > 5,15 > 15,15"


def test_tables_that_the_inference_did_not_use_are_predicted():
    """Tables D.5 and D.7 (phases 2 and 4) came later than the shipped host."""
    predicted = [each for each in evidence() if each.source in ("Table D.5", "Table D.7")]
    assert {each.use for each in predicted} == {CHECK} and len(predicted) == 5 + 1 + 4 + 1
    orders = {each.source: each.text for each in predicted if isinstance(each, Ranking)}
    assert orders == {
        "Table D.5": "10,10 > 15,15 > 15,5 > 5,15 > 5,5",
        "Table D.7": "15,5 > 10,10 > 5,5 > 15,15",
    }


def test_every_statement_says_how_it_is_used_and_those_that_are_not_say_why():
    names = [each.name for each in evidence()]
    assert len(names) == len(set(names))
    unused = [each for each in evidence() if each.use in (UNUSED, CHECK)]
    assert {each.source for each in unused} >= {"Table E.1", "Table E.2", "Table E.3"}
    assert all(each.reason for each in unused)
    assert "contradicts" in by_name()["Table E.1: latency"].reason


def test_a_missed_throughput_goal_costs_0_045_an_operation():
    quartiles = [each.value for each in evidence() if isinstance(each, Value) and each.source == "Table D.4"]
    assert quartiles == pytest.approx([183_978, 208_889, 227_000], abs=1)


def test_the_simulator_gives_every_quantity_of_the_evidence(shown):
    names = {name for each in evidence() for name in each.quantities}
    assert names <= set(shown) and set(shown) == set(SHORT.quantities)
    assert all(0.0 < value < 1.0 for name, value in shown.items() if name.endswith("/attainment"))


def test_a_draw_is_repeatable_and_another_seed_is_another_run(shown):
    draw = PRIORS.draws(PRIORS.design(2, 0))[1]
    assert SHORT.simulate(draw, seed=5) == shown
    assert SHORT.simulate(draw, seed=6) != shown


def test_priors_are_of_the_twin_or_decide_what_the_evidence_means():
    for prior in PRIORS.table:
        assert prior.reason
        assert prior.nuisance == (prior.name not in PARAMETERS)
        if not prior.nuisance:
            low, high = PARAMETERS[prior.name].limits
            assert low <= prior.low < prior.high <= high


def test_the_shipped_host_has_a_store_with_records_and_draws_go_through_its_samples():
    """Each draw has a joint sample of the store's operations, in turn; the rest is inferred beside one of them."""
    host = read_host(DEFAULT_HOST)
    fit = load_store().fit_beside(DEFAULT_PROFILE)
    assert host.values["records"] >= 1e5
    for number, draw in enumerate(host.draws):
        sample = fit.twin_parameters(number % fit.count)
        model_values = {name: value for name, value in sample.items() if name not in PRIORS.names}
        assert len(model_values) > 10 and {name: draw[name] for name in model_values} == pytest.approx(
            model_values, rel=1e-5
        )
