"""Half precision in compiled code is that of NumPy, bit by bit."""

import numpy as np

from pmtwin.policies.network.half import from_half, half_bits


def test_all_numbers_come_back():
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = numbers[~np.isnan(numbers)]
    back = np.array([from_half(bits) for bits in finite.view(np.uint16)], np.float32)
    assert np.array_equal(back, finite.astype(np.float32))
    assert [half_bits(number) for number in back] == finite.view(np.uint16).tolist()
    assert np.isnan(from_half(half_bits(np.float32(np.nan))))


def test_others_are_rounded_to_the_nearest_of_equally_near_ones_to_the_even_one():
    random = np.random.default_rng(1)
    numbers = np.concatenate([
        random.normal(size=5000) * 2.0 ** random.integers(-30, 20, 5000),
        (np.arange(1000) + 0.5) * 2.0**-24,
        1.0 + (np.arange(200) + 0.5) * 2.0**-10,
        [65504.0, 65519.9, 65520.0, 1e30, -1e30, np.inf, 0.0, -0.0, 2.0**-14 - 2.0**-26],
    ]).astype(np.float32)  # fmt: skip
    with np.errstate(over="ignore"):
        expected = numbers.astype(np.float16)
    assert [half_bits(number) for number in numbers] == expected.view(np.uint16).tolist()
