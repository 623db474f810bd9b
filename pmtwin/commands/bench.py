"""`pmtwin bench TARGET`: how fast the twin, the learning agent, the device law and the middleware run here.

`kv` measures gets and puts of pmemkv, and says how well a model fitted to some value sizes and thread counts
predicts others. `middleware` sets the middleware beside the store without it; `durability` kills it and looks at what
is left. `probe` sets the probe's latency and bandwidths beside those of other programs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NamedTuple

from pmtwin import benchmarks, kv_bench, machine, middleware_bench, probe_accuracy
from pmtwin.output import message, print_json, print_table, progress
from sim.errors import CheckFailedError, check_range, unknown_name

HELP = "how fast the engines, the learning agent, the device law or pmemkv run here, and how right the probe is"

SCHEMA_VERSION = 1
SEED = 1
KV, PROBE, MIDDLEWARE, DURABILITY = "kv", "probe", "middleware", "durability"
NATIVE = (KV, PROBE, MIDDLEWARE, DURABILITY)
REPEATS_AND_SECONDS = {KV: (10, 0.02), PROBE: (10, 0.5), MIDDLEWARE: (5, 0.3), DURABILITY: (100, 0.5)}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin bench`."""
    parser.add_argument("target", metavar="TARGET", help=f"one of {', '.join((*TARGETS, *NATIVE))}")
    parser.add_argument(
        "--repeats",
        type=int,
        help="samples of each contender, or rounds (default: 5; kv and probe: 10; durability: 100 kills)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        help="least duration of a sample (default: 0.5; kv: 0.02; middleware: 0.3)",
    )
    parser.add_argument(
        "--path", default="/dev/shm", help="directory that the native programs measure in; they leave nothing there"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON, with the host's context")


def run(args: argparse.Namespace) -> None:
    """Measure and print.

    Raises:
        InputError: for an unknown target, or a number out of range.
        CheckFailedError: if contenders that must agree compute different numbers.
    """
    if args.target not in (*TARGETS, *NATIVE):
        raise unknown_name("TARGET", args.target, (*TARGETS, *NATIVE))
    repeats, seconds = REPEATS_AND_SECONDS.get(args.target, (5, 0.5))
    args.repeats = repeats if args.repeats is None else args.repeats
    args.seconds = seconds if args.seconds is None else args.seconds
    check_range("--repeats", args.repeats, 1, 1000)
    check_range("--seconds", args.seconds, 0.001, 60 if args.target == PROBE else 600, "s")
    if args.target in NATIVE:
        runs = {KV: _run_kv, PROBE: _run_probe, MIDDLEWARE: _run_middleware, DURABILITY: _run_durability}
        runs[args.target](args)
        return
    target = TARGETS[args.target]
    cases = target.prepare()
    results, disturbed = [], False
    with progress(description="samples", total=args.repeats * sum(len(case.contenders) for case in cases)) as bar:
        for case in cases:
            samples = benchmarks.race(case.contenders, args.repeats, args.seconds, bar.update)
            disturbed |= benchmarks.was_disturbed(samples)
            results.append(_result(case, samples))
    if disturbed:
        message(
            "pmtwin bench: something else used the processors meanwhile, and the caches with them: repeat when idle"
        )
    report = {
        "schema_version": SCHEMA_VERSION,
        "benchmark": args.target,
        "unit": f"{target.unit} per core and second of processor time",
    }
    report |= {"repeats": args.repeats, "seconds": args.seconds, "disturbed": disturbed, "results": results}
    if args.json:
        print_json(report | {"host": machine.host_context()})
    else:
        _print_text(report)


def _run_kv(args: argparse.Namespace) -> None:
    """Measure, fit, predict; a median error above the wanted one is told, and is no failure of the command.

    Raises:
        InputError: the directory cannot be used.
        MissingDependencyError: the native programs were not built.
    """
    for name in ("pmtwin-kv-count", "pmtwin-kv-time"):
        kv_bench.program(name)
    message("pmtwin bench kv: counting what gets and puts ask of the memory (about a minute)")
    counts = kv_bench.count_for_bench(args.path)
    message("pmtwin bench kv: timing them, and the memory beneath (about twenty seconds a round)")
    with progress(description="rounds", total=args.repeats) as bar:
        cold, hot = kv_bench.measure(args.path, args.repeats, args.seconds, bar.update)
    result = kv_bench.validate(counts, cold, hot, machine.cpu()["usable_threads"])
    report = {"schema_version": SCHEMA_VERSION, "benchmark": KV, "repeats": args.repeats, "seconds": args.seconds}
    report |= {"path": args.path} | result
    if args.json:
        print_json(report | {"host": machine.host_context()})
        return
    _print_kv(report)


def _print_kv(report: dict) -> None:
    rows = []
    for point in report["points"]:
        measured, predicted = (f"{point[name]:.0f}" for name in ("measured_ns", "predicted_ns"))
        where = (point["operation"], point["value_bytes"], point["threads"])
        rows.append((*where, measured, predicted, f"{point['error_percent']:+.1f} %"))
    print_table(rows, ("operation", "value B", "threads", "measured ns", "predicted ns", "error"))
    wanted = kv_bench.WANTED_MEDIAN_PERCENT
    for name, error in report["error_percent"].items():
        verdict = "within" if error["median"] <= wanted else "above"
        print(
            f"{name}: {error['points']} points that the fit has not seen, error median {error['median']} %, "
            f"mean {error['mean']} %, 90th percentile {error['p90']} %; {verdict} the wanted median of {wanted:g} %"
        )


def _run_middleware(args: argparse.Namespace) -> None:
    """Measure every design beside the store without it; a cost above the wanted one is told, and is no failure.

    Raises:
        InputError: the directory cannot be used.
        MissingDependencyError: the native program was not built.
    """
    message(f"pmtwin bench middleware: {args.repeats} rounds of about {64 * args.seconds:.0f} s")
    result = middleware_bench.measure(args.path, args.repeats, args.seconds)
    report = {"schema_version": SCHEMA_VERSION, "benchmark": MIDDLEWARE, "repeats": args.repeats}
    report |= {"seconds": args.seconds, "path": args.path} | result
    if args.json:
        print_json(report | {"host": machine.host_context()})
        return
    rows = []
    for case in report["cases"]:
        over = case.get("over_raw_cpu_us")
        numbers = (f"{case['cpu_us']['median']:.2f}", "" if over is None else f"{over['median']:.2f}")
        times = (f"{case['ops_per_s']}", f"{case['p50_us']:.1f}", f"{case['p99_us']:.1f}")
        rows.append((*(case[name] for name in ("group", "engine", "access", "workers", "clients")), *numbers, *times))
    print_table(
        rows, ("group", "engine", "access", "workers", "clients", "CPU us", "over raw", "ops/s", "p50 us", "p99 us")
    )
    best, wanted = report["handoff"], report["target_cpu_us"]
    over = best["over_raw_cpu_us"]["median"]
    print(
        f"pools (5, 5), 200 clients, {best['engine']}: {over:.2f} us of processor time per request over calling the "
        f"store directly, {'within' if over <= wanted else 'above'} the wanted {wanted:g}"
    )


def _run_durability(args: argparse.Namespace) -> None:
    """Kill under load and during creation, `--repeats` times each.

    Raises:
        CheckFailedError: something acknowledged was lost, or a value is torn, or a pool unusable.
        InputError: the directory cannot be used.
        MissingDependencyError: the native program was not built.
    """
    message("pmtwin bench durability: about half a second a round")
    report = {"schema_version": SCHEMA_VERSION, "benchmark": DURABILITY, "repeats": args.repeats, "seed": SEED}
    report |= {"path": args.path} | middleware_bench.durability(args.path, args.repeats, SEED)
    if args.json:
        print_json(report | {"host": machine.host_context()})
        return
    load, creation = report["under_load"], report["during_creation"]
    print(
        f"{load['rounds']} kills under load: {load['acknowledged_puts']} acknowledged puts and {load['resizes']} "
        f"resizes, {load['lost']} lost, {load['torn']} torn, {load['unacknowledged_present']} there without an "
        f"acknowledgement; reopened within {load['slowest_reopening_ms']:.0f} ms"
    )
    print(
        f"{creation['rounds']} kills during creation: {creation['absent']} without a pool, {creation['whole']} with a "
        f"whole one, {creation['unusable']} with an unusable one, {creation['leftovers']} files left over"
    )


def _run_probe(args: argparse.Namespace) -> None:
    """Measure in pairs; a ratio beyond the wanted one is told, and is no failure of the command.

    Raises:
        InputError: the directory cannot be used.
        MissingDependencyError: the native programs were not built.
    """
    with progress(description="pairs") as bar:

        def step(total: int) -> None:
            bar.total = total
            bar.update()

        result = probe_accuracy.compare(args.path, args.repeats, args.seconds, step)
    context = result["context"]
    for warning in (*context["warnings"], *(f"left out: {reason}" for reason in result["left_out"])):
        message(f"pmtwin bench probe: {warning}")
    report = {"schema_version": SCHEMA_VERSION, "benchmark": PROBE, "repeats": args.repeats, "seconds": args.seconds}
    report |= {"path": args.path, "wanted_percent": probe_accuracy.WANTED_PERCENT} | result
    if args.json:
        print_json(report | {"host": machine.host_context()})
        return
    memory = context["memory"]
    size, pages = memory["region_bytes"] >> 20, memory["page_bytes"]
    print(f"probe: medians of {args.repeats} pairs on {size} MiB of {memory['file_system']}, pages of {pages} B")
    rows = []
    for one in result["results"]:
        ratio = one["ratio"]
        interval = f"{ratio['low']:.3f} to {ratio['high']:.3f}"
        sides = (one["unit"], one["probe"]["median"], one["reference"]["median"], one["reference_name"])
        verdict = ("yes" if one["within"] else "no") + ("" if one["certain"] else ", not certain")
        rows.append((one["quantity"], *sides, round(ratio["median"], 4), interval, verdict))
    within = f"within {probe_accuracy.WANTED_PERCENT:g} %"
    print_table(rows, ("quantity", "unit", "probe", "reference", "by", "ratio", "its interval", within))


class Case(NamedTuple):
    """Contenders that do the same work, the first of them the one whose speed is in question."""

    name: str
    contenders: dict[str, benchmarks.Work]


def _result(case: Case, samples: dict[str, list[benchmarks.Sample]]) -> dict:
    first, *others = samples
    result = {"case": case.name, "rates": {name: benchmarks.rates(some) for name, some in samples.items()}}
    result["ratios"] = {f"{first}/{other}": benchmarks.ratio(samples[first], samples[other]) for other in others}
    return result


def _print_text(report: dict) -> None:
    print(f"{report['benchmark']}: {report['unit']}; median of {report['repeats']} samples (least to most)")
    rows = []
    for result in report["results"]:
        for name, value in result["rates"].items():
            rows.append((result["case"], name, value["median"], value["min"], value["max"], ""))
        for name, value in result["ratios"].items():
            rows.append((result["case"], name, value["median"], value["min"], value["max"], "times"))
    print_table(rows, ("case", "what", "median", "least", "most", ""))


class EngineSetting(NamedTuple):
    """One load on the middleware: a phase of the thesis' Appendix C and the pools."""

    phase: int
    pools: tuple[int, int]
    mode: str = "middleware"


ENGINE_SETTINGS = (
    EngineSetting(1, (10, 10)),
    EngineSetting(1, (15, 15)),
    EngineSetting(3, (10, 10)),
    EngineSetting(1, (1, 1), "direct"),
)
WARM_UP_WINDOWS = 3


def _engine_cases() -> list[Case]:
    """Both engines on the same settings and seeds, past their warm-up, which also shows that they agree."""
    from sim.engines import engine_names

    cases = []
    for setting in ENGINE_SETTINGS:
        engines = {name: _warm_middleware(setting, name) for name in sorted(engine_names())}
        last = {name: middleware.get_stats() for name, middleware in engines.items()}
        if len(set(last.values())) != 1:
            raise CheckFailedError(f"the engines disagree: {last}")
        pools = "no middleware" if setting.mode == "direct" else f"pools {setting.pools[0]},{setting.pools[1]}"
        contenders = {name: _window_of(middleware) for name, middleware in engines.items()}
        cases.append(Case(f"phase {setting.phase}, {pools}", contenders))
    return cases


def _warm_middleware(setting: EngineSetting, engine: str):
    from scenarios.phases import phase_workload
    from sim.middleware import Middleware

    middleware = Middleware(phase_workload(setting.phase), engine=engine, seed=SEED, mode=setting.mode)
    middleware.start(*setting.pools)
    for _ in range(WARM_UP_WINDOWS):
        middleware.run_window()
    return middleware


def _window_of(middleware) -> benchmarks.Work:
    return lambda: middleware.run_window().completed


AGENT_STEPS = 100
AGENT_DEGREE = 2


def _agent_cases() -> list[Case]:
    """A step of Algorithm 2 (nine predictions and one update): compiled, and with scikit-learn's estimators."""
    import numpy as np

    states = np.random.default_rng(SEED).uniform(1.0, 32.0, (AGENT_STEPS, 8))
    contenders = {"compiled": _compiled_agent(states), "scikit-learn": _sklearn_agent(states)}
    for work in contenders.values():
        work()
    return [Case(f"degree {AGENT_DEGREE}, 9 actions", contenders)]


def _compiled_agent(states) -> benchmarks.Work:
    from policies.linear_q.algorithm2 import QLearner, QLearningParameters
    from policies.linear_q.features import POOL_STATE_LOG_COLUMNS, FeatureMap
    from policies.linear_q.model import LinearQ, ModelChoice

    features = FeatureMap.fit(states, AGENT_DEGREE, POOL_STATE_LOG_COLUMNS)
    learner = QLearner(LinearQ(features, [ModelChoice(AGENT_DEGREE)] * 9), QLearningParameters())

    def work() -> int:
        action = learner.begin(states[-1])
        for state in states:
            action = learner.learn(action, 1.0, state, terminal=False)
        return len(states)

    return work


def _sklearn_agent(states) -> benchmarks.Work:
    import numpy as np
    from sklearn.linear_model import SGDRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    features = make_pipeline(StandardScaler(), PolynomialFeatures(AGENT_DEGREE, include_bias=False), StandardScaler())
    features.fit(states)
    models = [SGDRegressor().partial_fit(features.transform(states[:1]), [0.0]) for _ in range(9)]

    def values(x) -> np.ndarray:
        return np.array([model.predict(x)[0] for model in models])

    def work() -> int:
        x = features.transform(states[-1:])
        action = int(values(x).argmax())
        for state in states:
            next_x = features.transform(state[None])
            next_values = values(next_x)
            models[action].partial_fit(x, [1.0 + 0.95 * next_values.max()])
            x, action = next_x, int(next_values.argmax())
        return len(states)

    return work


DEVICE_POINTS = 10_000


def _device_cases() -> list[Case]:
    """Many random configurations in one call: by the mechanism alone, and predicted with intervals."""
    import numpy as np

    from sim.device.profile import load_profile

    profile = load_profile()
    rng = np.random.default_rng(SEED)
    points = {
        "pattern": np.full(DEVICE_POINTS, "random"),
        "access_size_bytes": 2.0 ** rng.integers(6, 21, DEVICE_POINTS),
        "threads": rng.integers(1, 25, DEVICE_POINTS).astype(float),
        "dimms": np.full(DEVICE_POINTS, 6.0),
        "power_w": np.full(DEVICE_POINTS, 15.0),
        "write_operation": np.full(DEVICE_POINTS, ""),
    }
    cases = []
    for operation in sorted(profile.parameters):
        for name, work_of in (("law", _law_of), ("predict", _predict_of)):
            work = work_of(profile, operation, points)
            work()
            cases.append(Case(f"{operation}, random", {name: work}))
    return cases


def _law_of(profile, operation: str, points: dict) -> benchmarks.Work:
    return lambda: profile.bandwidth_mib_s(operation, "random", points["access_size_bytes"], points["threads"]).size


def _predict_of(profile, operation: str, points: dict) -> benchmarks.Work:
    import numpy as np

    points = points | {"operation": np.full(DEVICE_POINTS, operation)}
    return lambda: profile.predict(points)["bandwidth_mib_s"].size


class Target(NamedTuple):
    """What can be measured: the cases, warmed up, and the unit of their work."""

    unit: str
    prepare: Callable[[], list[Case]]


TARGETS = {
    "engine": Target("requests", _engine_cases),
    "agent": Target("steps", _agent_cases),
    "device": Target("points", _device_cases),
}
