"""The registry of workloads and the phases of Appendix C."""

import math

import pytest

from pmtwin.scenarios.nvm_middleware.phases import PHASES, phase_numbers, phase_workload
from pmtwin.scenarios.nvm_middleware.workloads import make_workload, workload_names
from pmtwin.scenarios.nvm_middleware.workloads.azure_blob import INTERARRIVAL_COV as AZURE_COV
from pmtwin.scenarios.nvm_middleware.workloads.svd import INTERARRIVAL_COV as SVD_COV
from pmtwin.sim.errors import InputError


def test_every_name_makes_the_workload_of_that_name():
    assert workload_names() == (
        "azure-blob", "section-4.2", "svd", "traces", "ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f",
    )  # fmt: skip
    for name in workload_names():
        assert make_workload(name).name == name


def test_section_4_2():
    workload = make_workload("section-4.2")
    ycsb, svd = workload.classes
    assert (ycsb.clients, svd.clients) == (100, 100)
    assert (ycsb.rate_ops, svd.rate_ops) == (None, None)
    assert (ycsb.write_ratio, ycsb.mean_size_bytes()) == (0.5, 128)
    assert svd.write_ratio == 120 / 313


def test_classes_without_clients_are_off():
    assert make_workload("ycsb-a").batch.clients == 0
    assert make_workload("svd").interactive.clients == 0
    assert make_workload("traces").interactive.clients == make_workload("traces").batch.clients == 200


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(InputError, match="did you mean 'ycsb-a'"):
        make_workload("ycsba")


@pytest.mark.parametrize(
    ("phase", "interactive", "batch"),
    [
        (1, (200, 50, 0.2), (200, 8192, 0.5)),
        (2, (150, 50, 0.2), (320, 8192, 0.5)),
        (3, (400, 50, 0.2), (200, 4096, 0.0)),
        (4, (200, 500, 0.9), (200, 4096, 0.0)),
    ],
)
def test_appendix_c(phase, interactive, batch):
    workload = phase_workload(phase)
    for made, expected in zip(workload.classes, (interactive, batch), strict=True):
        assert (made.clients, made.mean_size_bytes(), made.write_ratio) == expected
        assert made.rate_ops == 150_000
    assert workload.interactive.interarrival_cov == AZURE_COV
    assert workload.batch.interarrival_cov == SVD_COV


def test_rates_are_parameters():
    workload = phase_workload(1, interactive_rate_ops=1000, batch_rate_ops=None)
    assert (workload.interactive.rate_ops, workload.batch.rate_ops) == (1000, None)
    assert phase_numbers() == (1, 2, 3, 4) == tuple(PHASES)


@pytest.mark.parametrize("phase", [0, 5, -1, "1", True, math.nan, None, 1.5])
def test_an_unknown_phase_is_refused(phase):
    with pytest.raises(InputError, match="1, 2, 3, 4"):
        phase_workload(phase)


@pytest.mark.parametrize("rate", [0.0, -1.0, math.nan, math.inf])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(InputError):
        phase_workload(1, interactive_rate_ops=rate)
