"""The emulated device's stations end every request when the twin's specification does, to the last bit."""

import json
import subprocess

import numpy as np
import pytest

from pmtwin.machine.native_programs import program
from pmtwin.scenarios.nvm_middleware.model.engines.simpy_engine import SimpyEngine
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.model.service.table import write_service_table
from pmtwin.sim.device.profile import DEFAULT_PROFILE, load_profile
from pmtwin.sim.draws import class_keys
from pmtwin.sim.errors import MissingDependencyError
from pmtwin.sim.parameters.values import resolve
from tests.sim.systems import random_workload

POOLS = (5, 6)
MOST_WORKERS = (8, 8)


@pytest.fixture(scope="module")
def replay():
    try:
        return program("pmtwin-replay-stations")
    except MissingDependencyError as error:
        pytest.skip(str(error))


class Recorded(SimpyEngine):
    """Notes when each request was submitted, started and ended, in order of their starts."""

    def __init__(self, *arguments):
        self.starts, self.ends = [], []
        super().__init__(*arguments)

    def _start(self, c, submitted):
        self.starts.append([self.env.now, submitted, c, self._started[c]])
        return super()._start(c, submitted)

    def _serve(self, *arguments):
        return self._noted(len(self.starts) - 1, super()._serve(*arguments))

    def _noted(self, place, serving):
        yield from serving
        self.ends.append((place, self.env.now))


@pytest.mark.parametrize("seed", range(6))
def test_ends_are_those_of_the_specification(seed, replay, tmp_path):
    rng = np.random.default_rng(seed)
    workload = random_workload(rng)
    parameters = {"workers_poll": seed % 2, "cores": int(rng.choice([2, 24]))}
    if seed >= 3:
        parameters |= {"cores": 2, "crowding_threads": 3.0, "handoff_bytes": 2_000.0}
    model = build_model(load_profile(DEFAULT_PROFILE), workload, resolve(parameters), direct=False)
    keys = class_keys(np.random.SeedSequence(seed))
    engine = Recorded(model, keys, POOLS)
    share = [load.rate_ops or 0.0 for load in workload.classes]
    release = tuple(int(5_000 * part / max(sum(share), 1.0)) for part in share)
    engine.run_window(600, release)
    resize = [len(engine.starts), float(engine.env.now), *MOST_WORKERS]
    engine.resize(MOST_WORKERS)
    engine.run_window(600, (0, 0))
    trace = {
        "pools": POOLS,
        "keys": keys.tolist(),
        "starts": [[float(at), float(submitted), c, index] for at, submitted, c, index in engine.starts],
        "resizes": [resize],
    }
    (tmp_path / "trace.json").write_text(json.dumps(trace))
    write_service_table(tmp_path / "table.json", model, MOST_WORKERS)
    done = subprocess.run(
        [str(replay), str(tmp_path / "table.json"), str(tmp_path / "trace.json")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    ends = json.loads(done.stdout)
    assert len(engine.ends) >= 1_200
    assert [ends[place] for place, _ in engine.ends] == [float(at) for _, at in engine.ends]
