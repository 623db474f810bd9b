"""A recommendation for a reader: the answer in a line, how sure it is, and a picture of the settings around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmtwin.output import print_table

SHADES = " .:-=+*#"
"""From 0 to 100 % of attainment."""

BEST, TIED = "@", "o"
MOST_TIES = 12
VISIBLE, MARGIN = 0.01, 2
"""The picture shows settings from this attainment on, and as many rows and columns around them."""


def print_recommendation(result: Mapping, names: Sequence[str], noun: str) -> None:
    """Print it.

    Args:
        result: of `pmtwin.scenarios.recommendation.search.recommend`, with `goals` and perhaps `check`.
        names: of the numbers of a setting. noun: what a setting is called.
    """
    print(headline(result, noun))
    print()
    print_table(summary_rows(result))
    _print_others(result, noun)
    if result["plateau"] and len(names) == 2:
        print()
        print("\n".join(picture(result, names)))
    if "check" in result:
        _print_check(result["check"])


def summary_rows(result: Mapping) -> list[tuple[str, str]]:
    """What the recommendation rests on, and how sure it is."""
    low, high = (percent(result[f"attainment_{end}"]) for end in ("low", "high"))
    samples = result["samples"]
    return [
        ("goals", "; ".join(result["goals"])),
        *((name, f"{rounded(value)} (mean over windows)") for name, value in result["measures"].items()),
        ("attainment", f"{percent(result['attainment'])} of windows keep all goals"),
        ("over samples", f"{percent(samples['mean'])} on average, {low} to {high} (5th to 95th percentile)"),
        ("samples", f"{samples['count']}, each with another plausible {samples['of']}"),
        (
            "cost if wrong",
            f"{points(result['loss_if_wrong'])} of attainment on average, against the best of each sample",
        ),
        (
            "best",
            f"in {percent(result['best_in_samples'])} of the samples: no compared setting is more than 1 point better",
        ),
        ("ties", _listed(result["ties"])),
    ]


def headline(result: Mapping, noun: str) -> str:
    """The answer in a line."""
    setting = ",".join(map(str, result["setting"]))
    if result["attainment"] == 0.0:
        return f"{noun} {setting}: nearest to the goals, which no {noun} meet"
    samples = f"{percent(result['samples']['mean'])} over plausible {result['samples']['of']}"
    return f"{noun} {setting}: {percent(result['attainment'])} of windows keep all goals ({samples})"


def percent(share: float) -> str:
    """A share, 0 to 1, in percent; only all is 100 %."""
    text = f"{100.0 * share:.1f}".rstrip("0").rstrip(".")
    return f"{'> 99.9' if text == '100' and share < 1.0 else text} %"


def rounded(value: float) -> str:
    """A measure in four digits or, from 1,000 on, whole; never in powers of ten."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def points(share: float) -> str:
    """A difference of shares."""
    return f"{100.0 * share:.1f} points"


NO_POINTS = points(0.0)


def _listed(settings: Sequence[Sequence[int]]) -> str:
    if not settings:
        return "none"
    shown = "  ".join(",".join(map(str, setting)) for setting in settings[:MOST_TIES])
    return f"{shown}  and {len(settings) - MOST_TIES} more" if len(settings) > MOST_TIES else shown


def alternatives_header(noun: str) -> tuple[str, ...]:
    """Of `alternative_rows`."""
    return (f"other {noun}", "attainment", "mean over samples")


def alternative_rows(result: Mapping) -> list[tuple[str, str, str]]:
    """The finalists beside the recommended setting."""
    return [
        (_written(each["setting"]), percent(each["attainment"]), percent(each["mean_over_samples"]))
        for each in result["alternatives"]
    ]


CHANGES = ("if (by formulas)", "attainment of these {noun}", "best {noun} then", "gain")


def change_rows(result: Mapping) -> list[tuple[str, str, str, str]]:
    """What would change the answer; rows below `CHANGES`."""
    rows = []
    for each in result["changes"]:
        gain, best = points(each["gain"]), _written(each["setting"])
        if gain == NO_POINTS:
            gain, best = "none", _written(result["setting"])
        rows.append((each["change"], percent(each["kept"]), best, gain))
    return rows


def _written(setting: Sequence[int]) -> str:
    return ",".join(map(str, setting))


def _print_others(result: Mapping, noun: str) -> None:
    if result["alternatives"]:
        print()
        print_table(alternative_rows(result), alternatives_header(noun))
    if result["changes"]:
        print()
        print_table(change_rows(result), tuple(text.format(noun=noun) for text in CHANGES))


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
    return [*lines, f"     across: {across}, {second[0]} to {second[-1]}; up: {up}; all other settings: 0 %"]


def plateau_share(result: Mapping) -> dict[tuple[int, ...], float]:
    """Attainment by formulas, 0 to 1, of each setting of `plateau`."""
    plateau = result["plateau"]
    return {tuple(setting): value for setting, value in zip(plateau["settings"], plateau["share"], strict=True)}


def visible_numbers(result: Mapping) -> tuple[list[int], list[int]]:
    """First and second numbers of the settings worth a picture: some attainment, or marked, with a margin."""
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
    rows = [(name, f"{value:,.4g}") for name, value in check["measures"].items()]
    print_table([("attainment", percent(check["attainment"])), *rows])
