"""The scan is linear: no text, however it was made, costs more than its length allows."""

import time
from contextlib import suppress

import pytest

from holdfast.guard.rules import GATES, RULES
from holdfast.guard.scan import TooHard, secret_name, spans

LENGTH = 24 * 1024
CASES = sorted({(anchor, rule.needs[:1]) for rule in RULES for anchor in rule.anchors})
FILLINGS = ["", "a", "=", "=a", '="a', "-", ":", "a1B2c3", "-a", "\\", "%20", "PRIVATE KEY-----\n", "a" * 500]


def seconds(text):
    started = time.process_time()
    with suppress(TooHard):
        spans(text)
    return time.process_time() - started


@pytest.mark.parametrize(("anchor", "needs"), CASES)
def test_a_text_made_to_be_slow_is_not(anchor, needs):
    # A pattern that backtracks takes minutes here; these take some hundredths of a second each.
    for filling in FILLINGS:
        for piece in {anchor + filling, anchor.upper() + filling}:
            assert seconds(" ".join(needs) + piece * (LENGTH // len(piece))) < 5


def test_a_megabyte_made_to_be_slow_is_given_up_early():
    assert seconds("pwd:" * 250_000) < 10


@pytest.mark.parametrize(
    "letter", ["a", "A", "0", "-", "_", " ", ".", ":", "/", "\\", '"', "=", "\n", "İ", "eyJ", "日"]
)
def test_one_letter_repeated_is_clean(letter):
    assert spans(letter * (LENGTH // len(letter))) == []


def test_dense_settings_are_searched_to_the_end():
    text = '{"key": "a", "token": "b", "secret": "c", "password": "d"}\n' * 8_000 + "password: hunter2"
    assert [text[start:end] for start, end, *_ in spans(text)] == ["hunter2"]


def test_spans_are_in_order_and_apart():
    text = 'token="abc123def456" then password: hunter2 then postgres://u:pw1234@h'
    found = spans(text)
    assert [text[start:end] for start, end, *_ in found] == ["abc123def456", "hunter2", "pw1234"]


def test_what_two_rules_take_is_one_span_named_by_the_first():
    text = "DATABASE_SECRET=postgres://user:hunter2@host"
    assert [(text[start:end], name) for start, end, name, _ in spans(text)] == [
        ("postgres://user:hunter2@host", "url-password")
    ]


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("password", "password"),
        ("dbPassword", "password"),
        ("PASSWORD_2", "password"),
        ("api_key", "key"),
        ("x-api-key", "key"),
        ("accessToken", "token"),
        ("secrets", "secret"),
        ("token_count", ""),
        ("tokenizer", ""),
        ("key", ""),
        ("keyboard", ""),
        ("passenger", ""),
        ("", ""),
    ],
)
def test_a_fields_name_tells_whether_it_holds_a_secret(field, name):
    assert secret_name(field) == name


def test_anchors_are_lower_case_and_every_rule_has_one():
    anchors = [anchor for _gate, found in GATES for anchor, _numbers in found]
    assert all(anchor == anchor.lower() for anchor in anchors)
    numbers = {number for _gate, found in GATES for _anchor, rules in found for number in rules}
    assert numbers == set(range(len(RULES)))
