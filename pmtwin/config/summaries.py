"""Summaries of the commands in a line each, for help and completion, which import no command."""

from collections.abc import Mapping

SUMMARIES: Mapping[str, str] = {
    "doctor": "check what this machine has for persistent memory, and what is missing",
    "warm": "compile the simulator for all commands now, once: at most two minutes of a free processor",
    "list": "list names: profiles, regressions, policies, scenarios, workloads, engines, parameters, block-workloads, "
    "block-claims, block-features, block-agents, claims, figures",
    "probe": "measure a memory device through a directory on it",
    "calibrate": "fit a profile to measurements of a device",
    "infer": "infer the host and load from published tables, or from your own measurements",
    "predict": "predict accesses or key-value operations, with intervals, from a profile",
    "plan": "find the cheapest system that meets a latency goal, by formula, checked by simulation",
    "simulate": "run the twin of a scenario at one setting, in one context",
    "train": "train a policy in the twin; resumes after a kill",
    "sweep": "train a policy for every combination of listed options; resumes after a kill",
    "evaluate": "compare policies over changing contexts, several seeds each, with intervals",
    "export": "write a policy to a file for C++, or convert a Stable-Baselines3 agent to a policy",
    "recommend": "find the best fixed setting for a workload, with its certainty",
    "validate": "compare the twin with the real system: errors with intervals, and a verdict",
    "tune": "tune a live system of your own, and compare the result with its default",
    "check-actions": "visit every setting that actions can lead to under an operator's rules, and look for a hole",
    "figures": "make figures and tables of the papers, with their data beside them",
    "bench": "measure the speed of the twin, training, pmemkv and middleware, and the accuracy of the probe",
    "run": "run the whole loop: calibrate, simulate, train, evaluate, validate, report.html",
    "completion": "print the completion script of a shell",
}
"""Command -> summary, in the order of the loop."""


def module_of(command: str) -> str:
    """The module of a command."""
    return f"pmtwin.commands.{command.replace('-', '_')}"


def description(command: str, rest: str = "") -> str:
    """The first sentence of a command's help, without its full stop.

    Args:
        command: name of the command.
        rest: text to add to the summary.
    """
    summary = SUMMARIES[command]
    return f"{summary[0].upper()}{summary[1:]}{rest}"
