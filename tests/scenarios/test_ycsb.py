"""YCSB: its choosers number for number, its mixes, and that seeds repeat."""

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.workloads import zipfian
from pmtwin.scenarios.nvm_middleware.workloads.ycsb import (
    INSERT,
    MAX_SCAN_RECORDS,
    MIXES,
    RECORD_BYTES,
    SCAN,
    generate,
    ycsb_class,
)
from pmtwin.sim.errors import InputError


def java_fnv_hash_64(value):
    """YCSB's Utils.fnvhash64, transcribed with Java's 64-bit arithmetic."""
    hashed = 0xCBF29CE484222325
    for _ in range(8):
        hashed = ((hashed ^ (value & 0xFF)) * 1099511628211) % 2**64
        value >>= 8
    signed = hashed - 2**64 if hashed >= 2**63 else hashed
    return abs(signed)


def java_next_zipfian(uniform, items, zeta_items):
    """YCSB's ZipfianGenerator.nextLong, transcribed."""
    theta = 0.99
    alpha = 1 / (1 - theta)
    zeta_2 = 1 + 0.5**theta
    eta = (1 - (2 / items) ** (1 - theta)) / (1 - zeta_2 / zeta_items)
    if uniform * zeta_items < 1:
        return 0
    if uniform * zeta_items < 1 + 0.5**theta:
        return 1
    return int(items * (eta * uniform - eta + 1) ** alpha)


def test_hash_is_that_of_ycsb():
    values = [0, 1, 2, 255, 256, 12345, 999_999, 9_999_999_999, 2**62 + 17]
    assert zipfian.fnv_hash_64(np.array(values)).tolist() == [java_fnv_hash_64(value) for value in values]
    assert int(zipfian.fnv_hash_64(np.array(0))) == 6284781860667377211  # YCSB's first key is user6284781860667377211


@pytest.mark.parametrize("items", [3, 10, 1000])
def test_ranks_are_those_of_ycsb(items):
    uniform = np.linspace(0, 1, 1001, endpoint=False)
    zeta = zipfian.zeta(items)
    expected = [java_next_zipfian(u, items, zeta) for u in uniform]
    assert zipfian.ranks(uniform, items, zeta).tolist() == expected
    assert max(expected) < items


def test_the_constant_of_the_scrambled_chooser_is_the_zeta_it_claims():
    head = zipfian.zeta(1_000_000)
    n, m, theta = zipfian.SCRAMBLED_ITEMS, 1_000_000, zipfian.THETA
    tail = (n ** (1 - theta) - m ** (1 - theta)) / (1 - theta) + 0.5 * (n**-theta - m**-theta)  # Euler-Maclaurin
    assert head + tail == pytest.approx(zipfian.SCRAMBLED_ZETA, rel=1e-9)


def test_scrambling_spreads_the_popular_items():
    records = zipfian.scrambled_zipfian(np.random.default_rng(0), 1000, 100_000)
    counts = np.bincount(records, minlength=1000)
    hottest = java_fnv_hash_64(0) % 1000
    assert counts.argmax() == hottest
    assert counts[hottest] / 100_000 == pytest.approx(1 / zipfian.SCRAMBLED_ZETA, rel=0.05)
    assert np.count_nonzero(counts) == 1000


def test_latest_prefers_what_was_just_inserted():
    drawn = generate("d", 50_000, seed=3, records=1000)
    present = 1000 + np.cumsum(drawn.operation == INSERT) - (drawn.operation == INSERT)
    reads = drawn.operation != INSERT
    age = (present - 1 - drawn.record)[reads]
    assert age.min() == 0
    assert np.bincount(age).argmax() == 0
    assert (drawn.record[~reads] == present[~reads]).all()


@pytest.mark.parametrize("letter", MIXES)
def test_sequences_have_the_mix_and_repeat_with_the_seed(letter):
    first, again = generate(letter, 20_000, seed=5, records=5000), generate(letter, 20_000, seed=5, records=5000)
    for name in ("operation", "record", "key", "scan_records", "size_bytes"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    shares = np.bincount(first.operation, minlength=5) / 20_000
    np.testing.assert_allclose(shares, MIXES[letter].shares, atol=0.01)
    inserted = np.cumsum(first.operation == INSERT)
    assert (first.record < 5000 + inserted).all()  # nothing is touched before it is there
    assert (first.key == zipfian.fnv_hash_64(first.record)).all()
    assert not (generate(letter, 20_000, seed=6, records=5000).record == first.record).all()


def test_scans_are_1_to_100_records():
    drawn = generate("e", 20_000, seed=0, records=1000)
    scans = drawn.scan_records[drawn.operation == SCAN]
    assert (scans.min(), scans.max()) == (1, MAX_SCAN_RECORDS)
    assert (drawn.scan_records[drawn.operation != SCAN] == 1).all()


@pytest.mark.parametrize(
    ("letter", "write_ratio", "gets_per_read", "gets_per_write"),
    [("a", 0.5, 1, 0), ("B", 0.05, 1, 0), ("c", 0, 1, 0), ("d", 0.05, 1, 0), ("e", 0.05, 50.5, 0), ("f", 0.5, 1, 1)],
)
def test_classes(letter, write_ratio, gets_per_read, gets_per_write):
    made = ycsb_class(letter)
    assert (made.write_ratio, made.gets_per_read, made.gets_per_write) == (write_ratio, gets_per_read, gets_per_write)
    assert made.rate_ops is None
    assert made.mean_size_bytes() == RECORD_BYTES


def test_only_scans_are_twin_only():
    assert [letter for letter, mix in MIXES.items() if mix.twin_only] == ["e"]


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="did you mean"):
        ycsb_class("aa")
    with pytest.raises(InputError):
        generate("a", -1, seed=0)
    with pytest.raises(InputError):
        generate("a", 1, seed=0, records=1)
    assert generate("d", 0, seed=0).record.size == 0
