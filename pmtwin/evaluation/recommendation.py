"""A recommendation for a reader: the answer in one line, its certainty, and a picture of the settings around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmtwin.console.output import print_table, print_text
from pmtwin.evaluation.notes import extrapolation, measures_explained
from pmtwin.scenarios.recommendation.changes import PRESENT_LOAD
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.number_forms import percent, rounded

SHADES = " .:-=+*#"
"""Characters of the picture, from 0 to 100 % attainment."""

BEST, TIED = "@", "o"
STEP = 5
"""Distance between two labels of the picture's columns."""

MOST_TIES = 12
OFTEN = 0.9
"""If a smaller share of windows keeps all goals, the headline names the goal that fails."""

VISIBLE, MARGIN = 0.01, 2
"""Smallest attainment in the picture, and the number of rows and columns around such settings."""


def print_recommendation(result: Mapping, scenario: Scenario, context: int | str) -> None:
    """Print a recommendation.

    Args:
        result: result of `pmtwin.scenarios.recommendation.search.recommend`, with `goals` and perhaps `check`.
        scenario, context: scenario and context of the search.
    """
    names, noun = scenario.settings.names, scenario.settings.noun
    print_text(headline(result, noun))
    print()
    print_table((scenario.setup([context]) | dict(summary_rows(result)) | scenario.derived()).items())
    for note in notes(result, scenario, context):
        print_text(note)
    _print_others(result, noun)
    if has_picture(result, names):
        print()
        print("\n".join(picture(result, names)))
    if "check" in result:
        _print_check(result["check"])


def summary_rows(result: Mapping) -> list[tuple[str, str]]:
    """Rows on the evidence for the recommendation and its certainty; fewer rows if no setting keeps the goals."""
    samples = result["samples"]
    measures = [(name, _over_windows(shown)) for name, shown in result["percentiles"].items()]
    head = [("goals", "; ".join(_kept(goal, result["goals_kept"]) for goal in result["goals"])), *measures]
    if is_impossible(result):
        return head
    mean, least, low, high = (percent(samples[name]) for name in ("mean", "least", "low", "high"))
    return [
        *head,
        ("attainment", f"{percent(result['attainment'])} of windows keep all goals"),
        ("over samples", f"{mean} on average, {low} to {high} (5th to 95th percentile), least {least}"),
        ("samples", f"{samples['count']}, which differ in {samples['of']}"),
        (
            "cost if wrong",
            f"{points(result['loss_if_wrong'])} of attainment on average, against the best of each sample",
        ),
        (
            "best",
            f"in {percent(result['best_in_samples'])} of the samples: no compared setting is more than 1 point better",
        ),
        ("ties", f"{_listed(result['ties'])} (not shown to be worse, also over the samples)"),
    ]


def _kept(goal: str, kept: Mapping[str, float]) -> str:
    return f"{goal}: kept in {percent(kept[goal.partition(' ')[0]])} of windows"


def _over_windows(shown: Mapping[str, float]) -> str:
    """Median and range of a measure over windows, in words (`pmtwin.scenarios.recommendation.search.SHOWN`)."""
    low, median, high = map(rounded, shown.values())
    return f"median {median}, {low} to {high} (5th to 95th percentile of windows)"


def notes(result: Mapping, scenario: Scenario, context: int | str) -> list[str]:
    """Notes on the measures, on a device taken as known, and on extrapolation."""
    measures = measures_explained([scenario.measure(name) for name in result["measures"]])
    shown = [result["setting"], *result["ties"], *(other["setting"] for other in result["alternatives"])]
    extrapolated = extrapolation(scenario, [context], result["extrapolated"], shown)
    return list(filter(None, (measures, result["known_device"], extrapolated)))


def is_impossible(result: Mapping) -> bool:
    """Whether no window kept all goals, neither on the representative nor on the samples."""
    return result["attainment"] == 0.0 and result["samples"]["mean"] == 0.0


def _reasons(result: Mapping) -> list[str]:
    """Reasons why no setting keeps the goals."""
    if not result["unreachable"]:
        return ["each goal is kept in some windows, never all in one"]
    return [_reason(each) for each in result["unreachable"]]


def _reason(each: Mapping) -> str:
    if each["offered"]:
        return f"{each['goal']}: clients offer {rounded(each['offered'])} on average"
    if each["best"] is None:
        return f"{each['goal']}: no window has a value"
    return f"{each['goal']}: the best value of any window at any setting tried is {rounded(each['best'])}"


def headline(result: Mapping, noun: str) -> str:
    """The answer in one line."""
    setting = ",".join(map(str, result["setting"]))
    if is_impossible(result):
        return f"{noun} {setting}: nearest to the goals, which no {noun} meet ({'; '.join(_reasons(result))})"
    over = result["samples"]
    spread = f"[{percent(over['low'])}, {percent(over['high'])}]"
    samples = f"{percent(over['mean'])} {spread} over {over['count']} samples of {over['of']}"
    failing = _failing(result)
    return f"{noun} {setting}: {percent(result['attainment'])} of windows keep all goals ({samples}){failing}"


def _failing(result: Mapping) -> str:
    """The goal that fails most often, in words, if many windows miss a goal."""
    name, kept = min(result["goals_kept"].items(), key=lambda each: each[1])
    if result["attainment"] >= OFTEN:
        return ""
    return f"; {name} misses its goal most often, in {percent(1.0 - kept)}"


def points(share: float) -> str:
    """A difference of shares, in percentage points."""
    return f"{100.0 * share:.1f} points"


NO_POINTS = points(0.0)


def _listed(settings: Sequence[Sequence[int]]) -> str:
    if not settings:
        return "none"
    shown = "  ".join(",".join(map(str, setting)) for setting in settings[:MOST_TIES])
    return f"{shown}  and {len(settings) - MOST_TIES} more" if len(settings) > MOST_TIES else shown


def alternatives_header(noun: str) -> tuple[str, ...]:
    """Header of `alternative_rows`."""
    return (f"other {noun}", "attainment", "mean over samples")


def alternative_rows(result: Mapping) -> list[tuple[str, str, str]]:
    """Rows of the finalists besides the recommended setting; none if all miss the goals."""
    if is_impossible(result):
        return []
    return [
        (_written(each["setting"]), percent(each["attainment"]), percent(each["mean_over_samples"]))
        for each in result["alternatives"]
    ]


SAME = "the same"
"""Shown instead of a better setting if the recommended one stays the best."""

CHANGES = ("if", "attainment of these {noun}", "best {noun} then", "gain", "by")


def change_rows(result: Mapping) -> list[tuple[str, str, str, str, str]]:
    """Rows below `CHANGES`: changes that alter the answer, or that let a setting keep the goals if none does."""
    rows = []
    for each in result["changes"]:
        gain, best = points(each["gain"]), _written(each["setting"])
        if each["change"] == PRESENT_LOAD or (is_impossible(result) and gain == NO_POINTS):
            continue
        if gain == NO_POINTS:
            gain, best = "none", SAME
        rows.append((each["change"], percent(each["kept"]), best, gain, each["by"]))
    return rows


def change_notes(result: Mapping, noun: str) -> list[str]:
    """Notes on the rows of other loads: goals that ask for more than clients offer, and the formulas' error."""
    if is_impossible(result):
        return []
    shown = [f"{each['change']} offers less than a goal: {', '.join(each['beyond_load'])}; no {noun} can keep it"
             for each in result["changes"] if each["beyond_load"] and each["change"] != PRESENT_LOAD]  # fmt: skip
    present = next((each for each in result["changes"] if each["change"] == PRESENT_LOAD), None)
    if present is not None:
        shown.append(
            f"for the present load the formulas give {percent(present['kept'])}, the simulation "
            f"{percent(result['attainment'])}: compare loads with the former"
        )
    return shown


def _written(setting: Sequence[int]) -> str:
    return ",".join(map(str, setting))


def _print_others(result: Mapping, noun: str) -> None:
    header = tuple(text.format(noun=noun) for text in CHANGES)
    for rows, names in ((alternative_rows(result), alternatives_header(noun)), (change_rows(result), header)):
        if rows:
            print()
            print_table(rows, names)
    for note in change_notes(result, noun):
        print_text(note)


def picture(result: Mapping, names: Sequence[str]) -> list[str]:
    """The attainment by formulas around the plateau: a row for each first number, a column for each second."""
    share = plateau_share(result)
    first, second = visible_numbers(result)
    tied = {tuple(setting) for setting in result["ties"]}
    lines = [f"attainment by formulas ({BEST} recommended, {TIED} tied, '{SHADES}' from 0 to 100 %)"]
    for number in reversed(first):
        cells = (_cell((number, column), share, tuple(result["setting"]), tied) for column in second)
        lines.append(f"{number:>4} {''.join(cells)}")
    across, up = (name.replace("_", " ") for name in reversed(names))
    lines.append(f"     {_ticks(second)}")
    lines.append(f"     across: {across}; up: {up}; all other settings: 0 %")
    return [*lines, f"     {IN_PART}"]


def _ticks(numbers: Sequence[int]) -> str:
    """Labels below the picture, each starting at its column: the first number and multiples of `STEP`."""
    line = ""
    for place, number in enumerate(numbers):
        if place == 0 or (number % STEP == 0 and place > len(line)):
            line = line.ljust(place) + str(number)
    return line


IN_PART = "By formulas, a window near a goal's limit counts in part: half at the limit, fully from about 20 % away on."
"""Explains attainment by formulas, which differs from that in windows of the twin."""


def has_picture(result: Mapping, names: Sequence[str]) -> bool:
    """Whether a picture is possible: settings of two numbers, and windows that keep the goals."""
    return bool(result["plateau"]) and len(names) == 2 and not is_impossible(result)


def plateau_share(result: Mapping) -> dict[tuple[int, ...], float]:
    """Setting -> attainment by formulas, 0 to 1, for the settings of `plateau`."""
    plateau = result["plateau"]
    return {tuple(setting): value for setting, value in zip(plateau["settings"], plateau["share"], strict=True)}


def visible_numbers(result: Mapping) -> tuple[list[int], list[int]]:
    """First and second numbers that the picture shows: settings with some attainment or a mark, and a margin."""
    share = plateau_share(result)
    marked = {tuple(setting) for setting in (result["setting"], *result["ties"])}
    visible = [setting for setting, value in share.items() if value >= VISIBLE or setting in marked]
    return _span(0, share, visible), _span(1, share, visible)


def _span(axis: int, share: Mapping, visible: Sequence[tuple[int, ...]]) -> list[int]:
    ends = [setting[axis] for setting in visible]
    numbers = sorted({setting[axis] for setting in share})
    return [number for number in numbers if min(ends) - MARGIN <= number <= max(ends) + MARGIN]


def _cell(setting: tuple[int, int], share: Mapping, best: tuple[int, ...], tied: set) -> str:
    if setting == best:
        return BEST
    return TIED if setting in tied else SHADES[min(int(share[setting] * len(SHADES)), len(SHADES) - 1)]


def _print_check(check: Mapping) -> None:
    print()
    print(f"check on the {check['system']}, {check['windows']} windows at the mean load:")
    rows = [(name, rounded(value)) for name, value in check["measures"].items()]
    print_table([("attainment", percent(check["attainment"])), *rows])
