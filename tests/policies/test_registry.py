"""Specs: what is understood, what is refused, and how own classes come in."""

import doctest

import pytest

from pmtwin import policies
from pmtwin.policies import Policy, PolicyContext, make_policy, policy_names, register
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
    assert doctest.testmod(policies) == doctest.TestResults(failed=0, attempted=4)


def test_the_shipped_names():
    assert {"none", "fixed", "random", "threshold", "best-fixed"} <= set(policy_names())


def test_a_misspelt_name_brings_the_nearest_one():
    with pytest.raises(InputError, match=r"'treshold'.*did you mean 'threshold'\?"):
        make_policy("treshold")


@pytest.mark.parametrize("spec", ["", " ", ":10,10", None, 7])
def test_what_is_no_name_is_refused(spec):
    with pytest.raises(InputError, match="policy"):
        make_policy(spec)


@pytest.mark.parametrize(
    "pools",
    ["0,10", "33,10", "10,0", "10,33", "nan,10", "inf,10", "-3,4", "10", "10,10,10", "a,b", "2.5,3", "1e9,1", ","],
)
def test_pools_out_of_bounds_or_unreadable_are_refused(pools):
    with pytest.raises(InputError, match="1 to 32") as caught:
        make_policy(f"fixed:{pools}")
    assert caught.value.exit_code == 2


def test_pools_at_the_bounds_are_taken():
    assert make_policy("fixed:1,32").start(PolicyContext()) == (1, 32)


def test_fixed_pools_beyond_the_limits_of_a_scenario_are_refused():
    with pytest.raises(InputError, match="1 to 16"):
        make_policy("fixed:20,4").start(PolicyContext(pool_max=16))


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


def test_an_own_class_is_imported_by_its_path(tmp_path, monkeypatch):
    (tmp_path / "my_agents.py").write_text(
        "from pmtwin.policies import Policy\n"
        "class Shrink(Policy):\n"
        "    argument = 'STEPS'\n"
        "    def __init__(self, argument): self.steps = int(argument)\n"
        "    def act(self, observation, info=None): return 8\n"
        "class NotOne: pass\n"
    )
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "my_agents.py").rename(tmp_path / "pkg" / "agents.py")
    monkeypatch.syspath_prepend(tmp_path)
    policy = make_policy("pkg.agents:Shrink:3")
    assert (policy.act(None), policy.steps, policy.name) == (8, 3, "pkg.agents:Shrink")
    with pytest.raises(InputError, match=r"subclass of policies\.Policy"):
        make_policy("pkg.agents:NotOne")
    with pytest.raises(InputError, match="No module named"):
        make_policy("pkg.nothing:Shrink:3")


def test_a_module_with_a_syntax_error_is_bad_input(tmp_path, monkeypatch):
    (tmp_path / "badsyn.py").write_text("class X(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"'badsyn:X' .*badsyn.py, line 1"):
        make_policy("badsyn:X")


def test_a_module_that_is_not_there_is_told_from_a_misspelt_name():
    with pytest.raises(InputError, match=r"'nomod:X' .*module:Class, but no module 'nomod' was found"):
        make_policy("nomod:X")
    with pytest.raises(InputError, match=r"'fixd' .*did you mean 'fixed'\?\)$"):
        make_policy("fixd:1,1")


def test_an_unknown_name_is_told_every_form_of_a_spec():
    with pytest.raises(InputError, match=r"fixed:I,B.*online-q:FILE\[@I,B\].*package\.module:Class"):
        make_policy("nosuch")
