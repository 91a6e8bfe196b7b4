"""Identifiers that are written in one, and the words in them."""

import pytest

from holdfast.text.humps import names, with_parts
from holdfast.text.words import searchable


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("maxRetryCount", ["max", "retry", "count"]),
        ("ImageThumbnailCache", ["image", "thumbnail", "cache"]),
        ("parseHTTPResponse", ["parse", "http", "response"]),
        ("parseISO8601Duration", ["parse", "iso", "8601", "duration"]),
        ("getUserById", ["get", "user", "by", "id"]),
        ("Retry", []),
        ("HTTP", []),
        ("TS2345", []),
        ("snake_case", []),
        ("xQ7rB9kZ", []),  # a code
        ("aB" * 50, []),
        ("", []),
    ],
)
def test_a_name_is_cut_where_its_case_rises(name, words):
    assert names(name) == ({name.lower(): words} if words else {})


def test_another_spelling_of_a_name_does_not_hide_it():
    assert names("OpenWeather, or OPENWEATHER") == {"openweather": ["open", "weather"]}


def test_names_are_found_in_a_text_and_in_what_is_joined():
    text = "Call api.fetchOrders() in src/httpClient.ts, not_fetchOnce; the Rest stays."
    assert names(text) == {
        "fetchorders": ["fetch", "orders"], "httpclient": ["http", "client"], "fetchonce": ["fetch", "once"],
    }  # fmt: skip


def test_a_text_without_names_is_indexed_as_it_is():
    assert with_parts("Ana said: HTTP is fine, TS2345 is not.") == "Ana said: HTTP is fine, TS2345 is not."


@pytest.mark.parametrize("text", ["set maxRetryCount to 3", "setze maxRetryCount auf drei, später"])
def test_the_words_of_a_name_stand_behind_the_text_so_that_phrases_in_it_stay_whole(text):
    assert searchable(text) == f"{text} max retry count"
