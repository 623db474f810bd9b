"""Validity warnings of a real system: alike ones are one reason, with the range of their values."""

from pmtwin.scenarios.validity_warnings import reasons


def test_warnings_that_differ_in_values_are_one_reason_with_their_range():
    late = "requests that came late: {}; allowed: at most 0"
    runs = [["", late.format(3), late.format(12)], [late.format(4), "3 requests failed"]]
    assert reasons(runs) == {
        "requests that came late: 3 to 12; allowed: at most 0": 3,
        "3 requests failed": 1,
    }


def test_values_that_are_no_numbers_are_all_shown():
    slow = "rate: {} ops/s; allowed: at least 10,000"
    assert reasons([[slow.format("1,200"), slow.format("9,200")]]) == {
        "rate: 1,200 ops/s, 9,200 ops/s; allowed: at least 10,000": 2
    }


def test_several_values_in_one_warning():
    both = "events a second: {}; allowed: at most 4e+04; times {{so}}: {}; allowed: at most 0"
    assert reasons([[both.format("4.1e+04", 1), both.format("5e+04", 1)]]) == {both.format("4.1e+04 to 5e+04", 1): 2}
