"""The example of docs/steering-policy.md, as it stands there, steers a live middleware with the actions of Python."""

import os
import subprocess
from pathlib import Path

import pytest

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.steering import write_steering
from pmtwin.scenarios.nvm_middleware import NvmMiddleware

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "build" / "native" / "pmtwin-steering-example"


def test_the_document_shows_the_source_that_is_built():
    source = (ROOT / "docs" / "examples" / "steering.cpp").read_text()
    assert f"```cpp\n{source}```" in (ROOT / "docs" / "steering-policy.md").read_text()


@pytest.mark.parametrize(
    ("spec", "goals", "acts"),
    [
        ("threshold", (1e-3, 1e12), True),
        ("threshold", (1e9, 1.0), False),
        ("fixed:10,12", (200.0, 250_000.0), False),
        ("none", (200.0, 250_000.0), False),
    ],
)
def test_actions_on_the_states_of_a_live_middleware_are_those_of_python(spec, goals, acts, tmp_path):
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("pmtwin-steering-example is not built (make build)")
    latency_us, ops = goals
    scenario = NvmMiddleware.of(latency_goal_us=latency_us, throughput_goal_ops=ops)
    context = PolicyContext.of(scenario)
    policy = make_policy(spec)
    path = write_steering(tmp_path / "policy.json", policy, context)
    done = subprocess.run([PROGRAM, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pools = policy.start(context) or (4, 4)
    actions = []
    for line in done.stdout.splitlines():
        if line.startswith("#"):  # names of the columns
            continue
        *state, p99_us, throughput_ops, interactive_ops, batch_ops = map(float, line.split()[:12])
        after = map(int, line.split()[12:])
        assert tuple(state[:2]) == tuple(pools)
        assert interactive_ops + batch_ops == pytest.approx(throughput_ops)
        action = policy.act(state, {"p99_us": p99_us, "throughput_ops": throughput_ops})
        pools = scenario.settings.moved(pools, action)
        assert tuple(after) == tuple(pools)
        actions.append(action)
    assert len(actions) >= 3
    assert any(actions) or not acts


def test_a_file_that_is_no_policy_is_said(tmp_path):
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("pmtwin-steering-example is not built (make build)")
    done = subprocess.run([PROGRAM, tmp_path / "absent.json"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "absent.json" in done.stderr
