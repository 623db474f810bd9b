"""Where workers run, as asked for from Python and on the command line."""

import os
from collections import Counter
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.middleware import binding
from pmtwin.middleware.settings import NativeSettings, native_settings
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.sim.common.cpu_list import parse_cpus
from pmtwin.sim.errors import InputError, MissingDependencyError

ALLOWED = sorted(os.sched_getaffinity(0))
ABSENT = max(ALLOWED) + 1000
SIMULATE = ["simulate", "nvm-middleware", "--engine", "native", "--store", "null", "--requests-per-window", "50"]


@pytest.fixture
def native():
    try:
        return binding.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))


def _affinities() -> Counter:
    """Of the threads of this process: how many may run on which processors."""
    return Counter(tuple(sorted(os.sched_getaffinity(int(task.name)))) for task in Path("/proc/self/task").iterdir())


def _placed(pools, **settings) -> Counter:
    """Of the threads that an environment's middleware adds."""
    before = _affinities()
    env = NvmMiddlewareEnv(
        engine="native",
        native={"store": "null", "keys": 5, **settings},
        requests_per_window=50,
        initial_pools=pools,
        episode_steps=None,
    )
    env.reset(seed=1)
    try:
        return _affinities() - before
    finally:
        env.close()


@pytest.mark.skipif(len(ALLOWED) < 2, reason="one processor")
def test_workers_of_each_pool_run_where_they_were_put(native):
    first, last = ALLOWED[0], ALLOWED[-1]
    result = _placed((3, 5), interactive_cpus=[first], batch_cpus=[last])
    assert (result[(first,)], result[(last,)]) == (3, 5)
    result = _placed((2, 4), batch_cpus=[first, last], one_cpu_each=True)
    assert (result[(first,)], result[(last,)]) == (2, 2)


def test_workers_of_a_node_run_on_its_processors(native):
    node = next(Path(f"/sys/devices/system/cpu/cpu{ALLOWED[0]}").glob("node[0-9]*"), None)
    if node is None:
        pytest.skip("the kernel tells no NUMA nodes")
    cpus = parse_cpus("cpulist", (node / "cpulist").read_text().strip())
    result = _placed((2, 1), interactive_node=int(node.name.removeprefix("node")), batch_cpus=[ALLOWED[0]])
    assert result[tuple(sorted({*cpus} & {*ALLOWED}))] >= 2


def test_the_middleware_alone_takes_a_placement_too(native):
    middleware = native.Middleware(cpus=[[ALLOWED[0]], []], nodes=[None, None], one_cpu_each=True)
    before = _affinities()
    middleware.start(native.open_store("null"), 2, 1)
    added = _affinities() - before
    middleware.stop()
    assert sum(added.values()) >= 3
    assert added[(ALLOWED[0],)] >= 2
    with pytest.raises(native.InputError, match=f"batch_cpus: '{ABSENT}'"):
        native.Middleware(cpus=[[], [ABSENT]])


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"batch_cpus": [ABSENT]}, f"batch_cpus: '{ABSENT}' is not accepted; allowed: processors that this process"),
        ({"interactive_node": 4000}, "interactive_node: '4000' is not accepted; allowed: NUMA nodes"),
        ({"interactive_cpus": []}, "interactive_cpus"),
        ({"interactive_cpus": "0"}, "interactive_cpus"),
        ({"batch_cpus": [-1]}, "batch_cpus"),
        ({"batch_cpus": [0.5]}, "batch_cpus"),
        ({"batch_node": -1}, "batch_node"),
        ({"batch_node": 0, "batch_cpus": [0]}, "batch_node 0 does not go with batch_cpus"),
        ({"one_cpu_each": True}, "one_cpu_each"),
        (
            {"store": "emulated", "interactive_node": 0},
            "interactive_node 0 belongs to a real store",
        ),
    ],
)
def test_a_placement_that_cannot_be_is_refused(native, settings, named):
    with pytest.raises(InputError) as refused:
        _placed((1, 1), **settings)
    assert named in str(refused.value)


def test_a_placement_is_recorded_and_read_back():
    settings = NativeSettings(store="map", interactive_cpus=(0, 2), batch_node=1, one_cpu_each=True)
    assert settings.to_dict().items() >= {"interactive_cpus": (0, 2), "batch_node": 1, "one_cpu_each": True}.items()
    assert native_settings(settings.to_dict()) == settings


@pytest.mark.parametrize(("text", "cpus"), [("0", (0,)), ("0-2,5", (0, 1, 2, 5)), ("3, 1", (3, 1)), ("2-2", (2,))])
def test_a_list_of_processors(text, cpus):
    assert parse_cpus("--batch-cpus", text) == cpus


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "2-1", "0,,1", "1.5", "0-99999", "4096", "²"])
def test_no_list_of_processors(text):
    with pytest.raises(InputError, match="--batch-cpus"):
        parse_cpus("--batch-cpus", text)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--interactive-cpus", f"{ABSENT}"], f"--interactive-cpus: '{ABSENT}' is not accepted"),
        (["--batch-node", "4000"], "--batch-node: '4000' is not accepted"),
        (["--batch-cpus", "x"], "--batch-cpus: 'x' is not accepted"),
        (["--one-cpu-each"], "--one-cpu-each"),
        (["--store", "emulated", "--batch-cpus", "0"], "--batch-cpus"),
    ],
)
def test_the_command_line_names_the_option(native, arguments, named, capsys):
    assert cli.main([*SIMULATE, *arguments]) == 2
    assert named in capsys.readouterr().err
