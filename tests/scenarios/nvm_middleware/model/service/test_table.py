"""The service table says what the model says, and no more populations than the pools allow."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.model.service.occupancy import speeds_of
from pmtwin.scenarios.nvm_middleware.model.service.table import service_table, write_service_table
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim.device.profile import DEFAULT_PROFILE, load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.parameters.values import resolve


def table_of(phase, most_workers):
    workload = phase_workload(phase)
    model = build_model(load_profile(DEFAULT_PROFILE), workload, resolve(), direct=False)
    return model, service_table(model, most_workers)


def test_speeds_are_those_of_the_model_in_order_of_the_populations():
    model, table = table_of(1, (3, 2))
    populations = [
        (i - w, w, b - v, v) for i in range(4) for w in range(i + 1) for b in range(3) for v in range(b + 1)
    ]  # fmt: skip
    expected = [speeds_of(model.records, model.rows, np.array(population))[:4] for population in sorted(populations)]
    assert table["speeds"]["most"] == [3, 3, 2, 2]
    assert np.array_equal(table["speeds"]["rows"], expected)


def test_kinds_that_never_occur_have_no_speeds():
    _, table = table_of(3, (3, 2))  # batch reads only
    assert [kind["used"] for kind in table["kinds"]] == [True, True, True, False]
    assert table["speeds"]["most"] == [3, 3, 2, 0]
    assert len(table["speeds"]["rows"]) == 10 * 3


def test_no_more_operations_than_hardware_threads():
    workload = phase_workload(3)
    model = build_model(load_profile(DEFAULT_PROFILE), workload, resolve({"cores": 2}), direct=False)
    rows = service_table(model, (32, 32))["speeds"]["rows"]
    assert len(rows) == sum((i + 1) for i in range(5) for b in range(5) if i + b <= 4)


def test_host_tables_reach_as_far_as_the_threads():
    model, table = table_of(1, (3, 2))
    assert table["host"]["handoff_ns"] == model.records[0]["handoff_ns"][:6].tolist()
    assert [len(kind["demand"]) for kind in table["kinds"]] == [1, 1, 1, 1]


def test_no_workers_are_refused(tmp_path):
    workload = phase_workload(1)
    model = build_model(load_profile(DEFAULT_PROFILE), workload, resolve(), direct=False)
    with pytest.raises(InputError, match=r"most_workers \(batch\)"):
        write_service_table(tmp_path / "table.json", model, (1, 0))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("field", ["insert_share", "remove_share"])
def test_inserts_and_removes_are_refused(paced, field):
    workload = replace(paced, batch=replace(paced.batch, **{field: 0.25}))
    model = build_model(load_profile(), workload, resolve(), direct=False)
    with pytest.raises(InputError, match=f"batch {field}: 0.25 is not accepted; allowed: 0: the emulated device"):
        service_table(model, (2, 2))


def test_a_host_whose_accesses_hold_its_processors_is_refused(paced):
    model = build_model(load_profile(), paced, resolve({"access_holds_cpu": 1}), direct=False)
    with pytest.raises(InputError, match="access_holds_cpu"):
        service_table(model, (2, 2))
