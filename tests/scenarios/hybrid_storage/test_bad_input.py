"""Bad input of hybrid storage: one line on standard error that names field and value, exit code 2, nothing printed."""

import pytest

from pmtwin.cli import main

HEAD = "time_us,op,offset,size\n"
TRACES = {
    "negative.csv": HEAD + "0,W,0,4096\n5,W,0,-512\n",
    "back.csv": HEAD + "5,W,0,4096\n4,W,0,4096\n",
    "empty.csv": HEAD,
    "nothing.csv": "",
    "binary.bin": b"\x07te\x00\x00\x00\x00\x01\x00\x00\x00" * 40,
    "good.csv": HEAD + "".join(f"{9 * k},{'RW'[k % 2]},{4096 * (k % 37)},4096\n" for k in range(400)),
}
COMMANDS = {
    "evaluate": ("--policies", "cde", "--seeds", "1", "--jobs", "1"),
    "plan": ("--goal", "mean_us=80", "--policies", "cde", "--jobs", "1"),
}
CASES = [
    (("--devices", "perv"), "devices: 'perv' is not accepted"),
    (("--devices", "H"), "devices: 'H' is a single device; allowed: 2 to 4 different devices joined by +"),
    (("--devices", "H+NVME"), "device: 'NVME' is not accepted"),
    (("--devices", "PMEM+H+M+LSSD+L"), "2 to 4 different devices"),
    (("--devices", "H+absent.json"), "absent.json"),
    (("--config", "perf"), "--config: 'perf' cannot be read"),
    (("--trace", "absent.csv"), "absent.csv"),
    (("--trace", "negative.csv"), "line 3: size: -512"),
    (("--trace", "back.csv"), "line 3: time_us: 4.0 goes back"),
    (("--trace", "empty.csv"), "has no requests"),
    (("--trace", "nothing.csv"), "is empty"),
    (("--trace", "binary.bin"), "is binary"),
    (("--trace", "good.csv", "--skew", "1.2"), "skew 1.2 does not go with --trace"),
    (("--trace", "good.csv", "--policies", "nobody"), "nobody"),
]
OF_EVALUATE = [
    (("--workloads", "nope"), "nope"),
    (("--volumes", "together"), "belongs to --trace"),
    (("--fast", "0"), "--fast: 0"),
    (("--fast", "101"), "--fast: 101"),
    (("--fast", "-1"), "--fast"),
    (("--fast", "1%,0"), "--fast: 0"),
    (("--fast", "1,ten"), "--fast: 'ten' is not accepted; allowed: a percentage, such as 10 or .1%"),
    (("--fast", "5%,5"), "each percentage once"),
    (("--fast", "nan"), "--fast"),
    (("--trace", "good.csv", "--fast", "1"), "fast: 1.0 is not accepted; allowed: percent of 37 pages"),
    (("--fast", "1,2", "--report", "page"), "--report page does not go with several values of --fast"),
    (("--yardsticks", "oracle"), "yardsticks"),
]
OF_PLAN = [
    ((), "a workload, or --trace FILE in its place"),
    (("--workload", "nope"), "nope"),
    (("--trace", "good.csv", "--workload", "LUN0"), "does not go with --trace"),
    (("--trace", "good.csv", "--goal", "mean_ns=80"), "mean_ns"),
    (("--trace", "good.csv", "--goal", "mean_us=fast"), "mean_us=fast"),
    (("--trace", "good.csv", "--goal", "mean_us=0"), "mean_us=0"),
    (("--trace", "good.csv", "--gb-price", "X=3"), "a device of the system: H, M"),
    (("--trace", "good.csv", "--endurance-tb", "H"), "NAME=NUMBER"),
]


@pytest.fixture
def traces(tmp_path, monkeypatch):
    for name, content in TRACES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(tmp_path)


def refused(command, words, said, capsys):
    usual = COMMANDS[command]
    taken = [word for k in range(0, len(usual), 2) if usual[k] not in words for word in usual[k : k + 2]]
    assert main([command, "hybrid-storage", *taken, *words]) == 2
    out, err = capsys.readouterr()
    assert said in err and "\n" not in err.strip() and not out


@pytest.mark.parametrize(("words", "said"), CASES)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_both_commands_refuse(traces, command, words, said, capsys):
    more = ("--workload", "LUN0") if command == "plan" and "--trace" not in words else ()
    refused(command, (*words, *more), said, capsys)


@pytest.mark.parametrize(("words", "said"), OF_EVALUATE)
def test_what_evaluate_refuses(traces, words, said, capsys):
    refused("evaluate", words, said, capsys)


@pytest.mark.parametrize(("words", "said"), OF_PLAN)
def test_what_plan_refuses(traces, words, said, capsys):
    refused("plan", words, said, capsys)
