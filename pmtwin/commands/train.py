"""Train a policy in the twin: the thesis' Q-learning, with checkpoints, a record of the run, and resumption."""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path

from pmtwin.replacing import POLICY, TRAINING, add_force, check_output
from pmtwin.twin_options import add_device_options, add_twin_options, environment_settings, parameter_record

HELP = "train a policy: data set, model selection, Q-learning; resumes after a kill"

TRAINABLE = ("q-learning",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin train`."""
    parser.add_argument("scenario", help="what is controlled: nvm-middleware")
    parser.add_argument("--policy", default="q-learning", metavar="NAME", help=f"what learns: {', '.join(TRAINABLE)}")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="the trained policy: the one of 21 trials through changing phases that most often meets both goals",
    )
    add_force(parser)
    parser.add_argument("--seed", type=int, default=0, help="root of all random numbers")
    parser.add_argument(
        "--campaign",
        type=float,
        default=0.1,
        metavar="SHARE",
        help="share of the thesis' campaign that is run: a tenth takes minutes, 1 is all of it and its whole grid",
    )
    parser.add_argument(
        "--episodes", metavar="N[,N...]", help="training episodes of each phase, or of all (Table D.3 if omitted)"
    )
    parser.add_argument(
        "--dataset-episodes", type=int, metavar="N", help="episodes of the random agent per phase (150 if omitted)"
    )
    parser.add_argument(
        "--order", default="interleaved", metavar="KIND", help="phases interleaved, or in-turn as in the thesis"
    )
    parser.add_argument(
        "--target",
        default="reward",
        metavar="KIND",
        help="what the models are fitted to first: reward, return, fitted-q",
    )
    parser.add_argument("--gamma", type=float, default=0.95, help="discount (Table D.3; docs/validate.md on less)")
    parser.add_argument(
        "--epsilon", type=float, default=1.0, help="random actions in the first episode (text: 1; Table D.3: 0.9)"
    )
    parser.add_argument("--learning-rate", type=float, default=0.7, help="share of the way to the target (Table D.3)")
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="worker processes (one per core); any number, same result"
    )
    parser.add_argument(
        "--checkpoint-dir", type=Path, metavar="DIR", help="where a stopped run goes on from (FILE.checkpoint)"
    )
    parser.add_argument("--keep-checkpoint", action="store_true", help="do not delete the checkpoint at the end")
    parser.add_argument("--dry-run", action="store_true", help="check everything and show what would be run")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    add_device_options(parser)
    add_twin_options(parser)


def run(args: argparse.Namespace) -> int:
    """Train and print a summary; returns 0."""
    from pmtwin.output import message
    from pmtwin.policies.linear_q import save_model
    from pmtwin.policies.training import train, training_record
    from pmtwin.policies.training.progress import bars
    from pmtwin.scenarios import make_scenario
    from pmtwin.sim.checkpoint import Checkpoint
    from pmtwin.sim.files import write_json

    _check_names(args)
    record_path, folder = _check_files(args)
    plan = _plan(args)
    settings = environment_settings(args)
    origin = _origin(args, settings)
    if args.dry_run:
        _print(
            {**origin, "files": _files(args, record_path, folder), "steps": plan.steps(), "plan": plan.to_dict()}, args
        )
        return 0
    checkpoint = Checkpoint(folder, _identity(plan, origin))
    make_env = partial(make_scenario, args.scenario, episode_steps=plan.episode_steps, **settings)
    try:
        result = train(make_env, plan, checkpoint, _jobs(args), bars)
    except KeyboardInterrupt:
        message(f"pmtwin train: stopped; the same command goes on from {folder}")
        raise
    save_model(args.output, result.model, {**origin, "plan": plan.to_dict(), "selected": result.online.selected})
    write_json(record_path, training_record(result, origin | parameter_record(args)), "--output")
    if not args.keep_checkpoint:
        checkpoint.remove()
    _print(_summary(args, result, record_path), args)
    return 0


def _check_names(args: argparse.Namespace) -> None:
    from pmtwin.policies import policy_names
    from pmtwin.scenarios import check_scenario
    from pmtwin.sim.errors import InputError, check_range, unknown_name

    check_scenario(args.scenario)
    if args.policy not in TRAINABLE:
        if args.policy not in policy_names():
            raise unknown_name("--policy", args.policy, TRAINABLE)
        raise InputError("--policy", args.policy, f"a policy that is trained: {', '.join(TRAINABLE)}")
    if args.jobs is not None:
        check_range("--jobs", args.jobs, 1, 1024)


def _check_files(args: argparse.Namespace) -> tuple[Path, Path]:
    """Paths of the record and of the checkpoint, once all three are known to be writable."""
    from pmtwin.sim.errors import InputError

    output = check_output(args.output, "--output", POLICY, args.force)
    record = check_output(output.with_name(f"{output.stem}.record.json"), "--output", TRAINING, args.force)
    folder = args.checkpoint_dir or output.with_name(f"{output.name}.checkpoint")
    parent = folder if folder.exists() else folder.parent
    if not (parent.is_dir() and os.access(parent, os.W_OK)):
        raise InputError("--checkpoint-dir", str(folder), "a folder that can be written, in an existing one")
    return record, folder


def _plan(args: argparse.Namespace):
    """The training plan of the command line."""
    from dataclasses import replace

    from pmtwin.policies.linear_q import QLearningParameters
    from pmtwin.policies.training import TrainingPlan
    from pmtwin.scenarios.nvm_middleware.phases import phase_numbers

    plan = TrainingPlan(
        seed=args.seed,
        order=args.order,
        target=args.target,
        q=QLearningParameters(gamma=args.gamma, learning_rate=args.learning_rate, epsilon=args.epsilon),
    ).reduced(args.campaign)
    if args.episodes is not None:
        plan = replace(plan, episodes=_episodes(args.episodes, phase_numbers()))
    if args.dataset_episodes is not None:
        plan = replace(plan, dataset_episodes=args.dataset_episodes)
    return plan


def _episodes(text: str, phases: tuple[int, ...]) -> dict[int, int]:
    """Phase -> episodes from one number, or one per phase."""
    from pmtwin.sim.errors import InputError

    try:
        counts = [int(part) for part in text.split(",")]
    except ValueError:
        counts = []
    if len(counts) == 1:
        counts *= len(phases)
    if len(counts) != len(phases) or min(counts) < 1:
        raise InputError("--episodes", text, f"one whole number above 0, or {len(phases)} separated by commas")
    return dict(zip(phases, counts, strict=True))


def _origin(args: argparse.Namespace, settings: dict) -> dict:
    """Where a trained policy comes from, as plain values; making the twin checks every setting."""
    import hashlib
    import json

    from pmtwin import __version__
    from pmtwin.scenarios import make_scenario

    env = make_scenario(args.scenario, **settings)
    env.twin.middleware(env.workload, seed=0)
    profile = json.dumps(env.twin.device.to_json(), sort_keys=True)
    return {
        "scenario": args.scenario,
        "policy": args.policy,
        "profile": args.profile,
        "seed": args.seed,
        "version": __version__,
        "campaign": args.campaign,
        "environment": {
            "profile_sha256": hashlib.sha256(profile.encode()).hexdigest(),
            "offered_ops": dict(zip(("interactive", "batch"), env.rates_ops, strict=True)),
            "twin": env.twin.to_dict(),
            "reward": env.reward_parameters.to_dict(),
        },
    }


def _identity(plan, origin: dict) -> dict:
    """What determines the trained bits; a checkpoint of anything else is refused."""
    from pmtwin.policies.training.record import versions

    return {"origin": origin, "plan": plan.to_dict(), "versions": versions()}


def _jobs(args: argparse.Namespace) -> int:
    return args.jobs or os.cpu_count() or 1


def _files(args: argparse.Namespace, record: Path, folder: Path) -> dict:
    return {"policy": str(args.output), "record": str(record), "checkpoint": str(folder)}


def _summary(args: argparse.Namespace, result, record: Path) -> dict:
    """What a user wants to know at once; the rest is in the record."""
    from pmtwin.policies.training.record import final_pools

    plan, online = result.plan, result.online
    return {
        "policy": str(args.output),
        "record": str(record),
        "scenario": args.scenario,
        "seed": args.seed,
        "campaign": args.campaign,
        "steps": plan.steps(),
        "seconds": {stage: round(seconds, 1) for stage, seconds in result.seconds.items()},
        "resumed": result.resumed,
        "selected_after_episode": online.selected,
        "learned_pools": {str(phase): final_pools(online.settings[index]) for index, phase in enumerate(plan.phases)},
    }


def _print(value: dict, args: argparse.Namespace) -> None:
    from pmtwin.output import flatten, print_json, print_table

    if args.json:
        print_json(value)
    else:
        print_table(flatten(value))
