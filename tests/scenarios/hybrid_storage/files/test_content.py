"""The content of pages: every change of it is found."""

import numpy as np

from pmtwin.scenarios.hybrid_storage.files.content import WORDS, fill, is_right

VERSION = np.uint64(7)


def page(number=3, version=VERSION):
    words = np.zeros(WORDS, np.uint64)
    fill(words, number, version)
    return words


def test_a_page_is_right_for_its_number_and_version_alone():
    assert is_right(page(), 3, VERSION)
    assert not is_right(page(), 4, VERSION) and not is_right(page(), 3, np.uint64(8))


def test_any_bit_and_any_two_words_that_change_places_make_it_wrong():
    for place in range(WORDS):
        words = page()
        words[place] ^= np.uint64(1) << np.uint64(place % 64)
        assert not is_right(words, 3, VERSION)
    words = page()
    words[[10, 200]] = words[[200, 10]]
    assert not is_right(words, 3, VERSION)


def test_a_page_of_zeros_is_wrong_and_half_a_new_page_too():
    assert not is_right(np.zeros(WORDS, np.uint64), 0, np.uint64(0))
    torn = np.concatenate([page(version=np.uint64(8))[: WORDS // 2], page()[WORDS // 2 :]])
    assert not is_right(torn, 3, VERSION) and not is_right(torn, 3, np.uint64(8))
