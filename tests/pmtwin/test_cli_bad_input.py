"""Bad input through the real command line: exit code 2, one line that names field, value and what is allowed, no file.

Each case is a command and the words that its error must hold. `{tmp}` is a folder with the files of `broken_files`.
"""

import re
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.commands import SUMMARIES
from tests.pmtwin.broken_files import broken_files

SIMULATE = "simulate nvm-middleware --windows 1"
EVALUATE = "evaluate nvm-middleware --steps 10 --phase-steps 10 --seeds 1"
TRAIN = "train nvm-middleware"
POOLS_ALLOWED = "each 1 to 32"

PARSERS = re.compile(r"\(\d+,|Expect(ed|ing) |codec|Errno|Error\(|datetime|NoneType|Cannot |Invalid |Unclosed|\['")
"""What a user never wrote: words of parsers, tuples, names of Python's types."""

CASES = [
    ("simulat nvm-middleware", ["command", "'simulat'", "did you mean 'simulate'"]),
    ("list workload", ["KIND", "'workload'", "did you mean 'workloads'"]),
    ("doctor --require ,", ["--require", "','", "pmem, dax"]),
    ("doctor --require pmen", ["--require", "'pmen'", "did you mean 'pmem'"]),
    ("simulate nvm-middlewear", ["scenario", "'nvm-middlewear'", "did you mean 'nvm-middleware'"]),
    (f"{SIMULATE} --phase 0", ["phase", "0", "1, 2, 3, 4"]),
    (f"{SIMULATE} --phase 5", ["phase", "5", "1, 2, 3, 4"]),
    (f"{SIMULATE} --phase -1", ["phase", "-1", "1, 2, 3, 4"]),
    (f"{SIMULATE} --phase one", ["--phase", "'one'", "1, 2, 3, 4"]),
    (f"{SIMULATE} --phase 1 --workload svd", ["--phase 1 does not go with --workload", "replaces the phases"]),
    (f"{SIMULATE} --workload ycbs-a", ["workload", "'ycbs-a'", "did you mean 'ycsb-a'"]),
    (f"{SIMULATE} --pools 0,10", ["pools", "0", POOLS_ALLOWED]),
    (f"{SIMULATE} --pools 10,33", ["pools", "33", POOLS_ALLOWED]),
    (f"{SIMULATE} --pools -1,10", ["pools", "-1", POOLS_ALLOWED]),
    (f"{SIMULATE} --pools 10", ["pools", "10", POOLS_ALLOWED]),
    (f"{SIMULATE} --pools 1,2,3", ["pools", "3", POOLS_ALLOWED]),
    (f"{SIMULATE} --pools 1.5,2", ["pools", "1.5", POOLS_ALLOWED]),
    (f"{SIMULATE} --pools ten,2", ["pools", "ten", POOLS_ALLOWED]),
    (f"{SIMULATE} --pools nan,2", ["pools", "nan", POOLS_ALLOWED]),
    ("simulate nvm-middleware --windows 0", ["windows", "0", "1 to"]),
    ("simulate nvm-middleware --windows -5", ["windows", "-5", "1 to"]),
    ("simulate nvm-middleware --windows 1.5", ["--windows", "'1.5'", "a whole number"]),
    (f"{SIMULATE} --seed -1", ["--seed", "-1", "0 to 9,223,372,036,854,775,807"]),
    (f"{SIMULATE} --drain --requests-per-window 100", ["--requests-per-window 100 does not go with --drain"]),
    (f"{SIMULATE} --window-seconds 1 --requests-per-window 100", ["--requests-per-window", "--window-seconds"]),
    (
        f"{SIMULATE} --window-seconds 0 --requests-per-window 100",
        ["--requests-per-window 100 does not go with --window-seconds"],
    ),
    (f"{SIMULATE} --warned-share 3", ["--warned-share 3.0 belongs to a real system"]),
    (f"{SIMULATE} --warned-share 5", ["--warned-share 5.0 belongs to a real system"]),  # as by default
    ("evaluate --policies none --warned-share 5", ["--warned-share 5.0 belongs to a real system"]),
    ("evaluate two-tier --policies fixed:1 --cache 1% 10%", ["--cache belongs to --trace"]),
    ("validate --policies threshold --windows 10", ["--windows 10 has no effect on --policies; use --steps"]),
    ("validate --policies threshold --windows 3", ["--windows 3 has no effect on --policies; use --steps"]),
    ("validate --set windows=10 --learn q.npz", ["--set windows 10 has no effect on --policies; use --steps"]),
    ("validate --steps 200", ["--steps 200 has no effect on --grid; use --windows"]),
    ("validate --grid 4,4 --phase-steps 50", ["--phase-steps 50 belongs to --policies"]),
    ("validate --grid 4,4 --schedule random", ["--schedule random belongs to --policies"]),
    ("validate --grid 4,4 --lead-windows 10", ["--lead-windows 10 belongs to --transfer"]),
    ("validate --grid 4,4 --learn-step 4", ["--learn-step 4 belongs to --learn"]),
    ("calibrate x.csv --folds 20", ["--folds 20 belongs to --form"]),
    ("calibrate x.csv --most-threads 16", ["--most-threads 16 belongs to --suggest"]),
    ("calibrate x.csv --prior family --bootstrap 120", ["--bootstrap 120 does nothing with --prior family"]),
    (f"{SIMULATE} --nope", ["pmtwin simulate:", "--nope", "pmtwin simulate --help-all"]),
    (f"{SIMULATE} --dump-latencies /proc/x.npz", ["--dump-latencies", "'/proc/x.npz'", "a writable file"]),
    (f"{SIMULATE} --dump-latencies {{tmp}}/{'x' * 300}", ["--dump-latencies", "xxx", "a shorter name"]),
    (f"{SIMULATE} --warmup-windows -1", ["--warmup-windows", "-1", "0 to 1,000,000"]),
    (f"{SIMULATE} --requests-per-window 0", ["--requests-per-window", "0", "10 to 10,000,000 requests"]),
    (f"{SIMULATE} --window-seconds nan", ["--window-seconds", "nan", "60 s"]),
    (f"{SIMULATE} --window-seconds 1 --workload ycsb-a", ["--window-seconds 1.0 does not go with a closed loop"]),
    (f"{SIMULATE} --engine simpi", ["engine", "'simpi'", "did you mean 'simpy'"]),
    (f"{SIMULATE} --interactive-rate-ops fast", ["--interactive-rate-ops", "'fast'", "operations per second"]),
    (f"{SIMULATE} --batch-rate-ops nan", ["--batch-rate-ops", "nan", "1 to 1,000,000,000 operations/s"]),
    (f"{SIMULATE} --batch-rate-ops -3", ["--batch-rate-ops", "-3", "operations/s"]),
    (f"{SIMULATE} --latency-goal-us nan", ["--latency-goal-us", "nan", "0 to"]),
    (f"{SIMULATE} --throughput-goal-ops -1", ["--throughput-goal-ops", "-1", "0 to"]),
    (f"{SIMULATE} --latency-goal-us 0", ["--latency-goal-us: 0.0", "above 0 us"]),
    (f"{SIMULATE} --reward {{tmp}}/nothing.json", ["--reward", "nothing.json", "p99_us, throughput_ops"]),
    (f"{SIMULATE} --workload {{tmp}}/typo.json", ["typo.json: interactive: key: 'rate_opps'", "mean 'rate_ops'"]),
    (f"{SIMULATE} --workload {{tmp}}/load.py:load", ["load.py:1: TypeError", "without arguments"]),
    (f"{SIMULATE} --reward {{tmp}}/load.py:reward", ["load.py:3: too many"]),
    (f"{SIMULATE} --max-latency-us 0", ["--max-latency-us", "0.0", "more than"]),
    (f"{SIMULATE} --set handof_ns=1", ["--set", "parameters", "'handof_ns'", "did you mean 'handoff_ns'"]),
    (f"{SIMULATE} --set handoff_ns=nan", ["handoff_ns", "nan", "ns"]),
    (f"{SIMULATE} --set handoff_ns=-1", ["handoff_ns", "-1", "ns"]),
    (f"{SIMULATE} --set handoff_ns", ["--set", "'handoff_ns'", "KEY=VALUE"]),
    (f"{SIMULATE} --set cores=2.5", ["cores: 2.5", "a whole number from 1 to"]),
    (f"{SIMULATE} --profile optane-dcpmm", ["profile", "'optane-dcpmm'", "did you mean 'optane-dcpmm-100'"]),
    (f"{SIMULATE} --profile {{tmp}}/absent.json", ["profile", "absent.json", "is no shipped profile and no file"]),
    (f"{SIMULATE} --profile {{tmp}}/empty", ["profile", "empty", "JSON"]),
    (f"{SIMULATE} --profile {{tmp}}/binary", ["profile", "binary", "JSON"]),
    (f"{SIMULATE} --profile {{tmp}}/truncated.json", ["profile", "truncated.json", "JSON"]),
    (f"{SIMULATE} --profile {{tmp}}/list.json", ["list.json", "allowed"]),
    (f"{SIMULATE} --profile {{tmp}}/other.json", ["other.json", "is another kind of file"]),
    (f"{SIMULATE} --dump-latencies {{tmp}}/no/such/x.npz", ["--dump-latencies", "x.npz", "existing directory"]),
    (f"{SIMULATE} --dump-latencies {{tmp}}/folder", ["--dump-latencies", "folder", "this is a directory"]),
    ("simulate nvm-middleware --set windows=0", ["--set windows", "0", "1 to"]),
    (f"{SIMULATE} --set windows=many", ["--set", "'windows=many'", "a whole number"]),
    (f"{SIMULATE} --set phase=9", ["--set", "'phase=9'", "1, 2, 3, 4"]),
    (f"{SIMULATE} --set pools=0,1", ["--set", "'pools=0,1'", POOLS_ALLOWED]),
    (f"{SIMULATE} --engine analytc", ["--engine", "'analytc'", "did you mean 'analytic'"]),
    (f"{SIMULATE} --engine analytic --pools none", ["--engine", "'analytic'", "compiled or simpy", "share one line"]),
    (f"{SIMULATE} --engine analytic --drain", ["--engine", "'analytic'", "compiled or simpy", "drain"]),
    (f"{SIMULATE} --engine analytic --window-seconds 0.1", ["--engine", "'analytic'", "window_seconds"]),
    (f"{SIMULATE} --engine analytic --explain", ["--engine", "'analytic'", "compiled or simpy", "--explain"]),
    (f"{EVALUATE} --policies random --engine analytic --drain", ["--engine", "'analytic'", "compiled or simpy"]),
    (f"{SIMULATE} --set twin.engine=simpi", ["--set twin.engine", "'simpi'", "did you mean 'simpy'"]),
    (f"{SIMULATE} --set twin.engin=simpy", ["--set", "'twin.engin'", "did you mean 'twin.engine'"]),
    (f"{SIMULATE} --set lat_penalty=-1", ["--set lat_penalty", "-1", "0 to"]),
    (f"{SIMULATE} --set seed=1 --set seed=2", ["--set", "'seed=2'", "each name once"]),
    (f"{SIMULATE} --config {{tmp}}/absent.toml", ["--config", "absent.toml' cannot be read (No such file", "TOML"]),
    (f"{SIMULATE} --config {{tmp}}/folder", ["--config", "folder' cannot be read (Is a directory)", "TOML"]),
    (f"{SIMULATE} --config {{tmp}}/binary", ["--config", "binary", "TOML"]),
    (f"{SIMULATE} --config {{tmp}}/few.csv", ["few.csv:1: line: ", "is no TOML"]),
    (f"{SIMULATE} --config {{tmp}}/truncated.json", ["--config", "truncated.json", "JSON"]),
    (f"{SIMULATE} --config {{tmp}}/list.json", ["--config", "list.json", "an earlier result"]),
    (f"{SIMULATE} --config {{tmp}}/other.json", ["other.json", "'schema, name' are no options of simulate"]),
    (f"{SIMULATE} --config {{tmp}}/keys.toml", ["keys.toml", "'windoes, twin.engin' are no options", "--help-all"]),
    (f"{SIMULATE} --config {{tmp}}/range.toml", ["range.toml: seed: -1", "0 to"]),
    (f"{SIMULATE} --config {{tmp}}/train.toml", ["train.toml: command: 'train'", "simulate"]),
    (f"{SIMULATE} --config {{tmp}}/old.json", ["--config", "old.json", "configuration.arguments"]),
    ("simulate --config {tmp}/nowhere.toml", ["scenario", "'nvm'", "nvm-middleware"]),
    ("simulate", ["simulate: SCENARIO is missing"]),
    ("evaluate nvm-middleware", ["evaluate: --policies is missing"]),
    ("simulate {tmp}/absent.py:Mine", ["scenario", "absent.py:Mine", "FILE.py:NAME"]),
    ("simulate {tmp}/broken.py:Mine", ["scenario", "broken.py:1", "NameError"]),
    (f"{EVALUATE} --policies nome", ["policy", "'nome'", "did you mean 'none'"]),
    (f"{EVALUATE} --policies none:1", ["policy", "'none:1'", "takes no options"]),
    (f"{EVALUATE} --policies fixed", ["policy", "'fixed'", "fixed:N[,N...]"]),
    (f"{EVALUATE} --policies fixed:0,1", ["fixed:0,1", "1 to 32"]),
    (f"{EVALUATE} --policies fixed:1,33", ["fixed:1,33", "1 to 32"]),
    (f"{EVALUATE} --policies no_such_module:Policy", ["policy", "module:Class", "no module 'no_such_module'"]),
    (f"{EVALUATE} --policies no.such.module:Policy", ["policy", "'no.such.module:Policy'", "importable"]),
    (f"{EVALUATE} --policies ..module:Policy", ["policy", "'..module'", "fixed:N[,N...], mlp:FILE, none"]),
    (f"{EVALUATE} --policies json:loads", ["policy", "'json:loads'", "subclass of pmtwin.policies.Policy"]),
    (f"{EVALUATE} --policies none --schedule randon", ["schedule", "'randon'", "did you mean 'random'"]),
    (f"{EVALUATE} --policies none --phases 1 9", ["phase", "9", "1, 2, 3, 4"]),
    (f"{EVALUATE} --policies none --phases 1 1", ["--phases", "[1, 1]", "each phase once"]),
    (f"{EVALUATE} --policies none --phases -1 2", ["phase", "-1", "1, 2, 3, 4"]),
    ("evaluate nvm-middleware --policies none --steps 0", ["steps", "0", "1 to"]),
    ("evaluate nvm-middleware --policies none --phase-steps -1", ["--phase-steps", "-1", "1 to 100,000,000"]),
    ("evaluate nvm-middleware --policies none --seeds 0", ["seeds", "0", "1 to"]),
    (f"{EVALUATE} --policies none --jobs 0", ["jobs", "0", "1 to"]),
    (f"{EVALUATE} --policies none -o {{tmp}}/no/such/x.json", ["--output", "x.json", "existing directory"]),
    (f"{EVALUATE} --policies none --series {{tmp}}/folder", ["--series", "folder", "this is a directory"]),
    ("predict {tmp}/absent.csv", ["POINTS", "absent.csv", "No such file"]),
    ("predict {tmp}/folder", ["POINTS", "folder", "file"]),
    ("predict {tmp}/empty", ["POINTS", "empty", "header"]),
    ("predict {tmp}/binary", ["POINTS", "binary", "text"]),
    ("predict {tmp}/headless.csv", ["POINTS", "headless.csv", "header"]),
    ("predict {tmp}/rowless.csv", ["POINTS", "rowless.csv", "at least one row"]),
    ("predict {tmp}/column.csv", ["column.csv:1", "'thread'", "did you mean 'threads'"]),
    ("predict {tmp}/operation.csv", ["operation.csv:2", "'laod'", "did you mean 'load'"]),
    ("predict {tmp}/pattern.csv", ["pattern.csv:3", "'randon'", "did you mean 'random'"]),
    ("predict {tmp}/negative.csv", ["negative.csv:2", "threads", "-4", "1 to"]),
    ("predict {tmp}/nan.csv", ["nan.csv:2", "threads", "nan", "1 to"]),
    ("predict {tmp}/text.csv", ["text.csv:2", "threads", "'four'", "a number"]),
    ("predict {tmp}/dimms.csv", ["dimms.csv:2", "dimms", "17", "1 to 16"]),
    ("predict {tmp}/truncated.csv", ["truncated.csv:2", "4 values", "5 values"]),
    ("predict {tmp}/dimms.csv --profile optane", ["profile", "'optane'", "optane-dcpmm-100"]),
    ("calibrate {tmp}/absent.csv", ["source", "absent.csv", "No such file"]),
    ("calibrate {tmp}/folder", ["source", "folder", ".csv"]),
    ("calibrate {tmp}/empty", ["source", "empty", "header"]),
    ("calibrate {tmp}/binary", ["source", "binary", "text"]),
    ("calibrate {tmp}/few.csv", ["usable configurations: '1 of load' are too few", "at least 8"]),
    ("calibrate {tmp}/no-throughput.csv", ["no-throughput.csv", "without throughput", "lattester"]),
    ("calibrate {tmp}/cell.csv", ["cell.csv:2", "throughput", "'fast'", "a number"]),
    ("calibrate {tmp}/task.csv", ["task.csv:2", "task_type", "did you mean 'RandBW'"]),
    ("calibrate {tmp}/cut.csv", ["cut.csv:3", "values", "one per column"]),
    ("calibrate {tmp}/few.csv -o {tmp}/no/such/x.json", ["--output", "x.json", "existing directory"]),
    ("calibrate {tmp}/few.csv -o {tmp}/folder", ["--output", "folder", "this is a directory"]),
    ("calibrate {tmp}/few.csv --bootstrap -1", ["--bootstrap", "-1", "0 to"]),
    ("calibrate {tmp}/few.csv --jobs 0", ["--jobs", "0", "1 to"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --policy q-lerning", ["--policy", "'q-lerning'", "did you mean 'q-learning'"]),
    (f"{TRAIN} -o {{tmp}}/no/such/x.npz", ["--output", "x.npz", "existing directory"]),
    (f"{TRAIN} -o {{tmp}}/folder", ["--output", "folder", "this is a directory"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --seed -1", ["--seed", "-1", "0 to"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --jobs 0 --dry-run", ["--jobs", "0", "1 to"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --episodes -1", ["--episodes", "-1", "at least 0"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --episodes many", ["--episodes", "many", "whole number"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --campaign nan", ["campaign", "nan"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --campaign 0", ["campaign", "0"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --gamma 1", ["gamma", "1", "0 to"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --learning-rate nan", ["--learning-rate", "nan"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --order by-name", ["order", "'by-name'", "interleaved"]),
    (f"{TRAIN} -o {{tmp}}/x.npz --profile optane", ["profile", "'optane'", "optane-dcpmm-100"]),
    (f"{EVALUATE} --policies q-learning", ["policy", "'q-learning'", "q-learning:FILE"]),
    (f"{EVALUATE} --policies q-learning:{{tmp}}/absent", ["policy file", "absent", "existing file"]),
    (f"{EVALUATE} --policies q-learning:{{tmp}}/empty", ["policy file", "empty", "not a policy file of pmtwin"]),
    (f"{EVALUATE} --policies q-learning:{{tmp}}/binary", ["policy file", "binary", "not a policy file of pmtwin"]),
    (f"{EVALUATE} --policies q-learning:{{tmp}}/truncated.json", ["policy file", "truncated.json", "pmtwin train"]),
    (f"{EVALUATE} --policies q-learning:{{tmp}}/folder", ["policy file", "folder", "pmtwin train"]),
    ("figures b2", ["figure", "'b2'", "b1"]),
    ("figures b1 --jobs 0", ["--jobs", "0", "1 to"]),
    ("figures b1 --seed -1", ["--seed", "-1", "0 to"]),
    ("figures b1 -o {tmp}/empty", ["-o", "empty", "this is a file"]),
    ("figures b1 --data {tmp}/absent", ["--data", "absent", "existing folder"]),
    ("sweep", ["PLAN", "-o/--output"]),
    ("sweep {tmp}/missing.toml -o {tmp}/runs", ["missing.toml' cannot be read"]),
    ("sweep {tmp}/empty -o {tmp}/runs", ["vary", "a table of lists"]),
    ("completion", ["SHELL"]),
    ("completion ksh", ["SHELL", "'ksh'", "bash, fish, tcsh, zsh"]),
    ("run --jobs -3", ["--jobs", "-3", "1 to"]),
    ("run -o {tmp}/empty", ["-o", "empty", "this is a file"]),
    ("run --data {tmp}/empty", ["--data", "empty", "existing folder"]),
    ("run everything", ["scenario", "'everything'", "nvm-middleware"]),
    ("export fixed:0,5 -o {tmp}/x.json", ["fixed:0,5", "1 to 32"]),
    ("export fixd -o {tmp}/x.json", ["POLICY", "'fixd'", "did you mean 'fixed'"]),
    ("probe --path {tmp}/absent -o {tmp}/x.json", ["--path", "absent", "directory"]),
    ("probe --path {tmp} -o {tmp}/folder", ["--output", "folder", "this is a directory"]),
    ("probe --path {tmp} -o {tmp}/empty", ["--output", "empty", "no result of a probe"]),
    ("validate --grid 4,x", ["--grid", "'4,x'", "1 to 32"]),
    ("validate --grid 4,4 --phases 9", ["phase", "9", "1, 2, 3, 4"]),
    ("validate --grid 4,4 --store mapp", ["--store", "'mapp'", "did you mean 'map'"]),
    ("infer -o {tmp}/x.json --draws 5", ["--draws", "5", "32 to"]),
    ("infer -o {tmp}/x.json --only handof_ns", ["handof_ns", "did you mean 'handoff_ns'"]),
    ("infer --evidence {tmp}/empty -o {tmp}/x.json", ["empty"]),
    ("simulate nvm-middleware --host assumed --host-samples 5", ["--host", "assumed"]),
    ("recommend --goal p99=400", ["--goal", "'p99'", "p99_us"]),
    ("recommend --goal p99_us=nan", ["--goal", "nan"]),
    ("plan nvm-middleware", ["scenario nvm-middleware has no cost", "two-tier"]),
    ("bench engines", ["TARGET", "'engines'", "did you mean 'engine'"]),
    ("bench engine --repeats 0", ["--repeats", "0", "1 to 1000"]),
    ("bench engine --seconds nan", ["--seconds", "nan", "0.001 to 600"]),
    (f"{EVALUATE} --policies fixed:8", ["policy: 'fixed:8'", "fixed:INTERACTIVE,BATCH"]),
    ("export fixed:8,99 -o {tmp}/x.json", ["POLICY: 'fixed:8,99'", "fixed:INTERACTIVE,BATCH"]),
    (f"{EVALUATE} --policies {{tmp}}/syntax.py:Mine", ["syntax.py:1: SyntaxError: invalid syntax"]),
    (f"{SIMULATE} --workload {{tmp}}/unit.toml", ["unit.toml:3: rate_ops: '280k'", "a number such as 280000"]),
    (f"{SIMULATE} --workload {{tmp}}/twice.toml", ["twice.toml:3: line: '[interactive]' is there twice"]),
    (f"{SIMULATE} --workload {{tmp}}/cut.toml", ["--workload", "cut.toml' ends before its last value is whole"]),
    (f"{SIMULATE} --workload {{tmp}}/words.toml", ["words.toml:1: line: 'clients 4'", "KEY = VALUE"]),
    (f"{SIMULATE} --workload {{tmp}}/load.json", ["load.json' is no JSON from line 1 on", 'JSON such as {"KEY"']),
    (f"{SIMULATE} --config {{tmp}}/comma.json", ["comma.json' is no JSON in line 1, column 9", "JSON such as {"]),
    (f"{SIMULATE} --workload {{tmp}}/list.json", ["--workload", "list.json' holds no table of keys"]),
    (f"{SIMULATE} --reward {{tmp}}/limit.toml", ["limit.toml: goals.p99_us: 'fast'", "a number"]),
    (f"{SIMULATE} --profile {{tmp}}/load.toml", ["--profile", "load.toml' is no JSON", "`pmtwin calibrate` wrote"]),
    (f"{SIMULATE} --profile {{tmp}}/empty", ["--profile", "empty' is empty", "`pmtwin calibrate` wrote"]),
    (f"{SIMULATE} --profile {{tmp}}/truncated.json", ["truncated.json' is cut off at its end, line 1"]),
    (f"{SIMULATE} --profile {{tmp}}/comma.json", ["comma.json' is no JSON in line 1, column 9"]),
    (f"{SIMULATE} --profile {{tmp}}/folder", ["--profile", "folder' is a folder", "optane-dcpmm-100"]),
    (f"{SIMULATE} --profile {{tmp}}/typo.json", ["profile", "typo.json' is another kind of file"]),
    (f"{SIMULATE} --host {{tmp}}/load.toml", ["--host", "load.toml' is no JSON", "`pmtwin infer` wrote"]),
    (f"{SIMULATE} --host {{tmp}}/typo.json", ["--host", "typo.json' is another kind of file"]),
    (f"{SIMULATE} --config {{tmp}}/load.toml", ["'interactive, batch' are no options of simulate", "--workload"]),
    (f"{SIMULATE} --config {{tmp}}/limits.toml", ["limits.toml: goal: 200", "a list"]),
    (f"{SIMULATE} --config {{tmp}}/key.toml", ["key.toml:1: line: 'rate ops = 280000' is no TOML", "KEY = VALUE"]),
    (f"{SIMULATE} --config {{tmp}}/twice-within.toml", ["twice-within.toml:1: line: ", "is there twice"]),
    (f"{SIMULATE} --config {{tmp}}/digits.toml", ["digits.toml' holds a number of too many digits", "TOML"]),
    (f"{SIMULATE} --config {{tmp}}/deep.toml", ["deep.toml' is too deeply nested", "TOML"]),
    (f"{SIMULATE} --config {{tmp}}/marked.toml", ["marked.toml: seed: -1", "0 to"]),
    (f"{SIMULATE} --config {{tmp}}/date.toml", ["date.toml: seed: '2026-01-01'", "a whole number"]),
    (f"{SIMULATE} --config {{tmp}}/table.toml", ["table.toml: seed: a table", "a whole number"]),
    ("infer -o {tmp}/x.json --evidence {tmp}/unit.toml", ["unit.toml:3: rate_ops: '280k'"]),
    ("sweep {tmp}/unit.toml -o {tmp}/runs", ["unit.toml:3: rate_ops: '280k'"]),
    ("calibrate {tmp}/comma.json -o {tmp}/x.json", ["source", "comma.json' is no JSON in line 1, column 9"]),
    ("warm nonsense", ["COMMAND: 'nonsense'", "simulate"]),
    ("validate --keep {tmp}/load.toml", ["--keep", "load.toml' is a file", "a folder"]),
    (
        "validate --store pmemkv --path {tmp}/load.toml",
        ["--path", "load.toml' is no directory", "a writable directory"],
    ),
]


def test_every_command_has_a_case():
    assert set(SUMMARIES) <= {command.split()[0] for command, _ in CASES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("bad")
    broken_files(path)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def exit_code(argv: list[str]) -> int:
    try:
        return cli.main(argv)
    except SystemExit as leave:  # argparse leaves by itself
        return leave.code


@pytest.mark.parametrize(("command", "words"), CASES, ids=[command for command, _ in CASES])
def test_bad_input_is_one_line_that_says_how_to_mend_it(command, words, folder, capsys):
    before = contents(folder)
    code = exit_code(command.format(tmp=folder).split())
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert captured.err.count("\n") == 1, captured.err
    assert [word for word in words if word not in captured.err] == [], captured.err
    assert not PARSERS.search(captured.err), captured.err
    assert contents(folder) == before
