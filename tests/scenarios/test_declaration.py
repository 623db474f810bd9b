"""What a scenario may declare, and what is said of one that is not whole or fails while it runs."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from pmtwin.scenarios import Contexts, load_scenario, make_environment
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.errors import InputError, ScenarioError

ADMISSION = Path(__file__).parent / "admission.py"


class Indifferent(NvmMiddleware):
    """Derived from a shipped scenario, and another one."""

    def reward(self, measures):
        return 0.0


def test_a_class_derived_from_a_shipped_scenario_stays_itself_in_another_process():
    load_scenario("nvm-middleware")
    assert type(pickle.loads(pickle.dumps(NvmMiddleware()))) is NvmMiddleware
    assert type(pickle.loads(pickle.dumps(Indifferent()))) is Indifferent


@pytest.mark.parametrize("names", [(1, "calm"), ("calm", "calm"), (), (1, 0)])
def test_names_of_contexts_that_cannot_be_told_apart_are_refused(names):
    with pytest.raises(InputError, match="load: names"):
        Contexts("load", names)


def test_a_family_of_contexts_can_be_searched_for_its_best_setting():
    scenario = load_scenario(f"{ADMISSION}:admission").of(jobs_per_window=20)
    plan = EvaluationPlan(scenario, ("fixed:2",), contexts=("busy", "drawn"))
    words = {tuple(plan.search_seed(name).spawn_key) for name in ("calm", "busy", "drawn")}
    assert len(words) == 3


def changed(folder: Path, old: str, new: str) -> str:
    """A copy of the scenario with a mistake in it."""
    text = ADMISSION.read_text(encoding="utf-8")
    assert old in text
    file = folder / "mine.py"
    file.write_text(text.replace(old, new), encoding="utf-8")
    return f"{file}:admission"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    def system(self,", "    def other(self,", "system"),
        ("    columns = (", "    others = (", "columns"),
        ("initial_setting = (20,)", "initial_setting = (20, 3)", "initial_setting: [20, 3]"),
        ("measures = (RESPONSE, SERVED)", "measures = (RESPONSE, RESPONSE)", "each once"),
    ],
)
def test_a_declaration_that_is_not_whole_is_refused_by_name(tmp_path, old, new, words):
    with pytest.raises(InputError, match="scenario") as error:
        load_scenario(changed(tmp_path, old, new))
    assert words in str(error.value)


def test_a_measure_that_a_system_does_not_show_is_named(tmp_path):
    spec = changed(tmp_path, "            SERVED.name: self._per_second(len(window.classes)),\n", "")
    with pytest.raises(InputError, match=r"measures\(\): \['response_ms'\].* allowed: also served_per_s"):
        make_environment(spec, jobs_per_window=10).reset(seed=0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("late = measures[RESPONSE.name] /", 'late = float("nan") * measures[RESPONSE.name] /', r"reward\(\): nan"),
        (
            "return np.array([self._places, min(waiting",
            "return np.array([min(waiting",
            r"shape of observation\(\): \[2\]",
        ),
    ],
)
def test_a_reward_or_an_observation_that_cannot_be_one_is_named(tmp_path, old, new, words):
    spec = changed(tmp_path, old, new)
    with pytest.raises(InputError, match=f"scenario admission: {words}"):
        make_environment(spec, jobs_per_window=10).reset(seed=0)


def test_an_error_of_a_users_scenario_names_scenario_and_line(tmp_path):
    spec = changed(
        tmp_path, "        late = measures[RESPONSE.name] /", "        late = 1 / 0 * measures[RESPONSE.name] /"
    )
    env = make_environment(spec, jobs_per_window=10, warmup_windows=0)
    env.reset(seed=0)
    with pytest.raises(ScenarioError, match="scenario admission: step failed: ZeroDivisionError") as error:
        env.carry_out(0)
    assert "mine.py:" in error.value.place and error.value.exit_code == 2


def test_a_system_that_cannot_change_its_context_says_so(tmp_path):
    spec = changed(tmp_path, "    def set_context(self, conditions):", "    def set_other(self, conditions):")
    env = make_environment(spec, jobs_per_window=10, warmup_windows=0)
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"context: .*one context for the whole run") as error:
        env.set_context("busy")
    assert error.value.exit_code == 2


def test_an_error_in_a_change_of_context_names_scenario_and_line(tmp_path):
    spec = changed(
        tmp_path, "        self._rate = RATES.get(conditions, conditions)", "        self._rate = RATES[None]"
    )
    env = make_environment(spec, jobs_per_window=10, warmup_windows=0)
    with pytest.raises(ScenarioError, match="scenario admission: set_context failed: KeyError"):
        env.reset(seed=0)
        env.set_context("busy")


@pytest.mark.parametrize(
    ("method", "answer", "words"),
    [("act", '"up"', "action in window 1: 'up'"), ("start", "(99,)", "limit in window 1: [99]")],
)
def test_an_answer_that_is_no_action_names_policy_and_window(tmp_path, method, answer, words):
    file = tmp_path / "wrong.py"
    other = "" if method == "act" else "    def act(self, observation, info=None):\n        return 0\n"
    arguments = "observation, info=None" if method == "act" else "context"
    file.write_text(
        "from pmtwin.policies import Policy\n\n\nclass Wrong(Policy):\n"
        f"    def {method}(self, {arguments}):\n        return {answer}\n{other}",
        encoding="utf-8",
    )
    plan = EvaluationPlan(
        load_scenario(f"{ADMISSION}:admission").of(jobs_per_window=10), (f"{file}:Wrong",), steps=2, seeds=1
    )
    with pytest.raises(InputError, match=r"policy .*wrong\.py:Wrong: ") as error:
        evaluate(plan)
    assert words in str(error.value)


def test_the_same_numbers_on_any_number_of_workers_from_a_file(tmp_path):
    spec = changed(tmp_path, "return -(max(late, 0.0)", "return 7.0 - (max(late, 0.0)")
    plan = EvaluationPlan(load_scenario(spec).of(jobs_per_window=20), ("fixed:2", "random"), steps=4, seeds=2)
    first, two = (evaluate(plan, jobs) for jobs in (1, 2))
    for policy in plan.policies:
        for a, b in zip(first.runs[policy], two.runs[policy], strict=True):
            np.testing.assert_array_equal(a.reward, b.reward)
