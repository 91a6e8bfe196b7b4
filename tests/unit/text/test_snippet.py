from collections.abc import Sequence

import pytest

from holdfast.text.snippet import Marks, highlight, snippet

FILLER = "lorem ipsum dolor sit amet "


def shown(text, term):
    return [text[start:end] for start, end in highlight(text, [term])]


def test_a_short_text_is_its_own_snippet():
    assert snippet("We deployed it.", ["deploy"]) == "We deployed it."


def test_the_snippet_shows_where_most_terms_stand_together():
    text = "deploy " + FILLER * 40 + "we deployed the authorization server " + FILLER * 40 + "server"
    shown = snippet(text, ["deploy", "authorize", "server"], 120)
    assert "deployed the authorization server" in shown
    assert len(shown) <= 120
    assert (shown[0], shown[-1]) == ("…", "…")


def test_cuts_fall_between_words():
    text = FILLER * 20 + "needle " + FILLER * 20
    inner = snippet(text, ["needle"], 100).strip("…")
    assert set(inner.split()) <= set(text.split())


def test_without_a_term_the_beginning_is_shown():
    shown = snippet(FILLER * 50, ["absent"], 60)
    assert shown.startswith("lorem ipsum")
    assert shown.endswith("…")
    assert not shown.startswith("…")


def test_a_term_at_either_end_needs_one_mark_only():
    assert snippet("needle " + FILLER * 50, ["needle"], 60).startswith("needle")
    assert snippet(FILLER * 50 + "needle", ["needle"], 60).endswith("needle")


def test_the_limit_is_700_by_default_and_holds_for_a_word_longer_than_it():
    assert 600 < len(snippet(FILLER * 100, ["dolor"])) <= 700
    assert len(snippet("x" * 5000, ["x"])) <= 700


def test_a_script_without_spaces_is_shown_around_its_pairs():
    shown = snippet("日本語の文章" * 300 + "認証コード" + "あいう" * 300, ["認証", "証コ"], 60)
    assert "認証コ" in shown
    assert len(shown) <= 60


@pytest.mark.parametrize(
    ("term", "marked"),
    [
        ("deploy", ["deployed", "deployments", "Deploy"]),
        ("deployment", ["deployed", "deployments", "Deploy"]),
        ("run", ["running"]),
        ("quick", []),
    ],
)
def test_a_term_marks_its_inflections(term, marked):
    text = "We deployed; deployments are running. Deploy! redeploy pruned"
    assert shown(text, term) == marked


def test_a_word_of_three_letters_marks_its_inflections_and_no_other_words():
    text = "a car, cars, cargo, carbon; run, runs, running, runner, runway; big bigger bigot"
    assert shown(text, "car") == ["car", "cars"]
    assert shown(text, "run") == ["run", "runs", "running", "runner"]
    assert shown(text, "big") == ["big", "bigger"]


@pytest.mark.parametrize("text", ["cafe\u0301", "ก\u0e31", "กิ"])
def test_a_mark_never_ends_within_a_character(text):
    assert shown(text + " x", text[:-1]) == [text]


@pytest.mark.parametrize(
    ("term", "marked"),
    [("go", ["go", "goes", "going"]), ("b", ["b"]), ("1", ["1"]), ("192", ["192"]), ("db", ["DBs"]), ("v2", ["v2"])],
)
def test_a_short_word_or_a_number_marks_no_longer_ones(term, marked):
    assert shown("go goes going goal, a b bad; 1 17 192 1920 DBs v2 v2x", term) == marked


@pytest.mark.parametrize("text", ["the CO₂ meter", "the CO² meter", "the CO2 meter"])
def test_digits_above_and_below_the_line_are_marked_as_others_are(text):
    assert [text[start:end] for start, end in highlight(text, ["co2"])] == [text[4:7]]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("in der Hauptstraße", "hauptstrasse"), ("in der Hauptstrasse", "hauptstraße"), ("an eﬃcient one", "efficient"),
        ("Ο ΣΊΣΥΦΟΣ", "σισυφος"), ("новая ёлка", "елка"), ("weiße Straße", "stra*"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_are_marked(text, term):
    (word,) = shown(text, term)
    assert word in text.split()


@pytest.mark.parametrize("term", ["resume", "résumé", "re\u0301sume\u0301", "RESUME", "resum*", "r?sumé"])
@pytest.mark.parametrize(
    "text", ["my résumé here", "my re\u0301sume\u0301 here", "my Resume here", "my re\u00adsume here"]
)
def test_accents_do_not_matter(text, term):
    assert shown(text, term) == [text[3:-5]]


@pytest.mark.parametrize(
    ("term", "marked"),
    [
        ("deploy", ["deploy", "Deployment"]),
        ("deploy_target", ["deploy_target"]),
        ("dep*", ["deploy_target", "Deployment"]),
        ("d?ploy*", ["deploy_target", "Deployment"]),
        ("*ment", ["Deployment"]),
        ("m*y_t*get", ["make_deploy_target"]),
        ("d?p", []),
        ("猫*", ["猫"]),
        ("我*猫", ["我养了一只猫"]),
    ],
)
def test_a_pattern_marks_what_it_matches_and_underscores_part_words(term, marked):
    assert shown("make_deploy_target, a Deployment. 我养了一只猫", term) == marked


def test_a_snippet_shows_where_a_pattern_matches():
    assert "deployments" in snippet(FILLER * 60 + "deployments " + FILLER * 60, ["d?ploy*"], 100)


def test_a_pattern_takes_no_time_however_long_a_word_is():
    assert highlight("a_" * 20_000 + "ab" * 20_000, ["*a*b*c"]) == []


def test_overlapping_pairs_are_one_mark():
    assert highlight("日本語", ["日本", "本語"]) == [(0, 3)]


def test_marks_are_in_order_and_apart():
    spans = highlight("alpha beta alpha gamma", ["gamma", "alpha", "beta"])
    assert spans == sorted(spans)
    assert spans == [(0, 5), (6, 10), (11, 16), (17, 22)]


@pytest.mark.parametrize("terms", [[], [""], ["(?P<", "a|b", "\\"], ["[z-a]"]])
def test_terms_are_never_patterns(terms):
    assert highlight("plain (?P< words", terms) in ([], [(6, 10)])
    assert snippet(FILLER * 50, terms, 50).endswith("…")


def test_marks_are_what_highlighting_finds_and_can_be_used_like_a_tuple():
    marks = Marks("We deployed it; deploy again.", ["deploy"])
    places = ((3, 11), (16, 22))
    assert marks == places
    assert (marks[0], marks[1:], len(marks), list(marks)) == (places[0], places[1:], 2, list(places))
    assert (hash(marks), repr(marks)) == (hash(places), repr(places))
    assert marks == Marks("We deployed it; deploy again.", ["deploy"])
    assert marks != Marks("We deployed it", ["deploy"])
    assert not Marks("nothing here", ["deploy"])
    assert isinstance(marks, Sequence)
    assert (marks.index(places[1]), marks.count(places[0]), list(reversed(marks))) == (1, 1, list(reversed(places)))


@pytest.mark.parametrize(
    ("term", "marked"), [("القهوة", ["قهوة", "والقهوة", "قَهْوَة"]), ("قهوة", ["قهوة", "والقهوة", "قَهْوَة"]), ("شاي", [])]
)
def test_an_arabic_word_marks_its_other_forms(term, marked):
    text = "شربت قهوة والقهوة قَهْوَة گقهوة"
    assert [text[start:end] for start, end in highlight(text, [term])] == marked


@pytest.mark.parametrize(
    ("text", "terms", "marked"),
    [
        ("我们使用PostgreSQL存储会话", ("postgresql",), ["PostgreSQL"]),
        ("パスワードは90日ごとに変更", ("90", "日"), ["90日"]),
        ("GitHubのissueを見る", ("issue", "github"), ["GitHub", "issue"]),
        ("数据库db的端口", ("db",), ["db"]),
        ("code ＡＢＣ１２３ stands", ("abc123",), ["ＡＢＣ１２３"]),
        ("Überdeployment und Deployment", ("deploy",), ["Deployment"]),
    ],
)
def test_words_amid_scripts_without_spaces_are_marked(text, terms, marked):
    assert [text[start:end] for start, end in highlight(text, terms)] == marked


def test_names_that_a_text_has_with_separators_are_marked():
    text, terms = "The Wi-Fi in B-12 costs 65,000 for 250 ms, no wifi without", ("wifi", "b12", "65000", "250ms")
    marked = [text[start:end] for start, end in highlight(text, terms)]
    assert marked == ["Wi-Fi", "B-12", "65,000", "250 ms", "wifi"]


def test_a_name_with_separators_is_marked_where_it_stands_alone():
    assert shown("Vitamin B-12, not B-120 nor AB-12, and B-12.", "b12") == ["B-12", "B-12"]
