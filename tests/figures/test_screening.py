"""What every assumption goes through when all vary together, and what is told of it."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.campaign import QUICK
from pmtwin.scenarios.nvm_middleware.figures.experiments import screening
from pmtwin.scenarios.nvm_middleware.figures.plots.screening import deciding, influence, render
from pmtwin.sim.host.file import DEFAULT_HOST, read_host
from pmtwin.sim.numerics.morris import trajectories
from pmtwin.sim.parameters.values import PARAMETERS, resolve

POLICIES = ("none", "fixed:15,15", "q-learning:policy.npz")
TINY = replace(
    QUICK,
    sensitivity_windows=1,
    sensitivity_settling=1,
    screening_trajectories=2,
    concurrency_windows=1,
    concurrency_warmup=1,
)


def made_up(lead_moves: str, count: int = 6) -> dict:
    """Results of a screening in which one parameter moves the trained policy's attainment, and nothing else does."""
    chosen = screening.ranges({})
    points = trajectories(len(chosen), count, np.random.default_rng(0))
    moving = [each.name for each in chosen].index(lead_moves)
    flat = np.zeros(points.shape[:2])
    outputs = {f"attainment: {spec}": flat + 10.0 for spec in POLICIES}
    outputs[f"attainment: {POLICIES[2]}"] = 40.0 - 50.0 * points[:, :, moving]
    outputs |= {screening.P99_GAIN: flat + 90.0, screening.BATCH_GAIN: flat + 50.0}
    return {
        "parameters": [
            {"name": each.name, "low": each.values[0], "high": each.values[-1], "inferred": each.inferred}
            for each in chosen
        ],
        "points": points.tolist(),
        "policies": list(POLICIES),
        "outputs": {name: values.tolist() for name, values in outputs.items()},
    }


def test_every_assumed_parameter_of_the_counted_store_goes_through_its_plausible_range():
    chosen = {each.name: each for each in screening.ranges({})}
    assumed = {name: item for name, item in PARAMETERS.items() if item.origin == "assumed"}
    assert set(chosen) == set(assumed)
    for name, item in assumed.items():
        assert (chosen[name].at(0.0), chosen[name].at(1.0)) == pytest.approx((item.low, item.high))
        resolve({name: chosen[name].at(0.4)})


def test_an_inferred_parameter_goes_through_its_posterior():
    samples = {"handoff_ns": np.linspace(10_000.0, 20_000.0, 101)}
    (chosen,) = [each for each in screening.ranges(samples) if each.name == "handoff_ns"]
    assert chosen.inferred and (chosen.at(0.0), chosen.at(0.5), chosen.at(1.0)) == pytest.approx(
        (10_500, 15_000, 19_500)
    )


def test_all_that_is_inferred_varies_and_nothing_that_records_leave_without_effect():
    """The default host's store has records, and its operations are inferred: the counted store has no effect."""
    host = read_host(DEFAULT_HOST)
    chosen = {each.name: each for each in screening.ranges(screening.samples_of(host))}
    counted = {"kv_contention_threads", "get_chain_accesses", "put_chain_accesses", "put_persists", "put_write_factor"}
    assumed = {name for name, item in PARAMETERS.items() if item.origin == "assumed"}
    assert set(chosen) == (assumed | set(host.draws[0])) - counted
    assert {name for name, item in chosen.items() if item.inferred} == set(host.draws[0])
    assert chosen["records"].at(0.0) > 1e5 and chosen["get_software_ns"].inferred
    assert screening.tasks(TINY) == 2 * (len(chosen) + 1)


def test_a_run_has_every_point_and_output(monkeypatch):
    names = ("handoff_ns", "smt_yield")
    few = [each for each in screening.ranges({}) if each.name in names]
    monkeypatch.setattr(screening, "ranges", lambda samples: few)
    monkeypatch.setattr(screening, "SECTION_4_2_POOLS", ((4, 4),))
    result = screening.run(TINY, 0, ("fixed:15,15",), dict.fromkeys((1, 2, 3, 4), (8, 8)))
    assert np.shape(result["points"]) == (2, 3, 2)
    assert {np.shape(values) for values in result["outputs"].values()} == {(2, 3)}
    assert len(set(result["outputs"][screening.P99_GAIN][0])) > 1, "moving a parameter moves the result"


def test_what_moves_the_lead_is_named_first():
    data = made_up("handoff_ns")
    assert deciding(data) == ["handoff_ns"]
    assert influence(data)["handoff_ns"] == "50.0 ± 0.0" and influence(data)["smt_yield"] == "0.0 ± 0.0"


def test_a_lead_that_is_lost_somewhere_does_not_hold():
    lost = render({"screening": made_up("handoff_ns")}).statements[0]
    assert lost.holds is False and "handoff_ns" in lost.computed
    kept = made_up("handoff_ns")
    kept["outputs"][f"attainment: {POLICIES[2]}"] = np.full(np.shape(kept["points"])[:2], 90.0).tolist()
    assert render({"screening": kept}).statements[0].holds is True
