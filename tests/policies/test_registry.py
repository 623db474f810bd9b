"""Specs: what is understood, what is refused, and how a user's classes come in."""

import doctest
import re
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
from pmtwin.policies.steering import exportable_names, steering_document
from pmtwin.sim.errors import InputError, PolicyError


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
    with pytest.raises(InputError, match=r"a policy that is trained: .*q-learning"):
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


USERS = """
from dataclasses import dataclass

from pmtwin.policies import Options, Policy, option
from pmtwin.policies.fixed import Fixed
from pmtwin.policies.threshold import Threshold


@dataclass(frozen=True)
class ShrinkOptions(Options):
    steps: int = option(3, "steps", low=1, high=9)


class Shrink(Policy):
    Takes = ShrinkOptions

    def act(self, observation, info=None):
        return 8


class Mine(Threshold):
    def act(self, observation, info=None):
        return 0


class Grown(Shrink):
    pass


class Written(Fixed):
    def exported(self, context):
        return super().exported(context)


class Idle(Policy):
    pass


class Bare(Policy):
    def __init__(self):
        pass

    def act(self, observation, info=None):
        return 0


class Named(Shrink):
    name = "named"


class NotOne:
    pass
"""


@pytest.fixture
def users(tmp_path, monkeypatch):
    """A user's classes as a module of a package and as a file: the beginning of a spec of each."""
    (tmp_path / "users_pkg").mkdir()
    (tmp_path / "users_pkg" / "__init__.py").write_text("")
    (tmp_path / "users_pkg" / "agents.py").write_text(USERS)
    (tmp_path / "agents.py").write_text(USERS)
    monkeypatch.syspath_prepend(tmp_path)
    yield ("users_pkg.agents", f"{tmp_path}/agents.py")
    import sys

    for name in [name for name in sys.modules if name.startswith("users_pkg")]:
        del sys.modules[name]


def test_a_users_class_is_found_in_a_module_and_in_a_file(users):
    for place in users:
        policy = make_policy(f"{place}:Shrink:steps=4")
        assert (policy.act(None), policy.options.steps, policy.name) == (8, 4, f"{place}:Shrink")
        assert policy.spec == f"{place}:Shrink:steps=4"
        assert make_policy(f"{place}:Shrink").options.steps == 3
        assert [row["option"] for row in describe(f"{place}:Shrink")] == ["steps"]
        with pytest.raises(InputError, match="1 to 9"):
            make_policy(f"{place}:Shrink:steps=10")
        with pytest.raises(InputError, match=r"subclass of pmtwin\.policies\.Policy"):
            make_policy(f"{place}:NotOne")
        with pytest.raises(InputError, match=r"subclass of pmtwin\.policies\.Policy"):
            make_policy(f"{place}:Absent")
    with pytest.raises(InputError, match="No module named"):
        make_policy("users_pkg.nothing:Shrink")
    with pytest.raises(InputError, match="a file that does not exist"):
        make_policy("no/such/file.py:Shrink")


@pytest.mark.parametrize("name", ["shrink", "SHRINK", "Shrnk", "Shrinks:steps=2"])
def test_a_misspelt_class_brings_those_of_the_file_and_the_nearest_one(users, name):
    for place in users:
        with pytest.raises(InputError) as caught:
            make_policy(f"{place}:{name}")
        class_names = ", ".join(sorted(re.findall(r"^class (\w+)\((?!Options)", USERS, re.MULTILINE)))
        wrong = f"policy: '{place}:{name}' names no policy in {place}"
        allowed = f"a subclass of pmtwin.policies.Policy: {class_names} (did you mean 'Shrink'?)"
        assert str(caught.value) == f"{wrong}; allowed: {allowed}"


@pytest.mark.parametrize("colon", ["", ":"])
def test_a_file_without_a_class_brings_the_specs_of_its_classes(users, colon):
    file = users[1]
    with pytest.raises(InputError) as caught:
        make_policy(f"{file}{colon}")
    class_names = re.findall(r"^class (\w+)\((?!Options)", USERS, re.MULTILINE)
    specs = ", ".join(f"{file}:{name}" for name in class_names)
    assert str(caught.value) == f"policy: '{file}{colon}' names no class; allowed: {specs}"
    with pytest.raises(InputError, match=r"nothere\.py:?' names a file that does not exist; allowed: FILE\.py:"):
        make_policy(f"nothere.py{colon}")


def test_a_file_is_loaded_once(users):
    file = users[1]
    assert type(make_policy(f"{file}:Shrink")) is type(make_policy(f"{file}:Shrink:steps=2"))


def test_a_class_derived_from_another_policy_has_a_spec_of_its_own(users):
    for place in users:
        assert make_policy(f"{place}:Mine").spec == f"{place}:Mine"
        assert make_policy(f"{place}:Mine:slack-windows=5").spec == f"{place}:Mine:slack-windows=5"
        make_policy(f"{place}:Shrink")
        assert make_policy(f"{place}:Grown").spec == f"{place}:Grown"
        assert make_policy(f"{place}:Named").spec == f"{place}:Named"
        assert make_policy(f"{place}:Threshold").spec == "threshold"
        cls = type(make_policy(f"{place}:Mine"))
        assert type("Inner", (cls,), {"__module__": "somewhere"})().spec == "somewhere:Inner"


def test_a_class_derived_from_another_policy_does_not_export_the_rules_of_that_one(users, toy):
    for place in users:
        with pytest.raises(InputError, match=r"Mine'.*threshold writes the rules of threshold, and Mine may act"):
            steering_document(make_policy(f"{place}:Mine"), toy.context())
        document = steering_document(make_policy(f"{place}:Written:9,8"), toy.context())
        assert (document["policy"], document["pools"]) == (f"{place}:Written:9,8", [9, 8])
    assert {"fixed", "none", "q-learning", "threshold"} <= set(exportable_names())


def test_a_class_without_act_or_with_another_constructor_says_so(users):
    for place in users:
        with pytest.raises(InputError, match=r"a method act\(self.*Idle in .*agents\.py has none"):
            make_policy(f"{place}:Idle")
        with pytest.raises(InputError, match=r"one argument, its options; Bare in .*agents\.py"):
            make_policy(f"{place}:Bare")


def test_a_module_or_file_that_does_not_run_is_bad_input(tmp_path, monkeypatch):
    (tmp_path / "badsyn.py").write_text("class X(:\n")
    (tmp_path / "badrun.py").write_text("first = 1\n\nfirst / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"'badsyn:X' .*badsyn.py, line 1"):
        make_policy("badsyn:X")
    with pytest.raises(InputError, match=r"badsyn\.py:1: SyntaxError"):
        make_policy(f"{tmp_path}/badsyn.py:X")
    for _ in range(2):
        with pytest.raises(InputError, match=r"badrun\.py:3: ZeroDivisionError"):
            make_policy(f"{tmp_path}/badrun.py:X")
    with pytest.raises(InputError, match=r"badrun\.py:3: ZeroDivisionError"):
        make_policy("badrun:X")


def test_a_module_that_is_not_there_is_told_from_a_misspelt_name():
    with pytest.raises(InputError, match=r"'nomod:X' .*module:Class, but no module 'nomod' was found"):
        make_policy("nomod:X")
    with pytest.raises(InputError, match=r"'fixd' .*did you mean 'fixed'\?\)$"):
        make_policy("fixd:1,1")


def test_an_unknown_name_is_told_every_form_of_a_spec():
    with pytest.raises(InputError, match=r"fixed:N\[,N.*online-q:FILE\[@N,N\].*FILE\.py:Class, package\.module:Class"):
        make_policy("nosuch")


FAULTY = """
from pmtwin.policies import Policy, Options

class Idle(Policy):
    def act(self, observation, info=None):
        return 0

class Breaks(Idle):
    def __init__(self, options):
        self.x = {}["missing"]

class Dict(Idle):
    Takes = dict

class Bare(Options):
    pass

class Undeclared(Idle):
    Takes = Bare
"""


def test_a_constructor_that_fails_is_named_with_its_line(tmp_path):
    path = tmp_path / "faulty.py"
    path.write_text(FAULTY)
    expected = rf"policy {path}:Breaks: __init__\(\) failed: KeyError: 'missing' \({path}:10\)"
    with pytest.raises(PolicyError, match=expected) as caught:
        make_policy(f"{path}:Breaks")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["Dict", "Undeclared"])
def test_options_that_are_no_dataclass_of_options_are_refused(name, tmp_path):
    path = tmp_path / "faulty.py"
    path.write_text(FAULTY)
    for ask in (make_policy, describe):
        with pytest.raises(
            InputError, match=r"a class whose Takes is a dataclass derived from pmtwin.policies.Options"
        ):
            ask(f"{path}:{name}")
