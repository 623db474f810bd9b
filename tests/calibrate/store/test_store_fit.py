"""The fit of a store's law: it finds what made the measurements, says what it does not know, and repeats itself."""

import numpy as np
import pytest

from pmtwin.calibrate.store import posterior
from pmtwin.calibrate.store.build import calibrate_store
from pmtwin.calibrate.store.cuts import cuts_of
from pmtwin.calibrate.store.measurements import Measured
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.parameters.store_law import STORE_PARAMETERS
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.file import load_store
from pmtwin.sim.store.law import place, solve
from pmtwin.sim.store.prediction import predict_store

OPTANE = load_profile("optane-dcpmm-100-128gb")
THREADS = (1, 2, 4, 8, 16, 24)
TRUTH = {"extra_reads": 9.0, "put_software_ns": 2_500.0, "insert_software_ns": 12_000.0}


def simulated(operations=("get", "put_update", "put_insert"), threads=THREADS, machine="lab") -> list[Measured]:
    """What the law says with `TRUTH`."""
    sample = {name: np.array([TRUTH.get(name, parameter.median)]) for name, parameter in STORE_PARAMETERS.items()}
    points = [StorePoint(operation, n, 200.0, 1e8, cores=18) for operation in operations for n in threads]
    rates = solve([place(OPTANE, point, 6.0) for point in points], sample).throughput_ops[:, 0]
    return [Measured(point, 6.0, float(rate), 0.02, machine) for point, rate in zip(points, rates, strict=True)]


@pytest.fixture
def short(monkeypatch):
    """Fewer steps: enough to find the place, not its shape."""
    monkeypatch.setattr(posterior, "BURN_IN", 400)
    monkeypatch.setattr(posterior, "STEPS", 200)


def fit(measured: list[Measured], **options):
    return calibrate_store([OPTANE], measured, "lab", "a store", **({"validate": False} | options))


def test_the_fit_meets_what_made_the_measurements(short):
    measured = [each for each in simulated() if each.point.operation != "put_update" or each.point.threads == 1]
    store = fit(measured).store
    unseen = [each for each in simulated(("put_update",)) if each.point.threads > 1]
    predicted = predict_store(OPTANE, store, [each.point for each in unseen], [6.0] * len(unseen))
    for index, each in enumerate(unseen):
        assert predicted["throughput_ops"][index] == pytest.approx(each.throughput_ops, rel=0.15)
        low, high = (predicted[f"throughput_{end}_ops"][index] for end in ("low", "high"))
        assert low < each.throughput_ops < high
    assert predicted["extrapolated"].all()
    assert store.record["errors"][f"fitted, {OPTANE.name}"]["mean_percent"] < 5.0


def test_the_same_seed_gives_the_same_samples_on_any_number_of_processes(monkeypatch):
    monkeypatch.setattr(posterior, "BURN_IN", 2)
    monkeypatch.setattr(posterior, "STEPS", 4)
    measured = simulated(threads=(1, 8))
    first, second, other = (
        posterior.sample_posterior(posterior.Problem(OPTANE, measured), 50, seed).rows for seed in (1, 1, 2)
    )
    assert np.array_equal(first, second) and not np.array_equal(first, other)


def test_parameters_that_nothing_was_measured_of_keep_their_prior(short):
    entry = fit(simulated(("get",))).store.fits[OPTANE.name].parameters["insert_software_ns"]
    prior = STORE_PARAMETERS["insert_software_ns"]
    assert entry["low"] < 0.7 * prior.median and entry["high"] > 1.4 * prior.median


def test_cuts_leave_out_many_threads_and_further_machines():
    measured = simulated(("get",)) + simulated(("put_insert",), threads=(1,), machine="elsewhere")
    many, machine = cuts_of(measured)
    assert many.name == "get above 4 threads" and [each.point.threads for each in many.left_out] == [8, 16, 24]
    assert machine.left_out == tuple(measured[-1:]) and not machine.same_machine
    assert len(many.kept) + len(many.left_out) == len(measured)


def test_two_rows_are_too_few():
    with pytest.raises(InputError, match="at least 3"):
        fit(simulated(("get",), threads=(1, 2)))


def test_the_shipped_store_meets_the_measurements_on_optane(shared_data):
    from pmtwin.calibrate.store.measurements import read_measured

    measured = [
        row
        for row in read_measured([str(shared_data / "pmemkv_optane" / "viper_cmap.csv")])
        if row.point.operation != "put_update" or row.point.threads == 1  # it was fitted before updates of several
    ]
    for name in load_store().fits:
        predicted = predict_store(
            load_profile(name), load_store(), [each.point for each in measured], [each.dimms for each in measured]
        )
        errors = np.abs(predicted["throughput_ops"] / [each.throughput_ops for each in measured] - 1.0)
        assert errors.mean() < 0.04 and errors.max() < 0.09
