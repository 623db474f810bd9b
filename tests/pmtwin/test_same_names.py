"""A user's own `policies.py`, `sim.py` or `scenarios/` stands beside ours: neither breaks the other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pmtwin

TOP = Path(pmtwin.__file__).resolve().parents[1]
POLICY = """
from pmtwin.policies import Policy
import sim

class Mine(Policy):
    def act(self, observation, info):
        return sim.ACTION
"""
GYMNASIUM = """
import gymnasium, policies, sim, scenarios, figures
env = gymnasium.make("pmtwin:pmtwin/NvmMiddleware-v2", episode_steps=2, requests_per_window=200, initial_pools=(4, 4))
env.reset(seed=1)
print(env.step((4, 4))[4]["pools"], policies.Mine.__name__, sim.ACTION, scenarios.NAME, figures.NAME)
"""
EVALUATE = "evaluate nvm-middleware --policies policies:Mine none --steps 4 --seeds 2 --jobs 2"


@pytest.fixture
def folder(tmp_path):
    """A user's folder with modules of the names that our folders have."""
    (tmp_path / "policies.py").write_text(POLICY)
    (tmp_path / "sim.py").write_text("ACTION = 0\n")
    for name in ("calibrate", "figures", "middleware", "tests"):
        (tmp_path / f"{name}.py").write_text("NAME = 'mine'\n")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "__init__.py").write_text("NAME = 'mine'\n")
    return tmp_path


def run(command: list[str], cwd: Path, *path: Path) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (*path, TOP)))}
    done = subprocess.run([sys.executable, *command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("place", ["the working directory", "PYTHONPATH"])
def test_commands_and_environments_run_beside_them(folder, tmp_path_factory, place):
    here = place == "the working directory"
    cwd, path = (folder, []) if here else (tmp_path_factory.mktemp("elsewhere"), [folder])
    assert "optane-dcpmm-100" in run(["-m", "pmtwin", *["simulate", "nvm-middleware", "--windows", "2"]], cwd, *path)
    assert "policies:Mine" in run(["-m", "pmtwin", *EVALUATE.split()], cwd, *path)
    assert run(["-c", GYMNASIUM], cwd, *path) == "(4, 4) Mine 0 mine mine\n"
