"""How much slower a machine is than when its host file was written."""

import json

import numpy as np
import pytest

from pmtwin.middleware.settings import NativeSettings
from pmtwin.scenarios.nvm_middleware.host.drift import drift, incomparable, is_clear, sentence
from pmtwin.scenarios.nvm_middleware.host.experiments import REFERENCE
from pmtwin.sim.host.file import document, host_of

SETTINGS = NativeSettings(store="map", keys=50)


def samples(factor=1.0, rounds=9, seed=0, noise=0.05):
    """Times around 1000 ns a factor longer, each with its own noise."""
    rng = np.random.default_rng(seed)
    return {name: (1000.0 * factor * rng.lognormal(0.0, noise, rounds)).tolist() for name in REFERENCE}


def host(some, **middleware):
    context = {"middleware": {"store": "map", "keys": 50, "queue": None} | middleware}
    return host_of(json.loads(json.dumps(document({}, context, some))), "host.json")


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_a_machine_that_has_changed_is_found_to_have(factor):
    result = drift(samples(), samples(factor, seed=1))
    assert result["low"] < factor < result["high"]
    assert result["ratio"] == pytest.approx(factor, rel=0.05) and is_clear(result)
    assert result["rounds"] == 9 and set(result["cells"]) == set(REFERENCE)
    assert ("slower" if factor > 1.0 else "faster") in sentence(result, "host.json")


def test_a_machine_that_has_not_changed_is_not_warned_of():
    assert not is_clear(drift(samples(), samples(seed=1)))


def test_noise_widens_the_interval():
    wide, narrow = (drift(samples(noise=noise), samples(seed=1, noise=noise)) for noise in (0.3, 0.01))
    assert np.log(wide["high"] / wide["low"]) > 5 * np.log(narrow["high"] / narrow["low"])


@pytest.mark.parametrize(
    ("some", "middleware", "told"),
    [
        (samples(), {"store": "pmemkv"}, "store pmemkv"),
        (samples(), {"keys": 51}, "keys 51"),
        ({}, {}, "no samples"),
        (samples(rounds=1), {}, "no samples"),
        (samples() | {REFERENCE[0]: ["1"] * 9}, {}, "no samples"),
        (samples() | {REFERENCE[0]: [0.0] * 9}, {}, "no samples"),
    ],
)
def test_what_cannot_be_compared_is_said_to_be_so(some, middleware, told):
    assert told in incomparable(host(some, **middleware), SETTINGS)


def test_the_same_store_and_keys_can_be_compared():
    assert incomparable(host(samples()), SETTINGS) is None
