"""A device with known truth, and a probe of it."""

import pytest

from pmtwin.calibrate.probing.journal import Journal
from pmtwin.calibrate.probing.plan import PRESETS
from pmtwin.calibrate.probing.session import Session
from pmtwin.calibrate.probing.state import Plan
from pmtwin.sim.device import load_profile
from studies.simulated import SimulatedDevice, normal_noise


@pytest.fixture
def make_device():
    """Function of noise and threads that returns a simulated device."""
    return lambda noise=0.01, threads=4, seed=0: SimulatedDevice(load_profile(), normal_noise(noise), seed, threads)


@pytest.fixture
def make_session(tmp_path):
    """Function of a device and changes to the plan that returns a session, on the journal of this test's folder."""
    journals = []

    def make(device, preset="quick", seconds=12.0, target=None, operations=("load",), **more) -> Session:
        for journal in journals:
            journal.close()
        journals[:] = [Journal(tmp_path / "p.json.journal", {"path": "simulated"})]
        plan = Plan(PRESETS[preset], operations, device.context["local_threads"], 6.0, seconds, target, seed=0)
        return Session(device, plan, journals[0], clock=lambda: device.seconds, **more)

    yield make
    for journal in journals:
        journal.close()
