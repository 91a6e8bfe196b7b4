import pytest

from holdfast.text.tokens import estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fives", 2),
        ("日本語", 3),
        ("éé", 1),
        ("Привет", 3),
        ("กัน", 3),
        ("🙂", 2),
        ("\ud800", 1),
    ],
)
def test_a_token_is_four_ascii_letters_two_of_another_alphabet_or_one_cjk_character(text, tokens):
    assert estimate(text) == tokens
