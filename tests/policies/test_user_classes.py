"""Policies of a user: classes of modules and files by spec, and what is wrong with them."""

import re

import pytest

from pmtwin.policies import (
    describe,
    make_policy,
)
from pmtwin.policies.steering import exportable_names, steering_document
from pmtwin.sim.errors import InputError, PolicyError

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
