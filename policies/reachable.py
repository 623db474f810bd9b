"""Every setting that actions can lead to under the rules of an operator, and one among them that must not be."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from pmtwin.policies.action_rules import ActionRules
from pmtwin.policies.base import Setting

MOST_JUMPED = 1000
"""Settings up to which jumps from each to each are visited too; jumps may pass combinations that stop single moves."""


class Visit(NamedTuple):
    """Result of a visit.

    Fields:
        settings: number of settings that can be reached.
        actions: number of pairs of such a setting and an action.
        refused: number of pairs whose action is refused or shortened.
        jumps: whether jumps were among the actions.
        unvisited: number of pairs of such a setting and a jump that were not visited.
        in_doubt: a setting that must not be reached and that the rules let a jump lead to, if jumps were not visited;
            empty if there is none, so that jumps lead to none either.
        hole: settings on a shortest way from the start to one that must not be reached; empty if there is none.
        broken: the rule that the last setting of the way breaks; empty without a hole.
    """

    settings: int
    actions: int
    refused: int
    jumps: bool
    unvisited: int
    in_doubt: Setting
    hole: tuple[Setting, ...]
    broken: str


def visit(rules: ActionRules, start: Setting, after: Callable[[Setting, Any], Setting] | None = None) -> Visit:
    """Visit every reachable setting with every action, breadth first.

    Each setting that an action leads to is held against the rules as they are written (range, forbidden combinations,
    combinations that must never be), whatever the checker said.

    Args:
        rules: the rules.
        start: the first setting.
        after: the checker: (setting, action) -> setting after the action; default: that of the rules.
    """
    after, settings = after or rules.after, rules.settings
    jumps = list(settings.all()) if len(settings) <= MOST_JUMPED else []
    actions: list[Any] = [*range(len(settings.moves)), *jumps]
    before: dict[Setting, Setting | None] = {start: None}
    queue, pairs, refused, hole = deque([start]), 0, 0, None if _broken(rules, start) == "" else start
    while queue:
        setting = queue.popleft()
        for action in actions:
            pairs += 1
            reached = after(setting, action)
            refused += reached != settings.after(setting, action)
            if reached not in before:
                before[reached] = setting
                queue.append(reached)
                if hole is None and _broken(rules, reached):
                    hole = reached
    way: list[Setting] = []
    step = hole
    while step is not None:
        way, step = [step, *way], before[step]
    broken = "" if hole is None else _broken(rules, hole)
    unvisited = 0 if jumps else len(before) * len(settings)
    return Visit(
        len(before), pairs, refused, bool(jumps), unvisited, () if jumps else _open_to_jumps(rules), tuple(way), broken
    )


def _open_to_jumps(rules: ActionRules) -> Setting:
    """The first setting that must not be reached and that the rules do not refuse; empty if there is none."""
    allowed = (setting for setting in rules.settings.all() if not rules.refusal(setting))
    return next((setting for setting in allowed if rules.reached(setting) is not None), ())


def _broken(rules: ActionRules, setting: Setting) -> str:
    """The rule that a setting breaks, read anew from the rules."""
    names = rules.settings.names
    for name, value, low, high in zip(names, setting, *rules.bounds, strict=True):
        if not low <= value <= high:
            return f"range: {name} {value}, allowed {low} to {high}"
    for kind, regions in (("forbidden", rules.forbidden), ("never", rules.never)):
        for region in regions:
            if all(low <= setting[names.index(name)] <= high for name, (low, high) in region.ranges.items()):
                return f"{kind}: {region}"
    return ""
