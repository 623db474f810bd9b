"""What the twin's choice costs on the real system."""

import pytest

from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.validation import MEASURED, PREDICTED
from pmtwin.validation.choices import best_choices


def choice_of(pools, predicted, measured, spread=1.0):
    """One setting of a comparison, with the same values in all measures."""
    both = {PREDICTED: {"mean": predicted}, MEASURED: {"mean": measured}}
    both["by_seed"] = {MEASURED: [measured - spread, measured, measured + spread]}
    return {
        "pools": list(pools),
        "workload": "w",
        "changing": False,
        "throughput_ops": both,
        "p99_us": both,
        "reward": both,
    }


def test_what_the_twins_choice_costs_is_measured_on_the_other_side():
    entries = [choice_of((4, 4), 110.0, 90.0), choice_of((8, 8), 105.0, 100.0), choice_of((9, 9), 50.0, 60.0)]
    throughput, p99, _ = best_choices(NvmMiddleware, [("alone", entry) for entry in entries])
    assert (throughput["predicted"], throughput["measured"]) == ([4, 4], [8, 8])
    assert throughput["loss_percent"] == pytest.approx(10.0)
    low, high = throughput["loss_interval"]
    assert low < 10.0 < high
    assert (p99["predicted"], p99["measured"], p99["loss_percent"]) == ([9, 9], [9, 9], 0.0)


def test_no_interval_of_a_loss_leaves_what_is_possible():
    entries = [choice_of((4, 4), 110.0, 10.0, 9.0), choice_of((8, 8), 105.0, 100.0)]
    throughput, _, reward = best_choices(NvmMiddleware, [("alone", entry) for entry in entries])
    for choice, most in ((throughput, 100.0), (reward, 200.0)):
        assert choice["loss_interval"][0] < choice["loss_percent"] < choice["loss_interval"][1] <= most
    entries = [choice_of((4, 4), 110.0, -10.0, 200.0), choice_of((8, 8), 105.0, 1.0, 1.0)]
    *_, reward = best_choices(NvmMiddleware, [("alone", entry) for entry in entries])
    assert reward["loss_interval"][1] <= 200.0


@pytest.mark.parametrize(
    ("chosen", "reached", "percent"), [(4.0, 5.0, 20.0), (-98.0, 5.0, 105.102), (-100.0, -10.0, 90.0)]
)
def test_a_loss_of_reward_is_a_share_of_the_larger_one_whatever_the_signs(chosen, reached, percent):
    entries = [choice_of((1, 1), 9.0, chosen), choice_of((2, 2), 8.0, reached)]
    *_, reward = best_choices(NvmMiddleware, [("alone", entry) for entry in entries])
    assert (reward["measure"], reward["loss_percent"]) == ("reward", pytest.approx(percent, abs=0.001))
