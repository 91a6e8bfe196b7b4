"""Colours, codes and breaks that programs write into text: words are found, seen and shown without them."""

from time import process_time

import pytest

import holdfast
from holdfast.text.escapes import blanked, uncoloured, unescaped
from holdfast.text.globs import matches
from holdfast.text.snippet import highlight
from holdfast.text.view import view
from holdfast.text.words import searchable, tokens, words

COLOURED = "\x1b[31m\x1b[1mfailed\x1b[0m tests/tax.py"
LOG = "2025-03-31T23:59:58Z exporter cut 120 rows"
KEPT = r'{"stdout": "building image\nerror: quota exceeded\n\tretrying", "by": "M\u00fcller"}'


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (COLOURED, "failed tests/tax.py"),
        ("max\x1b[01;31m\x1b[KRetry\x1b[m\x1b[KCount", "maxRetryCount"),
        ("50%\x1b[2K\x1b[1Gdone", "50% done"),
        (r"\u001b[33mwarning\u001b[39m and \x1b[2Kgone \033[1mtoo", "warning and gone too"),
        (r"caf\u00e9 \u65e5\u672c", "café 日本"),
        (r"a\ud83d\ude00b \ud83d c\u0000d\u003ce", "a😀b � c d e"),
        (r"exceeded\nerror: none\tleft\r\nover", r"exceeded\nerror error: none\tleft left\r\nover over"),
        (r"C:\new\Temp", r"C:\new ew\Temp"),
        (r"\nError \n\n \d+\.", r"\nError \n\n \d+\."),
        ("2025-03-31T23:59:58Z WARN", "2025-03-31 23:59:58 WARN"),
        ("at 2025-03-31T23:59:58.123+02:00, 2025-04-01T00:00", "at 2025-03-31 23:59:58.123+02:00, 2025-04-01 00:00"),
        ("plain T1 T2", "plain T1 T2"),
        ("Infor-\n  mation, über-\r\nall", "Infor-\n  mation Information, über-\r\nall überall"),
        ("- one-\n- two 1-\n2 a-\nb north-\nSouth", "- one-\n- two 1-\n2 a-\nb north-\nSouth"),
    ],
)
def test_a_text_is_read_without_what_only_programs_read(text, read):
    assert unescaped(text) == read


def test_every_word_is_indexed_by_itself():
    assert "failed" in tokens(searchable(COLOURED))
    assert {"error", "retrying", "Müller"} <= set(tokens(searchable(KEPT)))
    assert {"new", "temp"} <= set(tokens(searchable(r"C:\new\temp")))


def test_a_day_and_a_time_of_day_are_found_in_a_moment_and_a_moment_as_both():
    assert {"31", "23", "58"} <= set(tokens(searchable("2025-03-31T23:59:58Z")))
    assert words("since 2025-03-31T23:59:58Z").terms == ("2025-03-31", "23:59:58")


@pytest.mark.parametrize(
    "text", ["a" * 300_000 + "-\n", "ab-\n" * 60_000, "\x1b[" * 60_000, "\\u00e9" * 30_000, "\\n" * 90_000]
)
def test_no_text_takes_long(text):
    started = process_time()
    unescaped(text), blanked(text)
    assert process_time() - started < 1


def test_a_vector_sees_the_words_and_no_colours():
    assert view(COLOURED, "Ana") == "Ana: failed tests/tax.py"


def test_a_pattern_finds_the_word():
    assert matches("fai?ed", COLOURED)
    assert matches("retr*", KEPT)


@pytest.mark.parametrize(
    ("text", "term"),
    [(COLOURED, "failed"), (KEPT, "error"), (KEPT, "retrying"), (r"C:\new\temp", "new"), (LOG, "23:59:58")],
)
def test_the_word_is_marked_where_it_stands(text, term):
    assert [text[start:end] for start, end in highlight(text, [term])] == [term]


def test_what_is_blanked_stays_as_long():
    assert blanked("plain") is None
    assert blanked(r"a regular \d+") is None
    assert len(blanked(COLOURED) or "") == len(COLOURED)


def test_only_what_a_terminal_obeys_is_taken_out_of_what_is_quoted():
    assert uncoloured(COLOURED + r" C:\new") == r"failed tests/tax.py C:\new"


@pytest.mark.parametrize("embedder", ["builtin", "none"])
def test_coloured_output_and_output_in_json_are_found_by_their_words(tmp_path, embedder):
    with holdfast.open(tmp_path / "home", embedder=embedder) as memory:
        memory.add_many([{"text": text} for text in (COLOURED, KEPT, LOG, "The dog barks")])
        asked = (("failed", COLOURED), ("retrying", KEPT), ("Müller", KEPT), ("error quota", KEPT), ("23:59:58", LOG))
        for question, text in asked:
            best = memory.search(question).hits[0]
            assert (best.text, best.score > 0.8) == (text, True)
        assert "] failed tests/tax.py" in memory.context("what failed?").text


def test_what_was_indexed_without_escapes_is_forgotten_with_them(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        ids = [
            memory.add(text).id for text in ("\x1b[31munquestionable\x1b[0m", r"so\nunmistakably M\u00fcllerstrasse")
        ]
        memory.search("unquestionable")
        assert memory.forget(ids).clean
        assert memory.search("unquestionable unmistakably").hits == ()
    said = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).lower()
    assert b"questionable" not in said
    assert b"mistakably" not in said
    assert b"llerstrasse" not in said
