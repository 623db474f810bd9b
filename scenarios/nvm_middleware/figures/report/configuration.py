"""Assumptions of the run, parts that were left out, and the commands that repeat each part."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from pmtwin.figures.page.markup import code, items, paragraph, table
from pmtwin.machine.checks import CHECKS
from pmtwin.pipeline.step import Setting
from pmtwin.policies.training.selection import configurations
from pmtwin.scenarios.nvm_middleware import published
from pmtwin.scenarios.nvm_middleware.campaign import FULL
from pmtwin.scenarios.nvm_middleware.figures.experiments import recommended
from pmtwin.scenarios.nvm_middleware.figures.experiments.evaluation import UNTRAINED
from pmtwin.scenarios.nvm_middleware.figures.experiments.training import plan_of
from pmtwin.scenarios.nvm_middleware.reward import RewardParameters
from pmtwin.scenarios.nvm_middleware.twin import TwinSettings
from pmtwin.scenarios.nvm_middleware.validation import step as validation
from pmtwin.sim.host.file import shipped_host
from pmtwin.sim.parameters.values import PARAMETERS, resolve

if TYPE_CHECKING:
    from pmtwin.policies.training.plan import TrainingPlan


def assumed_html(effect: dict[str, str]) -> str:
    """Varied parameters: assumed, or inferred with the default host.

    Args:
        effect: parameter -> how much it moves the lead of the trained policy.
    """
    host = shipped_host(TwinSettings().host)
    values = resolve(host.values)
    unmeasured = [PARAMETERS[name] for name in effect]
    rows = [
        (
            f"{parameter.meaning.removesuffix('.')} ({parameter.name})",
            values[parameter.name],
            f"{parameter.low:,g} to {parameter.high:,g}",
            parameter.unit,
            effect[parameter.name],
            host.entries[parameter.name]["source"] if parameter.name in host.entries else parameter.source,
        )
        for parameter in unmeasured
    ]
    header = ("parameter", "value", "plausible range", "unit", "effect on the lead (points of attainment)", "source")
    inferred = sum(parameter.name in host.entries for parameter in unmeasured)
    intro = (
        f"No measurement on the thesis' machine exists for {len(unmeasured)} of {len(PARAMETERS)} parameters of the "
        f"twin: {inferred} are inferred from what the thesis publishes or from measured operations of a store, the "
        "others assumed. {} shows all, with their sources; those that have no effect in a store with records are not "
        "in this table. The reward's max_latency is assumed."
    )
    return paragraph(Markup(intro).format(code("pmtwin list parameters"))) + table(header, rows)


def reduction_html(setting: Setting) -> str:
    """The campaign beside that of the thesis."""
    plan, whole, ours = plan_of(setting.campaign, setting.seed), plan_of(FULL, setting.seed), setting.campaign
    tried, all_tried = (_configurations(each) for each in (plan, whole))
    rows = [
        ("training episodes", sum(plan.episodes.values()), published.TRAINING_EPISODES),
        ("random-agent episodes per phase", plan.dataset_episodes, published.DATASET_EPISODES_PER_PHASE),
        ("configurations of Table D.1 tried per action", tried, all_tried),
        ("steps of the long run", ours.steps, published.LONG_RUN_STEPS),
        ("steps until the phase changes", ours.phase_steps, published.LONG_RUN_PHASE_STEPS),
        ("seeds of the long run", ours.seeds, None),
        ("seeds of the 43 settings of Figure B.1", ours.concurrency_seeds, None),
        ("fixed pools per phase", len(ours.fixed_pools), None),
    ]
    columns = [(*row, value) for row, value in zip(rows, _full_values(whole, all_tried), strict=True)]
    intro = (
        f"The {ours.name} campaign. A window is 5,000 completed requests; the thesis' one second of the trace, "
        "drained, is an option ({})."
    )
    return paragraph(Markup(intro).format(code("pmtwin simulate nvm-middleware --drain"))) + table(
        ("", "this run", "thesis", "pmtwin run --full"), columns
    )


def _configurations(plan: TrainingPlan) -> int:
    return len(configurations(plan)) * len(plan.grid["max_iter"])


def _full_values(whole: TrainingPlan, tried: int) -> tuple[int, ...]:
    sizes = (FULL.steps, FULL.phase_steps, FULL.seeds, FULL.concurrency_seeds, len(FULL.fixed_pools))
    return (sum(whole.episodes.values()), whole.dataset_episodes, tried, *sizes)


def left_out_html(setting: Setting, results: dict) -> str:
    """Parts that this machine could not run, and the consequences."""
    lines: list[str] = []
    calibration = results["calibration"]
    if validation.STEP not in results:
        lines.append(
            Markup("The validation against the real middleware: the native parts are not built here ({}).").format(
                code("make build")
            )
        )
    if calibration["refit"] is None:
        lines.append(
            "The folder of real measurements (../shared/data/optane) is not here: the shipped profile was used as it "
            "is, without a re-fit, and the device is drawn without its points."
        )
    elif not calibration["refit"]["bootstrap"]:
        lines.append(
            Markup(
                "The re-fit is of the law alone; cross-validation and intervals of the profile take a minute more "
                "({}, or --full)."
            ).format(code("pmtwin calibrate"))
        )
    root = Path("/")
    for name in ("pmem", "dax", "pmemkv", "numa"):
        present, _ = CHECKS[name].look(root)
        if not present:
            lines.append(CHECKS[name].cost[:1].upper() + CHECKS[name].cost[1:] + ".")
    if setting.campaign is not FULL:
        lines.append("The campaign of the thesis is reduced as in the table above.")
    return items(lines)


def commands_html(setting: Setting, policy_file: str) -> str:
    """The commands that give the numbers of this report again."""
    ours, seed = setting.campaign, setting.seed
    full = " --full" if ours is FULL else ""
    policies = " ".join((*UNTRAINED, f"q-learning:{policy_file}", "best-fixed"))
    share = "" if ours is FULL else f" --campaign {ours.training_share:g}"
    train = f"pmtwin train nvm-middleware --policy q-learning --seed {seed}{share} -o FILE"
    evaluate = (
        f"pmtwin evaluate nvm-middleware --policies {policies} --steps {ours.steps} --seeds {ours.seeds} "
        f"--phase-steps {ours.phase_steps} --schedule random --seed {seed}"
    )
    compared = " ".join(recommended.policies_of(policy_file, recommended.POLICY_FILE))
    yardsticks = (
        f"pmtwin evaluate nvm-middleware --policies {compared} --steps {ours.yardstick_steps} "
        f"--phase-steps {ours.yardstick_phase_steps} --seeds {ours.yardstick_seeds} --seed {seed}"
    )
    commands = {
        f"pmtwin run{full} --seed {seed}": "this report (steps that are done are not repeated)",
        f"pmtwin figures NAME{full} --seed {seed}": "one figure, with its data; NAME as above each of them",
        evaluate: "the comparison of policies (in the folder of this report; its search for the best fixed pools is "
        "the longer one of --full)",
        train: "the thesis' training, with checkpoints and a record",
        f"pmtwin train nvm-middleware --seed {seed} -o FILE": "the training of the recommended policy",
        yardsticks: "the recommended policy beside the clairvoyant and the best constant; for the second table with "
        "--contexts contended",
        "pmtwin simulate nvm-middleware --phase 1 --pools 15,15": "one setting, window by window",
        "pmtwin calibrate ../shared/data/optane/lattester_bandwidth.csv -o profile.json --report DIR": "the device "
        "profile and its report",
        "pmtwin bench engine": "how fast the engines are",
    }
    lines = [Markup("{} – {}").format(code(command), what) for command, what in commands.items()]
    return items(lines)


def record(setting: Setting) -> dict:
    """The configuration of a run as plain values, for `run.json`."""
    return {
        "parameters": dict(resolve(TwinSettings().values)),
        "reward": RewardParameters().to_dict(),
        "training": plan_of(setting.campaign, setting.seed).to_dict(),
    }


def reward_html() -> str:
    """Constants of the reward."""
    values = asdict(RewardParameters())
    sla = values.pop("sla")
    return table(("reward (Algorithm 1) and goals", ""), [*values.items(), *sla.items()])
