"""The survey, the plan of the clairvoyant, the leaderboard, and the sets of contexts that they were made for."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.scenarios.comparison.clairvoyant import window_plan
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.comparison.leaderboard import recovery_windows
from pmtwin.scenarios.comparison.summary import summarise
from pmtwin.scenarios.comparison.survey import DRAWS, Sample, SurveyPlan, payoff, serving_places, survey, with_ways
from pmtwin.scenarios.contexts import Contexts
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.drawn_contexts import CONTENDED_TOTAL_OPS, RANDOM_RANGES
from pmtwin.scenarios.system import Load
from pmtwin.sim.control import Settings
from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.statistics import holm, paired_p_value

SMALL = SurveyPlan(rounds=((1, 4),), redraws=2, windows=2)


@pytest.fixture
def toy(toy, monkeypatch):
    """The formulas know nothing of a toy: all settings are run."""
    monkeypatch.setattr(NvmMiddleware, "predicted", lambda *args, **options: None)
    return toy


def test_the_survey_finds_the_settings_that_are_best(toy):
    samples, constant = survey(NvmMiddleware.of(engine="simpy"), [(0, 1), (0, 2)], np.random.SeedSequence(0), SMALL)
    for phase in (1, 2):
        sample = samples[0, phase]
        assert sample.settings[0] == toy.best[f"phase-{phase}"]
        assert sample.payoff.shape == (len(sample.settings), 2, 2) and sample.load.shape[2:] == (3, 4)
    assert tuple(constant["pools"]) in samples[0, 1].settings
    assert tuple(constant["pools"]) in samples[0, 2].settings


def test_of_a_family_the_survey_runs_many_draws_before_it_drops_a_setting(monkeypatch):
    """One setting is best under an eighth of the draws and worth nothing under the others."""

    def windows(scenario, batch, case, settings, seed, windows):
        drawn.add(seed)
        lucky = np.random.default_rng(seed).random() < 0.125
        earned = np.array([0.5 if setting == (3, 3) else float(lucky and setting == (9, 9)) for setting in settings])
        no_load = np.ones((len(settings), windows + 1, 0))
        return np.repeat(earned[:, None], windows, axis=1), no_load, no_load

    scenario = NvmMiddleware.of()
    scenario.contexts = Contexts("phase", (1,), {2: lambda rng: 1})
    monkeypatch.setattr("pmtwin.scenarios.comparison.survey._windows", windows)
    plan = SurveyPlan(rounds=((4, 1),), serving=0, redraws=2, windows=32)
    for seed in range(20):
        drawn = set()
        samples, constant = survey(scenario, [(0, 2)], np.random.SeedSequence(seed), plan)
        assert constant["pools"] == [3, 3]
        assert samples[0, 2].payoff.shape == (1, 2 * DRAWS, 32 // DRAWS) and len(drawn) == 3 * DRAWS


def test_formulas_choose_candidates_that_every_context_runs(monkeypatch):
    def predicted(self, context, settings, loads, seed, pace=1.0):
        away = np.abs(np.array(settings) - {1: (7, 7), 2: (9, 9)}[context]).sum(axis=1)
        p99_us = np.exp(np.minimum(away[None] ** 2, 100.0))
        return {"p99_us": p99_us, "throughput_ops": np.full((1, len(settings)), 1e9)}

    def windows(scenario, batch, case, settings, seed, windows):
        runs[case] = settings
        no_load = np.ones((len(settings), windows + 1, 0))
        return np.zeros((len(settings), windows)), no_load, no_load

    runs = {}
    monkeypatch.setattr(NvmMiddleware, "predicted", predicted)
    monkeypatch.setattr("pmtwin.scenarios.comparison.survey._windows", windows)
    plan = SurveyPlan(screened=3, rounds=(), redraws=1, windows=1)
    survey(NvmMiddleware.of(), [(0, 1), (0, 2)], np.random.SeedSequence(0), plan)
    assert runs[0, 1][0] == (7, 7) and runs[0, 2][0] == (9, 9)
    shared = set(runs[0, 1]) & set(runs[0, 2])
    assert shared >= {(7, 9), (8, 8), (9, 7)}, "best for both, though neither's own best"
    assert (1, 1) in shared and (32, 32) in shared, "a coarse grid, in case the formulas are wrong"


def test_settings_stay_that_serve_windows_in_which_the_best_do_not():
    payoff = np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.9, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.5]])
    assert serving_places(payoff, np.array([0]), 3) == [2], "the others add nothing"
    assert serving_places(payoff, np.array([0]), 0) == []


def test_a_plan_follows_the_load():
    low, high = np.tile([1.0, 0.0], 20), np.tile([0.0, 1.0], 20)  # windows of low and high load in turn
    load = np.tile(np.tile([0.5, 2.0], 21)[:41, None], (2, 1, 1, 1))
    plan = window_plan(Sample(((1,), (2,)), np.stack([low, high])[:, None, :], load), neighbours=4)
    assert plan.best((0.5,)) == (1,) and plan.best((2.0,)) == (2,)


def test_without_foresight_a_plan_knows_the_last_load_and_the_queues_now():
    offered, queued = np.tile([0.5, 2.0], 21)[:41], np.tile([1.0, 1.0, 4.0, 4.0], 11)[:41]
    load = np.tile(np.stack([offered, queued], axis=1), (2, 1, 1, 1))
    high = np.tile([0.0, 1.0], 20)  # setting 2 earns under high load, which follows low load here
    sample = Sample(((1,), (2,)), np.stack([1.0 - high, high])[:, None, :], load, offered=1)
    knowing, unknowing = (window_plan(sample, known, neighbours=2) for known in (True, False))
    assert knowing.best((2.0, 4.0)) == (2,) and unknowing.best((2.0, 1.0)) == (1,)
    assert unknowing.best((0.5, 1.0)) == (2,), "high load comes"


def test_the_clairvoyant_without_foresight_is_told_one_window_late():
    class Plan:
        usual = (1,)

        def best(self, state, present):
            states.append(state)
            return self.usual

    states = []
    policy = make_policy("clairvoyant:foresight=no")
    context = SimpleNamespace(
        settings=object(), plans={1: {(False, False): Plan()}}, stay=lambda setting: setting, initial=(1,), context=1
    )
    policy.start(context)
    for offered, queued in ((0.5, 1.1), (2.0, 1.2), (3.0, 1.3)):
        policy.on_load(Load((offered,), (queued,)))
        policy.act(None)
    assert states == [(1.0, 1.1), (0.5, 1.2), (2.0, 1.3)]


def test_a_setting_pays_for_the_backlog_that_it_leaves():
    # Setting 1 earns more at once and leaves a queue in which nothing is earned; setting 2 leaves none.
    queued, cleared = np.array([1.0, 4.0, 4.0, 4.0] * 10), np.array([4.0] * 10 + [1.0] * 30)
    load = np.stack([np.append(queued, 4.0), np.append(cleared, 1.0)])[:, None, :, None]
    payoff = np.stack([np.where(queued == 1.0, 1.0, 0.0), np.where(cleared == 1.0, 0.9, 0.0)])[:, None, :]
    assert window_plan(Sample(((1,), (2,)), payoff, load), neighbours=4).best((1.0,)) == (2,)


LINE = Settings("width", ("width",), (1,), (4,), moves=((0,), (1,), (-1,)))


def test_a_plan_of_steps_leaves_a_setting_only_where_the_way_pays():
    # Under high load 3 earns most, under low load 1; 2, which lies between them, earns nothing.
    load = np.tile(np.tile([0.5, 2.0], 21)[:41, None], (3, 1, 1, 1))
    high = np.tile([0.0, 1.0], 20)
    payoff = np.stack([1.0 - 0.5 * high, 0.0 * high, high])[:, None, :]
    sample = Sample(((1,), (2,), (3,)), payoff, load)
    assert window_plan(sample, neighbours=4).best((2.0,)) == (3,)
    steps = window_plan(sample, neighbours=4, steps=LINE)
    assert steps.best((2.0,), (1,)) == (1,), "the load changes before it is there"
    rich = sample._replace(payoff=payoff * np.array([0.1, 1.0, 1.0])[:, None, None])
    assert window_plan(rich, neighbours=4, steps=LINE).best((0.5,), (1,)) == (2,), "high load comes, when it is there"
    assert steps.best((2.0,), (4,)) == (3,), "the nearest with a plan"


def test_a_plan_of_steps_needs_no_load():
    payoff = np.array([[0.5, 0.5], [0.0, 0.0], [1.0, 0.8]])[:, None, :]
    plan = window_plan(Sample(((1,), (2,), (3,)), payoff, np.ones((3, 1, 3, 0))), steps=LINE)
    assert [plan.best((), (width,)) for width in (1, 2, 3)] == [(2,), (3,), (3,)]


def test_settings_between_those_of_the_survey_run_on_the_same_redraws():
    scenario, seed = NvmMiddleware.of(requests_per_window=200), np.random.SeedSequence(3)
    scenario.settings = replace(scenario.settings, low=(4, 4), high=(4, 7))
    plan = SurveyPlan(rounds=(), redraws=2, windows=1)
    every = survey(scenario, [(0, 1)], seed, plan)[0][0, 1]
    places = [every.settings.index(setting) for setting in ((4, 4), (4, 7))]
    ends = every._replace(settings=((4, 4), (4, 7)), payoff=every.payoff[places], load=every.load[places])
    joined = with_ways(scenario, {(0, 1): ends, (0, 2): every}, seed, plan)
    assert joined[0, 1].settings == ((4, 4), (4, 7), (4, 5), (4, 6)) and joined[0, 2] is every
    order = [every.settings.index(setting) for setting in joined[0, 1].settings]
    assert joined[0, 1].payoff.tolist() == every.payoff[order].tolist()
    assert joined[0, 1].load.tolist() == every.load[order].tolist()


def test_the_clairvoyant_moves_by_one_step_where_steps_are_asked_for_and_jumps_as_without_them(toy):
    plan = EvaluationPlan(
        NvmMiddleware.of(engine="simpy"),
        ("clairvoyant", "clairvoyant:steps=yes"),
        steps=8,
        context_steps=4,
        seeds=2,
        survey=SMALL,
    )
    result = evaluate(plan)
    jumps, steps = (result.runs[spec][0] for spec in plan.policies)
    alone = evaluate(replace(plan, policies=("clairvoyant",))).runs["clairvoyant"][0]
    assert alone.setting.tolist() == jumps.setting.tolist() and alone.reward.tolist() == jumps.reward.tolist()
    best = [toy.best[f"phase-{phase}"] for phase in jumps.context]
    assert jumps.setting.tolist() == [list(setting) for setting in best]
    assert np.abs(np.diff(steps.setting, axis=0)).max() == 1


def test_a_trial_is_the_window_that_comes(monkeypatch):
    env = ControlEnv(NvmMiddleware.of(requests_per_window=300, contexts="contended"), 2, episode_steps=None)
    env.reset(seed=4)
    for setting in ((8, 9), (3, 14), (8, 9)):
        trials = {other: env.tried(other) for other in (setting, (16, 3))}
        assert trials[setting] == env.tried(setting), "a trial leaves no trace"
        _, _, _, _, info = env.carry_out(setting)
        measures = {
            name: np.array([info[name]]) for name in ("p99_us", "throughput_ops", "interactive_ops", "batch_ops")
        }
        payoff_seen, load = float(payoff(env.scenario, measures)[0]), env.running().load()
        assert trials[setting][0] == payoff_seen
        assert trials[setting][1].queued == load.queued


def test_the_prophet_takes_what_turns_out_best_with_what_it_leaves():
    class Plan:
        settings, usual = ((1,), (2,), (3,)), (1,)

        def with_what_follows(self, payoff, state):
            return payoff - state[-1]

    policy = make_policy("prophet")
    policy.start(
        SimpleNamespace(settings=object(), plans={1: {(False, False): Plan()}}, stay=lambda setting: setting, context=1)
    )
    outcomes = {(1,): (0.5, 0.0), (2,): (1.0, 0.9), (3,): (1.0, 0.1)}
    policy.on_trials(lambda setting: (outcomes[setting][0], Load((1.0,), (outcomes[setting][1],))))
    assert policy.act(None) == (3,)


def test_the_leaderboard_ranks_and_says_who_is_level(toy):
    policies = ("fixed:1,1", "best-constant", "clairvoyant")
    plan = EvaluationPlan(NvmMiddleware.of(engine="simpy"), policies, steps=8, context_steps=2, seeds=3, survey=SMALL)
    result = summarise(evaluate(plan))
    rows = result["leaderboard"]
    assert rows[0]["attainment"] == 1.0 and rows[0]["recovery_windows"] == 0.0
    names = {"policy", "attainment", "attainment_low", "attainment_high", "regret", "recovery_windows"}
    assert all(set(row) == names for row in rows)
    yardsticks = result["yardsticks"]
    assert yardsticks["reference"] == "clairvoyant" and yardsticks["short_share"] == 0.0
    assert rows[-1]["policy"] == "fixed:1,1" and yardsticks["policies"]["fixed:1,1"]["level"] == []
    assert rows[-1]["regret"] == pytest.approx(rows[0]["attainment"] - rows[-1]["attainment"])
    pairs = {(pair["policy"], pair["against"]): pair for pair in yardsticks["differences"]}
    assert len(pairs) == 3 and all(pair["apart"] for pair in pairs.values())
    assert pairs["clairvoyant", "fixed:1,1"]["mean"] == pytest.approx(rows[-1]["regret"])


def test_holm_adjusts_for_the_number_of_comparisons():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.01]) == pytest.approx([0.9, 0.02]) and holm([]) == []


def test_a_paired_test_asks_for_more_than_two_pairs_and_sees_a_constant_lead():
    assert paired_p_value([1.0], [0.0]) == 1.0 and paired_p_value([0.5, 0.7], [0.5, 0.7]) == 1.0
    assert paired_p_value([1.0, 1.0], [0.5, 0.5]) == 1.0
    assert paired_p_value([1.0, 1.0, 1.0], [0.5, 0.5, 0.5]) == 0.0
    assert paired_p_value([0.9, 0.7, 0.8], [0.6, 0.5, 0.4]) == pytest.approx(1.0 - (27 / 29) ** 0.5)


def test_recovery_counts_windows_until_two_in_a_row_and_none_that_offer_too_little():
    context = np.array([1, 1, 2, 2, 2, 2, 2])
    met = np.array([True, True, False, True, False, True, True])
    run = SimpleNamespace(context=context, met=met, short=np.zeros(7, dtype=bool))
    assert recovery_windows([run]) == 3.0
    assert recovery_windows([SimpleNamespace(context=context, met=met, short=~met)]) == 0.0
    assert recovery_windows([SimpleNamespace(context=context[:2], met=met[:2], short=~met[:2])]) is None


def test_the_same_seed_gives_the_same_survey(monkeypatch):
    scenario = NvmMiddleware.of(requests_per_window=200)
    monkeypatch.setattr(NvmMiddleware, "predicted", lambda *args, **options: None)
    plan = SurveyPlan(rounds=(), redraws=1, windows=1)
    scenario.settings = type(scenario).settings.__class__("pools", ("a", "b"), (4, 4), (5, 5))
    first, again = (survey(scenario, [(0, 1)], np.random.SeedSequence(3), plan)[0][0, 1] for _ in range(2))
    assert first.payoff.tolist() == again.payoff.tolist() and first.load.tolist() == again.load.tolist()
    assert (first.load[:, :, :, :2] != 1.0).any(), "rates vary"
    assert np.ptp(first.load[:, :, :, :2], axis=0).max() == 0.0, "and are the same for every setting"


def test_random_contexts_lie_in_their_ranges_and_some_are_kept_aside():
    scenario = NvmMiddleware.of(contexts="random", host="assumed", load="steady")
    assert len(scenario.contexts.trained) == 16 and len(scenario.contexts.kept_aside) == 8
    assert EvaluationPlan(scenario, ("random",)).contexts == scenario.contexts.kept_aside
    for number in scenario.contexts.names:
        workload = scenario.workload(number)
        low, high = RANDOM_RANGES["total_ops"]
        assert low <= sum(load.rate_ops for load in workload.classes) <= high
        assert all(100 <= load.clients <= 400 and load.write_ratio <= 0.9 for load in workload.classes)


def test_contended_contexts_differ_in_the_split_of_the_load_alone():
    scenario = NvmMiddleware.of(contexts="contended", host="assumed", load="steady")
    workloads = [scenario.workload(number) for number in scenario.contexts.names]
    assert [round(load.interactive.rate_ops / CONTENDED_TOTAL_OPS, 3) for load in workloads] == [0.1, 0.5, 0.75, 0.9]
    assert all(sum(part.rate_ops for part in load.classes) == pytest.approx(CONTENDED_TOTAL_OPS) for load in workloads)


@pytest.mark.parametrize("kept", [(3,), (1, 2)])
def test_what_is_kept_aside_is_a_part_of_the_contexts(kept):
    with pytest.raises(InputError):
        Contexts(names=(1, 2), kept_aside=kept)
