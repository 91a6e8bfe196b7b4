"""Times as they are written, and read back."""

import pytest

from holdfast.model.moment import iso, millis

LAST = 253_402_300_799_999


@pytest.mark.parametrize("moment", [0, 1, 1_768_055_025_678, LAST - 1, LAST])
def test_a_time_reads_back_as_it_was_written(moment):
    assert millis(iso(moment)) == moment


@pytest.mark.parametrize(
    ("moment", "nearest"), [(-1, 0), (-(10**15), 0), (LAST + 1, LAST), (10**15, LAST), (2**63, LAST)]
)
def test_a_clock_off_the_calendar_is_written_as_the_nearest_moment_that_can_be_read(moment, nearest):
    assert millis(iso(moment)) == nearest
