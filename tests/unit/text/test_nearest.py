import pytest

from holdfast.text.nearest import did_you_mean, nearest

KNOWN = ("tags", "types", "importance", "references")


@pytest.mark.parametrize(
    ("given", "found"),
    [("tagz", "tags"), ("Tag", "tags"), ("importence", "importance"), ("zzz", None), ("", None), ("x" * 10_000, None)],
)
def test_the_nearest_known_name_is_found_if_one_is_near(given, found):
    assert nearest(given, KNOWN) == found


def test_the_question_is_put_only_when_there_is_an_answer():
    assert did_you_mean("reference", KNOWN) == ', did you mean "references"?'
    assert did_you_mean("qqqq", KNOWN) == ""
    assert did_you_mean("anything", ()) == ""
