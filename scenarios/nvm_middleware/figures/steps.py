"""The steps of the loop, in order: what each computes, from what, and how much work it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

from pmtwin.figures.experiments import calibration, device, saturation
from pmtwin.pipeline.step import Setting, Step, Work
from pmtwin.scenarios.nvm_middleware.figures.experiments import (
    agreement,
    concurrency,
    device_bound,
    evaluation,
    explain,
    fixed_pools,
    host,
    recommended,
    screening,
    sensitivity,
    training,
)
from pmtwin.scenarios.nvm_middleware.validation import step as validation

PROFILE = "optane-dcpmm-100"
DATA_FILES = (device.SWEEP, device.MIX_FILE)


def _none(_setting: Setting) -> int:
    return 0


def _calibrate(work: Work) -> dict:
    s = work.setting
    return calibration.run(PROFILE, s.data, s.campaign.bootstrap, s.seed, s.jobs)


def _device(work: Work) -> dict:
    return device.run(PROFILE, work.setting.data)


def _saturation(work: Work) -> dict:
    campaign = work.setting.campaign
    return saturation.run(PROFILE, campaign.saturation_requests, campaign.agreement_requests, work.setting.seed)


def _agreement(work: Work) -> dict:
    return agreement.run(work.setting.campaign, work.setting.seed)


def _simulated(module: ModuleType) -> Callable[[Work], dict]:
    def compute(work: Work) -> dict:
        s = work.setting
        with work.progress(total=module.tasks(s.campaign)) as bar:
            return module.run(s.campaign, s.seed, s.jobs, bar.update)

    return compute


def _train(work: Work) -> dict:
    s = work.setting
    return training.run(s.campaign, s.seed, work.folder, s.jobs, work.progress)


def _train_recommended(work: Work) -> dict:
    s = work.setting
    return recommended.train(s.campaign, s.seed, work.folder, s.jobs, work.progress)


def _yardsticks(work: Work) -> dict:
    s, step = work.setting, recommended.TRAINING
    specs = recommended.policies_of(_policy_file(work), work.folders[step] / work.results[step]["policy"])
    return recommended.compare(s.campaign, s.seed, specs, s.jobs, _runs_shown(work))


def _policy_file(work: Work) -> Path:
    return work.folders["training"] / work.results["training"]["policy"]


def _evaluate(schedule: str) -> Callable[[Work], dict]:
    def compute(work: Work) -> dict:
        s = work.setting
        return evaluation.run(s.campaign, s.seed, schedule, _policy_file(work), work.folder, s.jobs, _runs_shown(work))

    return compute


def _runs_shown(work: Work) -> Callable:
    """The progress of an evaluation."""

    def progress(description: str, total: int, results: Iterable):
        return work.progress(results, desc=description, total=total)

    return progress


def _policies_compared(module: ModuleType) -> Callable[[Work], dict]:
    """The compared policies in other worlds: the trained one, and the best fixed pools, stay those of the defaults."""

    def compute(work: Work) -> dict:
        s, best_fixed = work.setting, work.results["evaluation-random"]["best_fixed"]
        best = {int(phase): tuple(each["pools"]) for phase, each in best_fixed.items()}
        policies = evaluation.policies_of(_policy_file(work), "random")
        with work.progress(total=module.tasks(s.campaign)) as bar:
            return module.run(s.campaign, s.seed, policies, best, s.jobs, bar.update)

    return compute


def _validate(work: Work) -> dict:
    s = work.setting
    best = work.results["evaluation-random"]["best_fixed"]
    return validation.run(s.campaign, s.seed, PROFILE, best, work.folder)


_EVALUATION = ("seeds", "steps", "phase_steps")

_TABLE = (
    Step(
        "calibration",
        "calibrate: the shipped profile, and a re-fit where data is at hand",
        (),
        ("bootstrap",),
        calibration.__name__,
        _none,
        25.0,
        False,
        _calibrate,
        data_files=DATA_FILES,
    ),
    Step(
        "device",
        "predict: curves of the device model",
        (),
        (),
        device.__name__,
        _none,
        1.0,
        False,
        _device,
        data_files=DATA_FILES,
    ),
    Step(
        "agreement",
        "simulate: both engines on the same requests, bit for bit",
        (),
        ("agreement_windows", "agreement_requests"),
        agreement.__name__,
        _none,
        5.0,
        False,
        _agreement,
    ),
    Step(
        "saturation",
        "simulate: closed loops that only the device limits, against the law",
        (),
        ("saturation_requests", "agreement_requests"),
        saturation.__name__,
        _none,
        4.0,
        False,
        _saturation,
    ),
    Step(
        "host",
        "infer: the shipped host, its prior and its predictions",
        (),
        (),
        host.__name__,
        _none,
        1.0,
        False,
        lambda _work: host.run(),
    ),
    Step(
        "concurrency",
        "simulate: 42 combinations of pools, and none (section 4.2)",
        (),
        ("concurrency_seeds", "concurrency_windows", "concurrency_warmup"),
        concurrency.__name__,
        lambda s: concurrency.windows(s.campaign),
        1.0,
        True,
        _simulated(concurrency),
    ),
    Step(
        "fixed-pools",
        "simulate: fixed pools in each phase",
        (),
        ("fixed_pools", "fixed_windows", "fixed_warmup", "published_draws"),
        fixed_pools.__name__,
        lambda s: fixed_pools.windows(s.campaign),
        1.0,
        True,
        _simulated(fixed_pools),
    ),
    Step(
        "explain",
        "simulate: where the time goes, on Optane and on DRAM, and which station limits",
        (),
        ("explain_windows", "explain_requests", "fixed_windows"),
        explain.__name__,
        _none,
        15.0,
        True,
        _simulated(explain),
    ),
    Step(
        "device-bound",
        "simulate: the best pools for four devices, each on all of them",
        (),
        ("device_bound_seeds", "device_bound_windows"),
        device_bound.__name__,
        lambda s: device_bound.windows(s.campaign),
        5.0,
        True,
        _simulated(device_bound),
    ),
    Step(
        "training",
        "train: Q-learning as in the thesis",
        (),
        ("training_share",),
        training.__name__,
        lambda s: training.windows(s.campaign, s.seed),
        5.0,
        False,
        _train,
    ),
    Step(
        "evaluation-random",
        "evaluate: best fixed pools, and the long run with phases at random",
        ("training",),
        (*_EVALUATION, "search"),
        evaluation.__name__,
        lambda s: evaluation.windows(s.campaign, "random"),
        8.0,
        True,
        _evaluate("random"),
    ),
    Step(
        "evaluation-order",
        "evaluate: the long run with phases in order",
        ("training",),
        _EVALUATION,
        evaluation.__name__,
        lambda s: evaluation.windows(s.campaign, "order"),
        4.0,
        True,
        _evaluate("order"),
    ),
    Step(
        recommended.TRAINING,
        "train: the recommended policy",
        (),
        ("recommended",),
        recommended.__name__,
        lambda s: s.campaign.recommended.windows(),
        20.0,
        True,
        _train_recommended,
    ),
    Step(
        recommended.STEP,
        "evaluate: the recommended policy beside the clairvoyant and the best constant",
        ("training", recommended.TRAINING),
        ("yardstick_seeds", "yardstick_steps", "yardstick_phase_steps", "survey"),
        recommended.__name__,
        lambda s: recommended.windows(s.campaign),
        35.0,
        True,
        _yardsticks,
    ),
    Step(
        "sensitivity",
        "evaluate: other offered loads, the ranking of the policies",
        ("training", "evaluation-random"),
        ("sensitivity_seeds", "sensitivity_windows", "sensitivity_settling"),
        sensitivity.__name__,
        lambda s: sensitivity.windows(s.campaign),
        2.0,
        True,
        _policies_compared(sensitivity),
    ),
    Step(
        "screening",
        "evaluate: all assumptions varied together, what decides",
        ("training", "evaluation-random"),
        (
            *("screening_trajectories", "sensitivity_windows", "sensitivity_settling"),
            *("concurrency_windows", "concurrency_warmup"),
        ),
        screening.__name__,
        lambda s: screening.windows(s.campaign),
        20.0,
        True,
        _policies_compared(screening),
    ),
    Step(
        validation.STEP,
        "validate: the twin beside the real middleware on an emulated device",
        ("evaluation-random",),
        tuple(f"validation_{name}" for name in ("pools", "seeds", "windows", "warmup", "requests")),
        validation.__name__,
        lambda s: validation.windows(s.campaign),
        2.0,
        False,
        _validate,
        window_s=validation.WINDOW_S,
        native=True,
        lasting=validation.passed,
    ),
)

STEPS: dict[str, Step] = {step.name: step for step in _TABLE}
"""Name to step; each comes after those that it needs."""
