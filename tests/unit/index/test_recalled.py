"""When entries were recalled: a file that is tidied when there is something to throw away, and not at every end."""

import os

import pytest

from holdfast.disk import REAL
from holdfast.index.recalled import Recalled
from holdfast.model.moment import DAY_MS, iso

NOW = 1_767_225_600_000


def lines(count, time):
    return "".join(f'{{"id":"mem_{number:026d}","hour":"{iso(time)}"}}\n' for number in range(count))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "recalled.jsonl"


def tidied(path):
    """Whether the file was written anew."""
    before = os.stat(path).st_ino
    Recalled(str(path), REAL).tidy(NOW)
    return os.stat(path).st_ino != before


def test_a_large_file_of_which_everything_counts_is_left_alone(path):
    path.write_text(lines(5_000, NOW - DAY_MS))
    assert not tidied(path)


def test_a_large_file_that_begins_long_ago_loses_what_no_longer_counts(path):
    path.write_text(lines(5_000, NOW - 5 * DAY_MS) + lines(3, NOW - DAY_MS))
    assert tidied(path)
    assert path.read_text() == lines(3, NOW - DAY_MS)
    assert not tidied(path)


def test_a_large_file_whose_beginning_cannot_be_read_is_tidied(path):
    path.write_text("\0" * 300_000 + "\n" + lines(2, NOW))
    assert tidied(path)
    assert path.read_text() == lines(2, NOW)


def test_a_small_file_is_left_alone(path):
    path.write_text(lines(10, NOW - 5 * DAY_MS))
    assert not tidied(path)


def test_a_large_file_that_begins_in_the_future_is_tidied(path):
    """A clock was wrong once; nothing else would ever throw these lines away."""
    path.write_text(lines(5_000, NOW + 90 * DAY_MS) + lines(3, NOW))
    assert tidied(path)
