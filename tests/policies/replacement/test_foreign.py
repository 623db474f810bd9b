"""Policies of the package `libcachesim`, which the tests do without: a stand-in with the parts that are used."""

import sys

import numpy as np
import pytest

from pmtwin.policies.replacement import is_clairvoyant, make_cache, next_uses, replacement_policy, replay
from pmtwin.sim.errors import InputError, MissingDependencyError

STAND_IN = """
class Request:
    def __init__(self, obj_size):
        self.obj_size, self.obj_id = obj_size, None

class LeCaR:
    def __init__(self, cache_size, hashpower):
        self.size, self.pages = cache_size, []
        assert 2**hashpower > cache_size

    def get(self, request):
        hit = request.obj_id in self.pages
        self.pages = [*(page for page in self.pages if page != request.obj_id), request.obj_id][-self.size:]
        return hit
"""


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'pmtwin\[libcachesim\]'") as error:
        make_cache("libcachesim:lecar", 10)
    assert error.value.exit_code == 3


@pytest.mark.parametrize(("spec", "message"), [("libcachesim", "libcachesim:NAME"), ("libcachesim:belady", "lecar")])
def test_other_policies_of_the_package_are_refused(spec, message):
    with pytest.raises(InputError, match=message):
        replacement_policy(spec)


def test_every_page_is_a_request_of_size_one(tmp_path, monkeypatch):
    (tmp_path / "libcachesim.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "libcachesim", raising=False)
    pages = np.random.default_rng(1).zipf(1.3, 3_000).astype(np.int64) % 50
    cache = make_cache("libcachesim:lecar", 12)
    assert not is_clairvoyant("libcachesim:lecar")
    misses = replay(cache, pages[:1_000]) + replay(cache, pages[1_000:], next_uses(pages)[1_000:])
    assert misses == replay(make_cache("lru", 12), pages)
    monkeypatch.delitem(sys.modules, "libcachesim")
