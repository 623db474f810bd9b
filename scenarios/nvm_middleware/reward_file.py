"""Goals and reward in a user's file: constants of Algorithm 1 as a table, or a Python function in its place."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType

from pmtwin.scenarios.nvm_middleware.reward import RewardParameters, Sla, Usual
from pmtwin.sim.common.user_files import FORM, file_and_name, load_file, place_of, split_file
from pmtwin.sim.errors import FAILURES, ConflictError, InputError, PmtwinError, fault_of, unknown_name
from pmtwin.sim.files.table_file import read_table

FIELD = "reward"
GOALS = MappingProxyType({"p99_us": "latency_goal_us", "throughput_ops": "throughput_goal_ops"})
"""Goal in a file, or of `--goal` -> option."""

CONSTANTS = tuple(each.name for each in fields(RewardParameters) if each.name != "sla")
RewardFunction = Callable[[Mapping[str, float]], float]


def reward_of_file(spec: str, given: RewardParameters) -> tuple[RewardParameters, RewardFunction | None]:
    """Goals and constants of a file beside those that were given, and its reward function if it has one.

    Args:
        spec: FILE.py:NAME: `NAME(measures)`, a float from the measures of a window by name (`p99_us`,
            `throughput_ops`, ...); or FILE.toml or FILE.json: a table `goals` with keys of `GOALS`, and a table
            `reward` with keys of `CONSTANTS`.
        given: values of the options.

    Raises:
        InputError: a key that is unknown, given twice, or not used beside a function.
    """
    constants = {name: getattr(given, name) for name in CONSTANTS if getattr(given, name) != getattr(DEFAULT, name)}
    if split_file(spec) is not None:
        if constants:
            name, value = next(iter(constants.items()))
            raise ConflictError(
                name, value, f"does not go with {spec}, which replaces Algorithm 1; remove one of the two"
            )
        return given, _function(spec)
    table = read_table(spec, FIELD)
    _check_keys(table, ("goals", "reward"), spec, "")
    if not any(table.values()):
        allowed = f"a table goals ({', '.join(GOALS)}) or a table reward ({', '.join(CONSTANTS)})"
        raise InputError(FIELD, spec, allowed, wrong="holds neither goals nor constants of the reward")
    goals, chosen = table.get("goals", {}), table.get("reward", {})
    _check_keys(goals, GOALS, spec, "goals")
    _check_keys(chosen, CONSTANTS, spec, "reward")
    for name in goals:
        if not isinstance(known := getattr(given.sla, GOALS[name]), Usual) and known != goals[name]:
            raise ConflictError(
                f"goals.{name}",
                goals[name],
                f"does not go with a goal of {name} {known:,.10g} in the options; remove one of the two",
                spec,
            )
    for name in chosen:
        if constants.get(name, chosen[name]) != chosen[name]:
            reason = f"does not go with {name} of the options; remove one of the two"
            raise ConflictError(f"reward.{name}", chosen[name], reason, spec)
    try:
        limits = {GOALS[name]: _number(value, f"goals.{name}") for name, value in goals.items()}
        numbers = {name: _number(value, f"reward.{name}") for name, value in chosen.items()}
        return replace(given, sla=Sla(**{**vars(given.sla), **limits}), **numbers), None
    except InputError as error:
        names = {option: f"goals.{name}" for name, option in GOALS.items()}
        names |= {name: f"reward.{name}" for name in chosen}
        raise error.renamed(names.get(error.field, error.field), spec) from None


DEFAULT = RewardParameters()


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(name, value, "a number")
    return float(value)


def _check_keys(table: object, known: Collection[str], where: str, within: str) -> None:
    if not isinstance(table, Mapping):
        raise InputError(within, table, "a table", where)
    for name in table:
        if name not in known:
            raise unknown_name(f"{within}: key".lstrip(": "), name, known, where)


def _function(spec: str) -> RewardFunction:
    file, name = file_and_name(spec, FIELD)
    function = getattr(load_file(file, FIELD, spec), name, None)
    if not callable(function):
        raise InputError(FIELD, spec, f"{FORM} with a function of that name in {file}: its argument is the measures")

    allowed = "a function of one argument, a window's measures by name, that returns a number"
    try:
        inspect.signature(function).bind({})
    except TypeError as error:
        place = place_of(error, Path(file).resolve(), function)
        raise InputError(FIELD, spec, allowed, wrong=f"takes other arguments at {place}: {error}") from error
    except ValueError:  # a function in C may not say what it takes
        pass

    def reward(measures: Mapping[str, float]) -> float:
        try:
            return float(function(dict(measures)))
        except PmtwinError:
            raise
        except FAILURES as error:
            wrong = f"fails at {place_of(error, Path(file).resolve(), function)}: {fault_of(error)}"
            raise InputError(FIELD, spec, allowed, wrong=wrong) from error

    return reward
