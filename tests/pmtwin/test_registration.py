"""The environments by their Gymnasium names, each time in a fresh process: `import pmtwin` is all that they need."""

import subprocess
import sys

import pytest

from pmtwin.registration import ENVIRONMENTS
from pmtwin.scenarios import scenario_names
from pmtwin.sim.common.shipped import shipped

MAKE = "env = gymnasium.make('pmtwin/NvmMiddleware-v2', initial_pools=(4, 5)); print(env.reset(seed=1)[1]['pools'])"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "code",
    [
        f"import pmtwin, gymnasium; {MAKE}",
        f"import gymnasium, pmtwin; {MAKE}",
        f"import gymnasium; {MAKE.replace('pmtwin/', 'pmtwin:pmtwin/')}",
        f"import pmtwin, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium; {MAKE}",
        f"import pmtwin.scenarios, gymnasium; {MAKE}",
    ],
)
def test_the_environment_is_made_by_name(code):
    assert run(code) == "(4, 5)"


@pytest.mark.parametrize("code", ["import pmtwin, gymnasium", "import gymnasium, pmtwin"])
def test_registering_imports_no_scenario(code):
    code += "; import sys; print(sorted(name for name in sys.modules if name.startswith('pmtwin.scenarios')))"
    assert run(f"{code}; assert 'pmtwin/NvmMiddleware-v2' in gymnasium.registry") == "[]"


def test_every_scenario_that_is_listed_has_an_environment():
    assert set(ENVIRONMENTS.values()) == set(scenario_names())
    assert ENVIRONMENTS["pmtwin/NvmMiddleware-v2"] == "nvm-middleware"


def test_a_folder_is_a_scenario_by_its_name(tmp_path):
    for name in ("page_cache", "no_scenario"):
        (tmp_path / name).mkdir()
    (tmp_path / "page_cache" / "scenario.py").touch()
    assert shipped(tmp_path, "pmtwin.scenarios", "scenario.py") == {
        "page-cache": "pmtwin.scenarios.page_cache:PageCache"
    }


def test_what_waits_for_gymnasium_is_gone_after_its_import():
    code = "import sys; before = list(sys.meta_path); import pmtwin, gymnasium; print(sys.meta_path == before)"
    assert run(code + "; print('exec_module' in vars(gymnasium.__spec__.loader))") == "True\nFalse"


def test_a_second_registration_changes_nothing():
    code = "import gymnasium, pmtwin; spec = gymnasium.spec('pmtwin/NvmMiddleware-v2'); import importlib"
    code += "; importlib.reload(pmtwin); print(gymnasium.spec('pmtwin/NvmMiddleware-v2') is spec)"
    assert run(code) == "True"
