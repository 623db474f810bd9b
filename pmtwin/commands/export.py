"""Write a policy as a file that steers a middleware in C++, or the agent of another library as a policy of ours."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from pmtwin.config.goals import GoalConfig
from pmtwin.config.shared import Printed, Replacing
from pmtwin.console.output import flatten, print_json, print_table
from pmtwin.console.overwrite_guard import NETWORK, STEERING, check_output
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.between_windows import window_spec
from pmtwin.policies.steering import exportable_names, write_steering
from pmtwin.scenarios.capabilities.required import STEERED, require
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import option


@dataclass(frozen=True, kw_only=True)
class Config(GoalConfig, Printed, Replacing):
    """Options of `pmtwin export`; of the scenario's, the goals count."""

    command: ClassVar[str] = "export"
    everyday: ClassVar[tuple[str, ...]] = ("output", "goal", "sb3", "trust", "json")
    scenario_flag: ClassVar[bool] = True
    alternatives: ClassVar[Mapping[str, Collection[str]]] = MappingProxyType(
        {"POLICY (or --sb3 FILE.zip)": ("policy", "sb3")}
    )
    policy: str = option(
        "",
        f"policy to write: {', '.join(exportable_names())} (forms: pmtwin list policies)",
        positional=True,
        metavar="POLICY",
    )
    sb3: Path | None = option(
        None,
        "Stable-Baselines3 agent to convert (PPO, A2C or DQN with MlpPolicy, trained with normalize=True), "
        "instead of POLICY; the result is used as policy mlp:FILE",
        metavar="FILE.zip",
    )
    trust: bool = option(False, "confirm that the --sb3 file is trusted: reading it can run code")
    output: Path = option(help="output file (JSON; with --sb3: npz)", short="-o", metavar="FILE", recorded=False)

    def __post_init__(self):
        super().__post_init__()
        if not self.policy and self.sb3 is None:
            raise InputError("policy", None, "a policy such as threshold, or --sb3 FILE.zip")
        if self.policy and self.sb3 is not None:
            raise ConflictError("--sb3", str(self.sb3), "does not go with a policy; remove one of the two")
        if self.sb3 is not None and not self.trust:
            raise ConflictError(
                "--sb3", str(self.sb3), "needs --trust: reading a file can run code that is hidden in it"
            )
        if self.trust and self.sb3 is None:
            raise ConflictError("--trust", True, "belongs to --sb3; add that, or remove this option")


def run(config: Config) -> int:
    """Write the file; returns 0.

    Raises:
        InputError: for a scenario without such a middleware, a spec that names no policy or one without a form in C++,
            an agent that cannot be converted, a goal out of range, a bad path.
        MissingDependencyError: for an agent, without the library that saved it.
    """
    name, path, more = _write_policy(config) if config.sb3 is None else _write_agent(config, config.sb3)
    result = {"policy": name, "file": str(path), "bytes": path.stat().st_size, **more}
    if config.json:
        print_json(result)
    else:
        with results():
            print_table(flatten(result))
    return 0


def _write_policy(config: Config) -> tuple[str, Path, dict[str, str]]:
    """(spec, file, nothing more)."""
    require(config.scenario, STEERED, "reads the file of an exported policy")
    check_output(config.output, "--output", STEERING, config.force)
    allowed = f"a policy that decides between them: {', '.join(exportable_names())}"
    policy = make_policy(window_spec(config.policy, config.scenario, "a middleware in C++ asks none", allowed))
    return policy.spec, write_steering(config.output, policy, PolicyContext.of(config.scenario), "--output"), {}


def _write_agent(config: Config, agent: Path) -> tuple[str, Path, dict[str, str]]:
    """(spec of the policy that the file makes, file, what its actions stand for)."""
    from pmtwin.policies.network.files import save_network
    from pmtwin.policies.network.stable_baselines import read_agent

    check_output(config.output, "--output", NETWORK, config.force)
    context = PolicyContext.of(config.scenario)
    network, interface = read_agent(agent, context)
    origin: dict[str, object] = {"scenario": context.scenario, "converted_from": agent.name}
    if told := interface.to_dict():
        origin["interface"] = told
    path = save_network(config.output, network, origin)
    settings = context.settings
    least = f"counted from 0, which stands for {settings.noun} {settings.written(settings.low)}" if settings else ""
    return f"mlp:{path}", path, {"actions": least if interface.jumps else "numbers of moves"}
