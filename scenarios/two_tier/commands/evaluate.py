"""`pmtwin evaluate two-tier --trace FILE`: replacement policies on a trace, at several cache sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pmtwin import __version__
from pmtwin.commands import evaluate
from pmtwin.config.record import run_record
from pmtwin.output import json_text, print_table
from pmtwin.overwrite_guard import EVALUATION, check_output
from pmtwin.progress import progress
from pmtwin.results import Result
from pmtwin.scenarios.block_traces import APART, TOGETHER
from pmtwin.scenarios.left_out import told
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.files import write_atomically
from pmtwin.sim.options import option

if TYPE_CHECKING:
    from pmtwin.scenarios.block_traces import Footprint, Trace

GROUP = "replay of a trace"
MOST_LINES = 1 << 28


@dataclass(frozen=True, kw_only=True)
class Config(evaluate.Config):
    """Options of `pmtwin evaluate two-tier`: with a trace the policies are those of replacement."""

    everyday: ClassVar[tuple[str, ...]] = (*evaluate.Config.everyday, "trace", "cache", "page_bytes")
    trace: Path | None = option(
        None, "block requests, CSV or oracleGeneral, also compressed or a pipe: the policies replace pages", group=GROUP
    )
    cache: tuple[str, ...] = option(
        ("1%", "10%"), "sizes of the cache: lines, or shares of the trace's pages", metavar="SIZE", group=GROUP
    )
    page_bytes: int = option(
        4096, "bytes of a page; requests are split into pages", low=1, high=1 << 30, metavar="BYTES", group=GROUP
    )
    volumes: str = option(
        APART, "whether equal offsets of two volumes (column dev) are different pages", choices=(APART, TOGETHER),
        metavar="NAME", group=GROUP,
    )  # fmt: skip

    of_traces: ClassVar[tuple[str, ...]] = ("cache", "page_bytes", "volumes")
    not_of_traces: ClassVar[tuple[str, ...]] = (
        "report", "series", "details", "contexts", "steps", "context_steps", "seeds"
    )  # fmt: skip

    def __post_init__(self):
        super().__post_init__()
        if self.trace is None:
            return
        for text in self.cache:
            lines_of(text, 1)
        if len(set(self.policies)) < len(self.policies):
            raise InputError("policies", " ".join(self.policies), "each policy once", wrong="has one twice")
        from pmtwin.policies.replacement import replacement_policy

        for spec in self.policies:
            replacement_policy(spec)

    def without_use(self) -> Mapping[str, str]:
        """Options of the replay of a trace without one, and those of runs by windows beside one."""
        if self.trace is None:
            return {**super().without_use(), **dict.fromkeys(self.of_traces, "belongs to --trace; add that")}
        return dict.fromkeys(self.not_of_traces, "does not go with --trace; remove one of the two")


def lines_of(size: str, pages: int) -> int:
    """Lines of a cache, of `2692` or `1%`; a share is rounded down, to one line at least.

    Raises:
        InputError: for another form, or a size out of range.
    """
    share = size.endswith("%")
    try:
        number = float(size[:-1]) if share else int(size)
    except ValueError:
        raise InputError("cache", size, "a number of lines, or a share of the pages as 10%") from None
    if not share:
        check_range("cache", number, 1, MOST_LINES, "lines")
        return number
    if not 0.0 < number <= 100.0:
        raise InputError("cache", size, "a share above 0% and up to 100%")
    return max(int(pages * number / 100.0), 1)


def run(config: Config) -> int:
    """Replay and print; returns 0."""
    if config.trace is None:
        return evaluate.run(config)
    result_of(config).print(config.json)
    return 0


def result_of(config: Config) -> Result:
    """Policies over contexts, or a replay, whose table has a row for each policy and size of the cache."""
    if config.trace is None:
        return evaluate.result_of(config)
    from pmtwin.scenarios.block_traces import Trace, footprint

    if config.output:
        check_output(config.output, "--output", EVALUATION, config.force)
    trace = Trace(config.trace, config.volumes)
    size = footprint(trace, config.page_bytes)
    lines = [lines_of(text, size.pages) for text in config.cache]
    result = {
        "schema_version": 1,
        "scenario": config.scenario.name,
        "version": __version__,
        "trace": str(config.trace),
        **size._asdict(),
        "lines": lines,
    }
    if not config.dry_run:
        misses = replayed(trace, size, config, lines)
        ratios = {spec: [count / size.page_requests for count in row] for spec, row in misses.items()}
        result |= {"miss_ratio": ratios, "misses": misses}
    result["configuration"] = run_record(config)
    if config.output and not config.dry_run:
        write_atomically(config.output, lambda file: file.write(json_text(result)), field="--output")
    return Result(result, lambda: _print(result, config), lambda: _rows(result))


def _rows(result: dict) -> list[dict]:
    return [
        {"policy": spec, "lines": lines, "misses": misses, "miss_ratio": ratio}
        for spec, counts in result.get("misses", {}).items()
        for lines, misses, ratio in zip(result["lines"], counts, result["miss_ratio"][spec], strict=True)
    ]


def replayed(trace: Trace, size: Footprint, config: Config, lines: list[int]) -> dict[str, list[int]]:
    """Spec -> misses at each size. The trace is read once, a block at a time, for all caches.

    Only a policy that knows the future needs the whole sequence of pages in memory, 16 bytes a request.
    """
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    from pmtwin.policies.replacement import is_clairvoyant, make_cache, next_uses, replay
    from pmtwin.scenarios.block_traces.pages import page_blocks

    future = None
    if any(is_clairvoyant(spec) for spec in config.policies):
        future = next_uses(np.concatenate(list(page_blocks(trace, config.page_bytes))))
    tasks = [(spec, number, make_cache(spec, count, config.seed)) for spec in config.policies
             for number, count in enumerate(lines)]  # fmt: skip
    misses = {spec: [0] * len(lines) for spec in config.policies}
    done, total = 0, size.page_requests
    with (
        ThreadPoolExecutor(min(config.jobs, len(tasks))) as pool,
        progress(desc="replay", total=total, unit="page") as bar,
    ):
        for pages in page_blocks(trace, config.page_bytes):
            ahead = None if future is None else future[done : done + len(pages)]
            runs = [
                (spec, number, pool.submit(replay, cache, pages, ahead if is_clairvoyant(spec) else None))
                for spec, number, cache in tasks
            ]
            for spec, number, block in runs:
                misses[spec][number] += block.result()
            done += len(pages)
            bar.update(len(pages))
    return misses


def _print(result: dict, config: Config) -> None:
    head = [f"{text} ({count:,} lines)" if text.endswith("%") else f"{count:,} lines"
            for text, count in zip(config.cache, result["lines"], strict=True)]  # fmt: skip
    if "miss_ratio" in result:
        print_table([(spec, *row) for spec, row in result["miss_ratio"].items()], ("miss ratio", *head))
        print()
    names = ("trace", "requests", "page_requests", "pages")
    rows = [(name.replace("_", " "), result[name]) for name in names]
    pages = {APART: "the pages of each apart", TOGETHER: "equal offsets as one page"}[config.volumes]
    rows.append(("volumes", f"{result['volumes']:,}, {pages}" if result["volumes"] > 1 else 1))
    rows += [("left out", told([each])) for each in result["left_out"]]
    print_table(rows, ("run", ""))
