"""An option that changes nothing is refused by its name, at its default too; in a file only another value counts."""

import pytest

from pmtwin import cli
from pmtwin.config import command_words

EVALUATE = ("evaluate", "nvm-middleware", "--policies", "none", "--dry-run")
SIMULATE, PROCESS = ("simulate", "nvm-middleware"), ("evaluate", "two-tier", "--policies", "threshold", "--dry-run")
WHOLE = ("evaluate", "two-tier", "--policies", "lru", "--dry-run")
OF_TRACE = ("simulate", "two-tier", "--requests-from", "t.csv", "--windows", "1")
BESIDE_REQUESTS = "does not go with --requests-from, which sets the requests"
EXAMPLE = ("simulate", "two-tier", "--example")
INSTEAD = "does not go with --workload, which replaces the phases"
SAMPLES = "belongs to --{}-samples; add that, or remove this option"


def refused(capsys, *words: str) -> str:
    """The single line on standard error."""
    assert cli.main([*words]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and len(shown.err.splitlines()) == 1, shown.err
    return shown.err


@pytest.mark.parametrize(
    ("command", "option", "reason"),
    [
        ((*EVALUATE, "--workload", "section-4.2"), ("--phase-steps", "50"), INSTEAD),
        ((*EVALUATE, "--workload", "section-4.2"), ("--phase-steps", "200"), INSTEAD),
        ((*EVALUATE, "--workload", "ycsb-a"), ("--schedule", "order"), INSTEAD),
        ((*EVALUATE, "--workload", "ycsb-a"), ("--contexts", "phases"), INSTEAD),
        ((*EVALUATE, "--workload", "section-4.2"), ("--load", "varying"), "have no rate, which could vary"),
        ((*PROCESS, "--rate", "50"), ("--load-steps", "7"), "does not go with --rate, which replaces the loads"),
        (EVALUATE, ("--host-seed", "3"), SAMPLES.format("host")),
        (EVALUATE, ("--host-seed", "0"), SAMPLES.format("host")),
        ((*EVALUATE, "--host-samples", "2"), ("--device-seed", "3"), SAMPLES.format("device")),
        (SIMULATE, ("--device-spread", "1"), SAMPLES.format("device")),
        (("train", "nvm-middleware", "-o", "x.npz", "--dry-run"), ("--host-seed", "4"), SAMPLES.format("host")),
        (("recommend", "--device-samples", "2"), ("--host-seed", "4"), SAMPLES.format("host")),
        (PROCESS, ("--pages", "4096"), "belongs to --model whole"),
        (PROCESS, ("--p99-goal-ms", "300"), "belongs to --model whole"),
        (WHOLE, ("--miss-rate", "0.2"), "belongs to --model process"),
        ((*EXAMPLE, "section-v"), ("--pages", "4096"), "belongs to --example table-vii"),
        ((*EXAMPLE, "section-v"), ("--pages", "5000"), "belongs to --example table-vii"),
        ((*EXAMPLE, "table-vii"), ("--miss-rate", "0.2"), "does not go with --example table-vii"),
        ((*EXAMPLE, "section-v"), ("--goal", "mean_response_ms=5"), "does not go with --goal"),
        ((*EXAMPLE, "table-vii"), ("--p99-goal-ms", "300"), "does not go with --p99-goal-ms"),
        ((*EXAMPLE, "table-viii"), ("--page-bytes", "1048576"), "belongs to --requests-from"),
        (PROCESS, ("--requests", "10000"), "belongs to --example"),
        (PROCESS, ("--processes", "9"), "belongs to --example"),
        ((*PROCESS, "--engine", "analytic"), ("--requests-per-window", "100"), "does not go with --engine analytic"),
        (WHOLE, ("--requests", "100"), "belongs to --example"),
        (WHOLE, ("--block-pages", "8"), "belongs to --mapping block-cyclic"),
        (OF_TRACE, ("--pages", "100"), BESIDE_REQUESTS),
        (OF_TRACE, ("--pages", "4096"), BESIDE_REQUESTS),
        (OF_TRACE, ("--pattern", "uniform"), BESIDE_REQUESTS),
        (OF_TRACE, ("--locality", "shared"), BESIDE_REQUESTS),
        (WHOLE, ("--write-back", "0.5"), "belongs to --operation read-modify-write"),
        (WHOLE, ("--set", "request_offset=1"), "has no use"),
        ((*WHOLE, "--trace", "t.csv"), ("--engine", "compiled"), "does not go with --trace"),
        ((*WHOLE, "--trace", "t.csv"), ("--load-steps", "200"), "does not go with --trace"),
        (WHOLE, ("--cache", "1%", "10%"), "belongs to --trace"),
    ],
)
def test_what_changes_nothing_is_refused_by_name(command, option, reason, capsys):
    said = refused(capsys, *command, *option)
    assert option[0] in said and reason in said


@pytest.mark.parametrize(
    "words",
    [
        (*EVALUATE, "--host-samples", "2", "--host-seed", "3", "--device-samples", "2", "--device-seed", "3"),
        (*EVALUATE, "--workload", "section-4.2", "--load", "steady"),
        (*EVALUATE, "--workload", "ycsb-a", "--interactive-rate-ops", "1000", "--load", "varying"),
        (*PROCESS, "--model", "process", "--miss-rate", "0.2"),
        (*WHOLE, "--mapping", "block-cyclic", "--block-pages", "16", "--processes", "3"),
        (*WHOLE, "--operation", "read-modify-write", "--write-back", "0.5"),
    ],
)
def test_what_changes_something_is_taken(words, capsys):
    assert cli.main([*words]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--policies", "lru"), "--model process has no caches, in which policy lru decides; give --model whole"),
        (("--policies", "fixed:2", "--goal", "p99_ms=250"), "--goal p99_ms=250 belongs to --model whole"),
        (("--policies", "fixed:2", "--goal", "p99_ms=300"), "--goal p99_ms=300 belongs to --model whole"),
    ],
)
def test_what_needs_the_whole_system_says_so_beside_the_other_model(words, said, capsys):
    assert said in refused(capsys, "evaluate", "two-tier", "--model", "process", *words, "--dry-run")


@pytest.mark.parametrize("limit", ["250", "300"])
def test_both_forms_of_a_goal_mean_the_same_system(limit, capsys):
    """300 is the default, and counts as given."""
    words, options = ("evaluate", "two-tier", "--policies", "fixed:2"), []
    for goal in (("--goal", f"p99_ms={limit}"), ("--p99-goal-ms", limit, "--model", "whole")):
        config = command_words.parsed_configuration([*words, *goal])
        options.append({**vars(config.scenario.options)})
        assert [str(each) for each in config.scenario.goals][1] == f"p99_ms at most {limit}"
    assert options[0] == options[1]


def test_a_file_may_have_the_defaults(tmp_path, capsys):
    file = tmp_path / "options.toml"
    for seed, code in (("0", 0), ("7", 2)):
        file.write_text(f"[twin]\nhost_seed = {seed}\n")
        assert cli.main([*EVALUATE, "--config", str(file)]) == code
    assert "twin.host_seed 7 belongs to --host-samples" in capsys.readouterr().err
