"""A kept run is used again only where all that it depends on is the same."""

import numpy as np
import pytest

from pmtwin.middleware import binding
from pmtwin.pipeline import fingerprint
from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, save_model
from pmtwin.scenarios.comparison.rollout import Block
from pmtwin.validation import MEASURED, PREDICTED, Case
from pmtwin.validation.keys import case_key
from tests.pmtwin.validation.made import plan_of

LOG_COLUMNS = (True,) * 6 + (False,) * 2
"""Table 3.2: two pools, two queues and two block sizes are counts or sizes; two write ratios are shares."""


@pytest.fixture
def key():
    """Function of spec and side that returns the key of a run."""

    def of(spec: str, side: str = PREDICTED) -> str:
        case = Case(spec, (Block(1, 2),))
        return case_key(plan_of([case]), side, case, 0)

    return of


@pytest.mark.parametrize("spec", ["q-learning:{}", "online-q:{}", "online-q:{}@9,8"])
def test_a_policy_trained_anew_under_its_old_name_is_run_again(key, spec, tmp_path):
    def trained(degree):
        states = np.random.default_rng(0).uniform(1, 30, (200, 8))
        model = LinearQ(FeatureMap.fit(states, degree, LOG_COLUMNS), [ModelChoice(degree)] * 9)
        return spec.format(save_model(tmp_path / "q.npz", model, {}))

    first = key(trained(1))
    assert key(trained(1)) == first
    assert key(trained(2)) != first


def test_a_policy_of_a_user_that_was_edited_is_run_again(key, tmp_path, monkeypatch):
    source = "from pmtwin.policies.fixed import Fixed\nclass {0}(Fixed):\n    name = '{0}'\n"
    monkeypatch.syspath_prepend(tmp_path)
    module, before, after = "edited_policy", source.format("Mine"), source.format("Mine") + "    act = None\n"
    path = tmp_path / f"{module}.py"
    keys = []
    for text in (before, after, before):
        path.write_text(text)
        fingerprint.code.cache_clear()
        keys.append(key(f"{module}:Mine:2,2"))
    assert keys[0] == keys[2] != keys[1]


def test_another_build_of_the_middleware_measures_again(key, tmp_path, monkeypatch):
    module = tmp_path / "module.so"
    monkeypatch.setattr(binding, "path", lambda: module)
    keys = {PREDICTED: set(), MEASURED: set()}
    for content in (b"one", b"another", b"one"):
        module.write_bytes(content)
        fingerprint.native.cache_clear()
        for side, result in keys.items():
            result.add(key("fixed:2,2", side))
    fingerprint.native.cache_clear()
    assert (len(keys[PREDICTED]), len(keys[MEASURED])) == (1, 2)
