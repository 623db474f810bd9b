"""The check that both engines agree can fail, and passes."""

from dataclasses import replace

import pytest

from pmtwin.scenarios.nvm_middleware.campaign import QUICK
from pmtwin.scenarios.nvm_middleware.figures.experiments import agreement
from pmtwin.sim.errors import CheckFailedError

TINY = replace(QUICK, agreement_windows=2, agreement_requests=50)


def test_both_engines_give_the_same_latencies():
    cases = agreement.run(TINY, seed=5)["cases"]
    assert [case["requests"] for case in cases] == [100] * 5


def test_one_bit_of_one_latency_is_noticed(monkeypatch):
    real = agreement._trace

    def broken(campaign, seed, workload, mode, engine):
        (classes, latency_us), seconds = real(campaign, seed, workload, mode, engine)
        if engine == "simpy" and mode == "direct":
            latency_us.view("uint64")[7] ^= 1
        return (classes, latency_us), seconds

    monkeypatch.setattr(agreement, "_trace", broken)
    with pytest.raises(CheckFailedError, match="phase 1, no middleware: compiled and simpy differ"):
        agreement.run(TINY, seed=5)
