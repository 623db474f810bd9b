"""Lines of a trace that were not used are counted with reason and first place; too many unreadable ones refuse it."""

import pytest

from pmtwin.scenarios.block_traces.left_out import NO_SIZE, LeftOut
from pmtwin.sim.errors import InputError

FAULT = InputError("size", "?", "a number", "t.csv, line 7")


@pytest.mark.parametrize(("lines", "refused"), [(100, True), (199, True), (200, False), (10**6, False)])
def test_one_line_in_a_hundred_may_be_unreadable(lines, refused):
    left_out = LeftOut()
    left_out.add(NO_SIZE, 50, "line 2")  # which can be read
    left_out.add_unreadable(FAULT, "line 7")
    left_out.add_unreadable(InputError("time", "x", "a number"), "line 9")
    assert str(left_out) == "50 of size 0, first line 2; 2 that cannot be read, first line 7 (size)"
    if not refused:
        left_out.check(lines)
        return
    with pytest.raises(InputError, match=r"t\.csv, line 7: size: '\?' is not accepted; allowed: a number") as raised:
        left_out.check(lines)
    assert ("at most 1 % of the lines may be others, here 2 of 199 are" in str(raised.value)) is (lines == 199)


def test_where_all_was_used_there_is_nothing_to_say():
    left_out = LeftOut()
    left_out.check(0)
    assert (str(left_out), left_out.rows) == ("", {})
