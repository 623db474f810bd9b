"""Cases in, Google Benchmark's JSON out: by lines and by files."""

import json
import os

import pytest

from tests.native_probe.runs import LOAD, QUICK, REGION, user_error

COUNTERS = {
    "accesses",
    "access_size_bytes",
    "stride_bytes",
    "fence_interval_bytes",
    "cpu_share",
    "steal_percent",
    "pinned",
}


def served_lines(done):
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_serve_answers_a_line_with_a_line_and_ends_with_its_input(probe, tmp_path):
    chase = {"kind": "chase", "operation": "load"} | QUICK
    context, load, chased = served_lines(probe("--serve", "--path", tmp_path, *REGION, lines=[LOAD, chase]))
    assert context["context"]["json_schema_version"] == 1
    assert load["case"] == LOAD and len(load["benchmarks"]) == 2 and load["seconds"] > 0
    for each in load["benchmarks"]:
        assert each.keys() >= COUNTERS | {"bandwidth_mib_s", "name", "run_name", "label", "repetition_index"}
        assert "operation=load pattern=random kind=bandwidth" in each["label"]
    assert all(each["latency_mean_ns"] > 0 for each in chased["benchmarks"])
    assert os.listdir(tmp_path) == []


def test_a_wrong_case_is_answered_and_the_next_one_runs(probe, tmp_path):
    lines = f'no JSON\n\n{{"kind": "bandwidth"}}\n[1]\n{json.dumps(LOAD | {"threads": 0})}\n{json.dumps(LOAD)}\n'
    _, no_json, no_operation, no_object, no_threads, good = served_lines(
        probe("--serve", "--path", tmp_path, *REGION, lines=lines)
    )
    assert "no JSON" in no_json["error"]
    assert no_operation["error"].startswith("operation is missing: ")
    assert no_object["error"].startswith("case: ")
    assert no_threads["error"].startswith("threads: '0'")
    assert "error" not in good and good["benchmarks"]


def test_more_threads_than_processors_and_the_remote_node_are_answers_too(probe, tmp_path):
    many = LOAD | {"threads": os.cpu_count() + 1}
    context, refused = served_lines(probe("--serve", "--path", tmp_path, *REGION, lines=[many]))
    assert refused["error"].startswith(f"threads: '{os.cpu_count() + 1}'")
    if context["context"]["remote_threads"] == 0:
        _, remote = served_lines(probe("--serve", "--path", tmp_path, *REGION, lines=[LOAD | {"numa": "remote"}]))
        assert "one NUMA node only" in remote["error"]


def test_a_file_of_cases_gives_a_file_that_google_benchmarks_readers_know(probe, tmp_path):
    cases, out = tmp_path / "cases.json", tmp_path / "out.json"
    mix = {"kind": "bandwidth", "operation": "mixed", "write_operation": "ntstore", "mix_by": "accesses"}
    latency = {"kind": "latency", "operation": "store_clwb"} | QUICK
    cases.write_text(json.dumps({"cases": [LOAD, mix | QUICK | {"write_ratio": 0.25}, latency]}))
    done = probe("--path", tmp_path, "--cases", cases, "-o", out, *REGION)
    assert done.returncode == 0 and done.stdout == ""
    assert "[3/3] latency/store_clwb/random/64B/cached" in done.stderr
    result = json.loads(out.read_text())
    assert result.keys() == {"context", "benchmarks"}
    assert len(result["benchmarks"]) == 6
    assert result["benchmarks"][2]["write_ratio"] == 0.25
    assert result["benchmarks"][5]["histogram"]["count"]
    assert sorted(os.listdir(tmp_path)) == ["cases.json", "out.json"]


@pytest.mark.parametrize("isa", ["sse2+clflush", "avx2+clflushopt", "avx512+clwb"])
def test_narrower_instructions_on_demand(probe, tmp_path, isa):
    write = {"kind": "bandwidth", "operation": "store_clwb"} | QUICK
    done = probe("--serve", "--path", tmp_path, "--isa", isa, *REGION, lines=[write])
    if done.returncode == 2 and "what this processor has" in done.stderr:
        pytest.skip(f"this processor has no {isa}")
    context, answer = served_lines(done)
    assert context["context"]["isa"] == isa
    assert f"isa={isa}" in answer["benchmarks"][0]["label"]


def test_the_context_agrees_with_what_the_kernel_says(probe, tmp_path):
    (line,) = served_lines(probe("--serve", "--path", "/dev/shm", *REGION))
    context = line["context"]
    assert context["num_cpus"] == os.cpu_count()
    assert context["kernel"] == os.uname().release
    assert context["memory"] | {"page_bytes": 0, "numa_node": 0} == {
        "file_system": "tmpfs",
        "direct_access": False,
        "map_sync": False,
        "region_bytes": 16 << 20,
        "page_bytes": 0,
        "numa_node": 0,
    }
    assert context["memory"]["page_bytes"] in (4096, 2 << 20)
    assert context["media"] == "dram"
    assert context["local_threads"] + context["remote_threads"] == len(os.sched_getaffinity(0))
    assert context["timing"]["overhead_subtracted"]
    assert context["libraries"].keys() == {"google_benchmark", "glibc", "nlohmann_json"}
    assert isinstance(context["noise"]["noisy"], bool)


def test_only_the_allowed_processors_are_used(probe, tmp_path):
    first = min(os.sched_getaffinity(0))
    case = LOAD | {"threads": 2}
    context, refused = served_lines(
        probe("--serve", "--path", tmp_path, *REGION, lines=[case], preexec_fn=lambda: os.sched_setaffinity(0, {first}))
    )
    assert context["context"]["local_threads"] == 1
    assert "1 to 1" in refused["error"]


def test_help_and_version(probe):
    assert "usage: pmtwin-probe" in probe("--help").stdout
    assert "schema 1" in probe("--version").stdout


def test_the_memory_of_a_node_is_measured_as_that_of_a_directory(probe):
    context, load = served_lines(probe("--serve", "--node", 0, *REGION, lines=[LOAD]))
    assert context["context"]["memory"]["numa_node"] in (0, None) and context["context"]["media"] == "dram"
    assert context["context"]["memory"]["file_system"] == "memfd" and load["benchmarks"]
    (in_memory, *_) = served_lines(probe("--serve", "--path", "/dev/shm", *REGION))
    assert in_memory["context"]["local_threads"] == context["context"]["local_threads"]


def test_a_node_that_is_not_there_is_named(probe):
    user_error(probe("--serve", "--node", 1023, *REGION), "--node", "1023", "a node with memory")
