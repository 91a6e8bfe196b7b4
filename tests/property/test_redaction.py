"""Redaction finds a secret in any surroundings, changes nothing twice and never grows with the square."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.guard.redaction import WITHHELD, Redactor
from holdfast.guard.rules import RULES
from tests.unit.guard.families import Maker

REDACTOR = Redactor(bytes(range(32)))
ANCHORS = sorted({anchor for rule in RULES for anchor in rule.anchors})
PIECES = st.sampled_from(
    [
        *ANCHORS,
        *(anchor.upper() for anchor in ANCHORS),
        "=",
        ": ",
        '"',
        "'",
        "\\",
        "\\n",
        "%20",
        "@",
        ".",
        "-",
        " ",
        "\n",
        "is",
        "hunter2",
        "a1b2c3d4e5",
        "password",
        "token",
        "secret",
        "api_key",
        "[redacted:password:7f3a]",
        "://",
        "user:",
        "curl",
        "İ",
        "日",
    ]
)
TEXT = st.lists(PIECES | st.text(max_size=12), max_size=25).map("".join)
EDGES = st.text(st.sampled_from(" \n\t\"'(){}[],;<>|日é"), min_size=1, max_size=3)


@settings(deadline=None, max_examples=400)
@given(TEXT)
@example("password: [redacted:password:7f3a] token=[redacted:jwt:0000]")
@example("secret=postgres://u:hunter2@h")
def test_what_was_redacted_once_stays_as_it_is(text):
    once = REDACTOR.text(text)
    assert REDACTOR.text(once) == once


@settings(deadline=None, max_examples=200)
@given(TEXT)
def test_only_marks_are_new(text):
    shown = REDACTOR.text(text)
    if shown != WITHHELD:
        kept = [piece for piece in re.split(r"\[redacted:[a-z-]+:[0-9a-f]{4}\]", shown) if piece]
        place = 0
        for piece in kept:
            place = text.index(piece, place) + len(piece)


@settings(deadline=None, max_examples=150)
@given(seed=st.integers(0, 10_000), left=EDGES, right=EDGES, around=st.text(max_size=30))
def test_a_secret_is_found_in_any_surroundings(seed, left, right, around):
    for name, secret in Maker(seed).families().items():
        shown = REDACTOR.text(f"{around}{left}{secret}{right}{around}")
        assert secret not in shown
        assert f"[redacted:{name}:" in shown or "[redacted:" in around
