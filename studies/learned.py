"""Learned policies against one another: several trainings of each, evaluated together on the same runs.

    python -m studies.learned nvm-middleware --folder trained --seeds 10
    python -m studies.learned tests/scenarios/admission.py:Admission --folder trained-admission --seeds 10

Each policy is trained with its defaults, or with the words of `--options`, by `pmtwin train --seed S` for each seed.
Trained files are kept in the folder, so that a study that was stopped goes on. Intervals are over training seeds, 95 %,
by Student's t; the runs of the evaluation are the same for all.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from pathlib import Path

from pmtwin import cli
from pmtwin.console.output import print_table
from pmtwin.scenarios import load_scenario
from pmtwin.sim.errors import CheckFailedError
from pmtwin.sim.numerics.statistics import compare, mean_interval
from studies.study import Study

MEASURES = ("reward", "attainment")
YARDSTICK = "best-constant"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of this study."""
    parser.add_argument("scenario", help="name, or FILE.py:NAME")
    parser.add_argument("--policies", nargs="+", default=["dqn", "q-learning", "afterstate"], metavar="NAME")
    parser.add_argument("--options", action="append", default=[], metavar="NAME:WORDS",
                        help="options of a policy's training, such as 'dqn:--units 32 32'; repeatable")  # fmt: skip
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
                        help="an option of the scenario, for trainings and evaluation; repeatable")  # fmt: skip
    parser.add_argument("--folder", type=Path, required=True, help="folder of the trained files, made if absent")
    parser.add_argument("--runs", type=int, default=5, help="runs of the evaluation (default 5)")
    parser.add_argument("--steps", type=int, default=400, help="windows of a run (default 400)")
    parser.add_argument("--context-steps", type=int, default=100, help="windows of a context (default 100)")


def called(args: argparse.Namespace, command: str, words: list[str]) -> dict:
    """The JSON of a command of pmtwin on the study's scenario."""
    changes = [word for change in args.changes for word in ("--set", change)]
    jobs = ["--jobs", str(args.jobs)] if args.jobs > 0 else []
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = cli.main([command, args.scenario, *words, *changes, *jobs, "--json"])
    if code:
        raise CheckFailedError(f"pmtwin {command} {' '.join(words)} ended with exit code {code}")
    return json.loads(printed.getvalue())


def train(args: argparse.Namespace, policy: str, seed: int) -> Path:
    """The trained file of a policy and a seed."""
    file = args.folder / f"{policy}-{seed}.npz"
    if not file.exists():
        given = dict(entry.split(":", 1) for entry in args.options)
        words = ["--policy", policy, "--seed", str(seed), "-o", str(file)]
        called(args, "train", [*words, *given.get(policy, "").split()])
    return file


def run(args: argparse.Namespace, seeds: range, progress) -> dict:
    """Train and evaluate."""
    args.folder.mkdir(exist_ok=True)
    work = [(policy, seed) for seed in seeds for policy in args.policies]
    files = {each: train(args, *each) for each in progress(work, len(work), "training")}
    specs = {each: f"trained:{file}" for each, file in files.items()}
    noun = load_scenario(args.scenario).contexts.noun
    length = ["--steps", str(args.steps), f"--{noun}-steps", str(args.context_steps), "--seeds", str(args.runs)]
    policies = ["--policies", *specs.values(), YARDSTICK]
    shown = called(args, "evaluate", [*policies, *length, "--seed", "10000"])["policies"]
    values = {
        measure: {policy: [shown[specs[policy, seed]]["overall"][measure]["mean"] for seed in seeds]
                  for policy in args.policies}
        for measure in MEASURES
    }  # fmt: skip
    first = args.policies[0]
    windows = {policy: windows_of(files[policy, seeds[0]]) for policy in args.policies}
    return {
        "windows": windows,
        "values": values,
        "means": {m: {policy: mean_interval(each) for policy, each in values[m].items()} for m in MEASURES},
        "differences": {
            m: {policy: compare(values[m][first], values[m][policy]) for policy in args.policies[1:]} for m in MEASURES
        },
        YARDSTICK: {m: shown[YARDSTICK]["overall"][m] for m in MEASURES},
    }


def windows_of(file: Path) -> int:
    """Windows that the training of a file ran."""
    record = json.loads(file.with_name(f"{file.stem}.record.json").read_text())
    return record["plan"].get("windows") or sum(record["steps"].values())


def text(result: dict) -> str:
    """The means with their intervals, and the differences from the first policy."""
    lines = io.StringIO()
    for measure in MEASURES:
        rows = [("policy", "windows", measure, "95 %", "least to most", "first policy minus this", "95 %")]
        for policy, mean in result["means"][measure].items():
            values, difference = result["values"][measure][policy], result["differences"][measure].get(policy)
            behind = (f"{difference['difference']:.4f}", ends(difference)) if difference else ("", "")
            row = (policy, f"{result['windows'][policy]:,}", f"{mean['mean']:.4f}", ends(mean))
            rows.append((*row, f"{min(values):.4f} to {max(values):.4f}", *behind))
        constant = result[YARDSTICK][measure]
        rows.append((YARDSTICK, "", f"{constant['mean']:.4f}", ends(constant), "(over runs)", "", ""))
        with contextlib.redirect_stdout(lines):
            print_table(rows)
            print()
    return lines.getvalue().rstrip()


def ends(interval: dict) -> str:
    """The ends of an interval."""
    low, high = interval["low"], interval["high"]
    return "" if low is None else f"{low:.4f} to {high:.4f}"


STUDY = Study("studies.learned", __doc__, (10, "trainings of each policy"), configure, run, text)

if __name__ == "__main__":
    sys.exit(STUDY.main())
