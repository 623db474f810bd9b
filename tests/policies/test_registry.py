"""Specs: what is understood, what is refused, and how a user's classes come in."""

import doctest
from dataclasses import dataclass

import pytest

from pmtwin import policies
from pmtwin.policies import (
    Options,
    Policy,
    describe,
    make_policy,
    option,
    policy_class,
    policy_names,
    register,
    trainable_names,
    training_options,
)
from pmtwin.policies.grammar import parsed, written
from pmtwin.policies.registry import _CLASSES
from pmtwin.sim.errors import InputError


@pytest.fixture
def clean_registry():
    """Whatever a test registers is gone afterwards."""
    before = dict(_CLASSES)
    yield
    _CLASSES.clear()
    _CLASSES.update(before)


def test_the_examples_of_the_package_are_true():
    assert doctest.testmod(policies) == doctest.TestResults(failed=0, attempted=3)


def test_the_shipped_names():
    assert {"none", "fixed", "random", "threshold", "best-fixed"} <= set(policy_names())


def test_a_misspelt_name_brings_the_nearest_one():
    with pytest.raises(InputError, match=r"'treshold'.*did you mean 'threshold'\?"):
        make_policy("treshold")


def test_a_class_without_its_file_is_looked_for_in_the_files_nearby(tmp_path, monkeypatch):
    (tmp_path / "gentle.py").write_text("raise SystemExit  # nobody runs it\n\n\nclass Gentle(Policy):\n    pass\n")
    (tmp_path / "other.py").write_text("class Gentler:\n    pass\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        InputError, match=r"'Gentle' is not accepted.*; a class of a file with its file: gentle.py:Gentle$"
    ):
        make_policy("Gentle")
    with pytest.raises(InputError, match=r"module:Class$"):
        make_policy("Gentl")


@pytest.mark.parametrize("spec", ["", " ", ":10,10", None, 7])
def test_what_is_no_name_is_refused(spec):
    with pytest.raises(InputError, match="policy"):
        make_policy(spec)


@pytest.mark.parametrize("setting", ["nan,10", "inf,10", "a,b", "2.5,3", ",", "10,", "1:2"])
def test_a_setting_that_is_unreadable_is_refused(setting):
    with pytest.raises(InputError, match="whole numbers") as caught:
        make_policy(f"fixed:{setting}")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("setting", ["0,10", "33,10", "10,0", "10,33", "-3,4", "10", "10,10,10", "1e9,1"])
def test_a_setting_out_of_the_bounds_of_a_scenario_is_refused_when_a_run_starts(toy, setting):
    with pytest.raises(InputError, match="each 1 to 32") as caught:
        make_policy(f"fixed:{setting}").start(toy.context())
    assert caught.value.exit_code == 2


def test_a_setting_at_the_bounds_is_taken(toy):
    assert make_policy("fixed:1,32").start(toy.context()) == (1, 32)


@dataclass(frozen=True)
class Several(Options):
    """A text that may hold commas, a number, a truth value."""

    path: str = option(help="a file")
    step_size: float = option(0.5, "a step", low=0.0, high=1.0)
    loud: bool = option(False, "whether")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a.npz", ("a.npz", 0.5, False)),
        ("a,b,c.npz", ("a,b,c.npz", 0.5, False)),
        ("path=a,b,step-size=0.25", ("a,b", 0.25, False)),
        ("step_size=0.25,path=a=b", ("a=b", 0.25, False)),
        ("a:b@c,loud=true,step-size=0.1", ("a:b@c", 0.1, True)),
    ],
)
def test_a_comma_ends_a_value_only_before_the_next_key(text, values):
    options = parsed("several", Several, text)
    assert (options.path, options.step_size, options.loud) == values
    assert parsed("several", Several, written("several", options).partition(":")[2]) == options


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"several:PATH\[,KEY=VALUE...\]"),
        ("step-size=0.5", r"several:PATH"),
        ("a,stepsize=0.1", r"'stepsize'.*did you mean 'step-size'\?"),
        ("a,path=b", "path at most once"),
        ("a,step-size=0.1,step_size=0.2", "step-size at most once"),
        ("a,step-size=2", "policy several: step-size: 2.0 is not accepted; allowed: 0 to 1"),
        ("a,step-size=fast", "policy several: step-size: 'fast' is not accepted; allowed: a number"),
        ("a,loud=perhaps", "policy several: loud: 'perhaps' is not accepted; allowed: true or false"),
    ],
)
def test_options_that_are_none_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parsed("several", Several, text)


def test_what_is_written_makes_the_same_options_to_the_last_bit():
    options = Several("x", step_size=1.0 / 3.0)
    assert written("several", options) == f"several:x,step-size={1.0 / 3.0!r}"
    assert parsed("several", Several, f"x,step-size={1.0 / 3.0!r}") == options


def test_the_options_of_a_policy_are_described():
    rows = {row["option"]: row for row in describe("online-q")}
    assert rows["file"]["default"] == "required"
    assert (rows["step"]["default"], rows["epsilon"]["value"]) == ("4", "float")
    assert "window" in rows["step"]["description"]
    assert describe("none") == []


def test_the_options_of_a_training_are_found_by_the_policy_that_is_trained():
    assert "q-learning" in trainable_names()
    assert training_options("q-learning")(campaign=0.5).q.gamma == 0.95
    with pytest.raises(InputError, match=r"a policy that can be trained: .*q-learning"):
        training_options("fixed")
    with pytest.raises(InputError, match="did you mean 'q-learning'"):
        training_options("q-lerning")


def test_what_a_class_names_as_its_training_is_one(monkeypatch):
    monkeypatch.setattr(policy_class("fixed"), "trainable", "pmtwin.policies.threshold:ThresholdOptions")
    with pytest.raises(InputError, match=r"dataclass derived from pmtwin\.policies"):
        training_options("fixed")


def test_each_training_keeps_its_options_under_a_name_of_its_own():
    trainings = {training_options(name) for name in trainable_names()}
    assert len({training.key for training in trainings}) == len(trainings)


def test_an_own_class_registers_by_name(clean_registry):
    @register("always-grow")
    class AlwaysGrow(Policy):
        def act(self, observation, info=None):
            return 5

    assert "always-grow" in policy_names()
    assert make_policy("always-grow").act(None) == 5


def test_a_name_is_given_once(clean_registry):
    with pytest.raises(ValueError, match="registered already"):

        @register("fixed")
        class Other(Policy):
            def act(self, observation, info=None):
                return 0
