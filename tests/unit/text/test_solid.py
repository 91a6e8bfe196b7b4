"""Names with separators, and how they are written without."""

from time import process_time

import pytest

from holdfast.text.escapes import parted
from holdfast.text.solid import forms
from holdfast.text.words import searchable


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Wi-Fi", "wifi"),
        ("on-call", "oncall"),
        ("e-mail", "email"),
        ("user_id", "userid"),
        ("B-12", "b12"),
        ("UTF-8", "utf8"),
        ("ABC-123", "abc123"),
        ("WH-1000XM5", "wh1000xm5"),
        ("2-in-1", "2in1"),
        ("gpt-4.1", "gpt4.1"),  # the point of a number stays
        ("AS/400", "as400"),
        ("TCP/IP", "tcpip"),
        ("n/a", "na"),
        ("Ph.D", "phd"),
        ("Node.js", "nodejs"),
        ("978-3-16-148410-0", "9783161484100"),
        ("415-555-0137", "4155550137"),
        ("550e8400-e29b-41d4-a716-446655440000", "550e8400e29b41d4a716446655440000"),
        ("v2.3.1", "2.3.1"),
        ("65,000", "65000"),
        ("12,480.55", "12480.55"),
        ("1,25,000", "125000"),
        ("1.250,00", "1250.00"),
        ("250 ms", "250ms"),
        ("5 GB", "5gb"),
        ("2.5 kWh", "2.5kwh"),
        ("9:30 am", "9:30am"),
    ],
)
def test_a_name_is_written_without_its_separators(name, form):
    assert forms(name) == forms(f"say ({name}), or so.") == {form: name}


def test_of_a_version_with_more_behind_it_the_number_is_kept():
    assert list(forms("v2.3.1-beta")) == ["2.3.1"]


@pytest.mark.parametrize(
    "text",
    [
        "well-known self-care up-to-date mother-in-law so-so",
        "and/or he/she yes/no read/write red/blue",
        "e.g. i.e. U.S. fine.The end",
        "2024-03-05 3/4/2024 05.03.2024 05-Mar-2024 2024-03-05T10:30:00Z 2024_03_05",
        "12-year-old 3-bedroom 10-15 2019-2023 24/7 50/50 8/10 555-0137",
        "1.2.3 10.0.0.7 192.168.1.1/24 3.14 1.250 0.5",
        "src/auth/login-2.py ./ab-12 ~/ab-12 C:\\ab-12\\x a/b-12/c",
        "https://foo-b12.com/wi-fi www.ab-12.com me@ab-12.com ab-12@x.com package.json report-v2.pdf",
        "B--12 -B-12 B-12- __init__ x__y",
        "5 apples, room 5 a, gate 12 or 14 minsize, 3 more, 1 of 2, 5\nms",
        "1,2,3 1,22 1,0000 0,5",
        "a-1-b-2-c-3-d-4",  # of too many parts
        "größe-3 é-1 ж-12",  # the end of another word
        "a" * 70 + "-1",
        "",
    ],
)
def test_what_is_said_in_passing_or_would_be_another_thing_stays_as_it_is(text):
    assert forms(text) == {}
    assert len(searchable(text).split()) == len(parted(text).split())


def test_names_are_found_between_letters_that_are_written_without_spaces():
    assert forms("使用Wi-Fi连接") == {"wifi": "Wi-Fi"}


def test_the_forms_stand_behind_the_text_so_that_phrases_in_it_stay_whole():
    assert searchable("Wi-Fi for maxRetryCount, 65,000 times") == (
        "Wi-Fi for maxRetryCount, 65,000 times max retry count wifi 65000"
    )


def test_what_is_a_word_of_the_text_already_is_not_put_behind_it():
    assert searchable("Wi-Fi, or WIFI") == "Wi-Fi, or WIFI"
    assert searchable("Wi-Fi, or wifis") == "Wi-Fi, or wifis wifi"
    assert searchable("v2.3.1 is 2.3.1") == "v2.3.1 is 2.3.1"
    many = " ".join(f"B-{number}" for number in range(30))
    assert searchable(f"{many} b7").split()[31:] == [f"b{number}" for number in range(30) if number != 7]


def test_each_form_is_put_behind_once():
    assert searchable("Wi-Fi, wi-fi and Wi-Fi") == "Wi-Fi, wi-fi and Wi-Fi wifi"


@pytest.mark.parametrize(
    "piece",
    [
        "-",
        "a-",
        "a-b1 ",
        "1,000",
        "1,22",
        "1.",
        "a.",
        "v1.",
        "a/",
        "é-1",
        "1.250,00",
        "- ",
        "a",
        ",1",
        "_a",
        "5 ",
        "5 m",
        "1:1 ms ",
    ],
)
def test_hostile_texts_take_linear_time(piece):
    """A megabyte takes half a second; what is quadratic would take hours."""
    text = piece * (1_000_000 // len(piece))
    before = process_time()
    searchable(text)
    assert process_time() - before < 10


def test_many_different_names_take_linear_time():
    text = " ".join(f"a-{number}" for number in range(100_000))
    before = process_time()
    assert searchable(text).endswith(" a99999")
    assert process_time() - before < 20
