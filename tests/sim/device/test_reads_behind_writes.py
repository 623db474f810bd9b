"""A dependent read queues behind the writes at its module: no pole, no cap, an interval that spans the rivals."""

import numpy as np
import pytest

from pmtwin.sim.device import load_profile
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.reads_behind_writes import LINES_OF_A_MODULE, POSTED_LINES, lines_waiting
from studies import reads_behind_writes as study


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def reads_beside(profile, writers: float, dimms: float, pattern: str = "random", **more) -> dict[str, np.ndarray]:
    same = {"operation": "ntstore", "pattern": pattern, "access_size_bytes": 256.0, "dimms": dimms, "power_w": 15.0}
    return predict(profile, {name: np.array([value]) for name, value in (same | {"threads": writers} | more).items()})


def test_a_closed_system_has_no_pole_and_no_more_lines_than_it_has():
    used = np.array([0.0, 0.1, 0.83, 0.98, 1.0, 1.5])
    waiting = lines_waiting(used, np.array(8.0))
    assert waiting[0] == 0.0 and waiting[-2:].tolist() == [8.0, 8.0] and np.all(np.diff(waiting[:5]) > 0)
    assert lines_waiting(np.array(0.5), np.array(1e9)) == pytest.approx(1.0)  # u / (1 - u)


def test_one_writer_that_fills_a_module_holds_up_a_reader_by_the_lines_of_either_explanation(profile):
    result = reads_beside(profile, 1.0, 1.0)
    line = 256.0 / profile.parameters["ntstore"]["media_mib_s"] * 1e9 / 2**20
    idle = profile.idle_latency_ns["load", "random"] + 3.0 * profile.parameters["load"]["further_line_ns"]
    middle = (POSTED_LINES * LINES_OF_A_MODULE) ** 0.5
    assert result["read_latency_ns"][0] == pytest.approx(idle + middle * line, rel=0.05)
    assert result["read_latency_low_ns"][0] < idle + POSTED_LINES * line
    assert result["read_latency_high_ns"][0] > idle + 0.95 * LINES_OF_A_MODULE * line


def test_a_read_waits_longer_the_busier_the_module(profile):
    latency = [
        reads_beside(profile, 1.0, 1.0, offered_mib_s=load)["read_latency_ns"][0] for load in (20.0, 800.0, 1800.0, 1e6)
    ]
    assert np.all(np.diff(latency) > 0) and latency[0] == pytest.approx(361.0, rel=0.02)


def test_a_reader_among_writers_waits_no_less_than_one_that_is_not_counted(profile):
    mixed = {"operation": "mixed", "write_operation": "ntstore"}
    few = reads_beside(profile, 16.0, 6.0, **mixed, read_threads=1.0, write_threads=15.0)
    none = reads_beside(profile, 16.0, 6.0, **mixed, read_threads=0.0, write_threads=16.0)
    assert few["read_latency_ns"] == pytest.approx(none["read_latency_ns"], rel=0.1)
    assert none["read_latency_ns"] == reads_beside(profile, 16.0, 6.0)["read_latency_ns"]


def test_reads_measured_beside_writers(shared_data):
    dependent, flushes, pages = (
        measured(shared_data)
        for measured in (study.dependent_reads, study.readers_beside_flushes, study.readers_beside_pages)
    )
    assert np.median(np.abs(study.errors(dependent))) < 4.0
    assert np.median(np.abs(study.errors(flushes))) < 30.0 and np.median(np.abs(study.errors(pages))) < 30.0
    inside, known = study.coverage(dependent)
    assert inside >= 0.9 * known > 0
