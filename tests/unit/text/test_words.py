import unicodedata

import pytest

from holdfast.errors import Invalid
from holdfast.text.content import rooted
from holdfast.text.stopwords import STOP
from holdfast.text.words import (
    LONGEST_PATTERN,
    MOST_BESIDE,
    MOST_GLOBS,
    MOST_LETTERS,
    MOST_PREFIXES,
    QUERY_BYTES,
    QUERY_WORDS,
    searchable,
    tokens,
    words,
)


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How do I implement OAuth2?", ("implement", "oauth2")),
        ("what is OAuth2?", ("oauth2",)),
        ("The quick-brown FOX, jumped", ("quick", "brown", "fox", "jumped")),
        ("snake_case and camelCase", ("snake_case", "camelcase")),
        ("Wann wurde der Server für die Anmeldung gebaut", ("server", "anmeldung", "gebaut")),
        ("Was hat der Steuerberater gesagt?", ("steuerberater", "gesagt")),
        ("Was kostet die Heizung?", ("kostet", "heizung")),
        ("what was the die size?", ("die", "size")),
        ("die size in mm", ("die", "size", "mm")),
        ("what was on the hat?", ("hat",)),
        ("¿cómo se llama el servidor?", ("llama", "servidor")),
        ("¿Quién era el jefe sin contrato?", ("jefe", "contrato")),
        ("which son is in the car?", ("son", "car")),
        ("pourquoi on a plus de pain", ("pain",)),
        ("où est le serveur d'authentification", ("serveur", "authentification")),
        ("don't l'auth O'Brien's rock'n'roll", ("auth", "brien", "rock", "roll")),
        ("it isn’t Ana’s bug", ("ana", "bug")),
        ("it's the DB's port and Jo’s?", ("db", "port", "jo")),
        (
            "see https://shop.example/items?id=42&page=2",
            ("see", "https://shop.example/items", "https", "shop", "example", "items", "id", "42", "page", "2"),
        ),
        ("deploy deploy Deploy", ("deploy",)),
        ("हिन्दी भाषा", ("हिन्दी", "भाषा")),
        ("cafe\u0301", ("cafe\u0301",)),
        ("**bold** src/**/*.py **kwargs", ("bold", "src", "py", "kwargs")),
        ("___ - __init__", ("__init__",)),
    ],
)
def test_a_question_gives_its_words_without_stop_words_each_once(question, terms):
    found = words(question)
    assert found.terms == terms
    assert (found.prefixes, found.globs) == ((), ())


@pytest.mark.parametrize(
    ("question", "terms"), [("the who", ("the", "who")), ("don't", ("don", "t")), ("Is it?", ("is", "it"))]
)
def test_stop_words_are_kept_when_nothing_else_remains(question, terms):
    assert words(question).terms == terms


@pytest.mark.parametrize("word", ["die", "war", "bin", "todo", "son", "sin", "car", "des"])
def test_a_foreign_stop_word_that_means_something_in_english_is_a_word(word):
    assert words(f"the {word} here").terms == (word,)


@pytest.mark.parametrize("nothing", ["", "   ", "?!", "***", "* ?", "\x00\x01", "\ud800", "___", "'", "🙂"])
def test_a_question_without_words_is_empty(nothing):
    assert words(nothing).empty


@pytest.mark.parametrize(
    ("question", "prefixes", "globs"),
    [
        ("deploy*", ("deploy",), ()),
        ("the dep* fix*", ("dep", "fix"), ()),
        ("d?ploy", (), ("d?ploy",)),
        ("*fix*", (), ("*fix*",)),
        ("DE*OY", (), ("de*oy",)),
        ("really? d?ploy?", (), ("d?ploy",)),
        ("snake_case_*", ("snake_case_",), ()),
        ("日*", ("日",), ()),
    ],
)
def test_a_star_at_the_end_is_a_prefix_and_elsewhere_a_glob(question, prefixes, globs):
    found = words(question)
    assert (found.prefixes, found.globs) == (prefixes, globs)


def test_of_very_many_prefixes_those_beyond_some_are_words():
    many = [f"word{number}" for number in range(3 * MOST_PREFIXES)]
    found = words(" ".join(word + "*" for word in many))
    assert (found.prefixes, found.terms) == (tuple(many[:MOST_PREFIXES]), tuple(many[MOST_PREFIXES:]))


def test_in_a_text_nothing_is_a_pattern():
    text = "Is it deployed?Then tell me about int *next and depl* too. " + " ".join(
        f"word{n}" for n in range(MOST_BESIDE)
    )
    found = words(text)
    assert (found.prefixes, found.globs) == ((), ())
    assert {"deployed", "next", "depl", "word31"} <= set(found.terms)


def test_patterns_alone_are_meant_however_many():
    many = [f"a{n}?c" for n in range(MOST_BESIDE)] + ["depl*"]
    found = words(" ".join(many))
    assert (len(found.globs), found.prefixes) == (MOST_GLOBS, ("depl",))


def test_a_pattern_may_have_any_number_of_stars():
    assert words("alpha*beta*gamma*delta*epsilon*zeta").globs == ("alpha*beta*gamma*delta*epsilon*zeta",)
    assert words("*e*l*o*").globs == ("*e*l*o*",)


def test_what_has_more_letters_than_words_may_have_is_no_pattern():
    longest = "ab*" * (LONGEST_PATTERN // 2) + "?"
    assert words(longest + "*c").globs == ()
    assert words(longest[3:] + "*c").globs == (longest[3:] + "*c",)


@pytest.mark.parametrize(
    ("question", "globs"), [("?eploy", ("?eploy",)), ("??ploy it", ("??ploy",)), ("?e*y", ("?e*y",))]
)
def test_a_question_mark_before_letters_stands_for_one(question, globs):
    assert words(question).globs == globs


@pytest.mark.parametrize(
    "question",
    ["why deploy?", "deploy ?", "deploy ??", "\xbfdeploy?", "?deploy?", "??deploy??", "deploy?!", "?deploy=1"],
)
def test_a_question_mark_that_asks_is_no_pattern(question):
    assert (words(question).globs, "deploy" in words(question).terms) == ((), True)
    assert words("\u771f\u7684 ?\u6211\u4e0d").globs == ()


@pytest.mark.parametrize(
    ("question", "terms", "globs"),
    [
        ("when do we *not* deploy?", ("deploy",), ()),
        ("what did *I* say of the garden", ("garden",), ()),
        ("*the annual review", ("annual", "review"), ()),
        ("sales in the *US*", ("sales", "us"), ()),
        ("*is* it?", ("is", "it"), ()),
        ("*not*", (), ("*not*",)),
        ("*not* *not", (), ("*not*",)),
        ("a *notable* day", ("day",), ("*notable*",)),
    ],
)
def test_stars_around_a_small_word_stress_it_unless_it_is_all_that_is_asked(question, terms, globs):
    found = words(question)
    assert (found.terms, found.globs) == (terms, globs)


def test_no_question_has_more_patterns_than_that_however_many_words_it_stresses():
    found = words(" ".join(f"*{word}*" for word in sorted(STOP) if word.isascii() and word.isalpha()))
    assert len(found.globs) <= MOST_GLOBS


def test_only_so_many_globs_are_looked_for_and_the_rest_are_words():
    found = words(" ".join(f"a?b{number}" for number in range(MOST_GLOBS + 1)))
    assert len(found.globs) == MOST_GLOBS
    assert found.terms == (f"b{MOST_GLOBS}",)


@pytest.mark.parametrize("hostile", ['" OR 1 --', "NEAR(a b)", "text:secret", "a AND NOT b", "^a + {b}", "a\x00b\"c'"])
def test_operators_and_quotes_of_a_query_language_mean_nothing(hostile):
    found = words(hostile)
    assert all(word.replace("_", "a").isalnum() for word in (*found.terms, *found.prefixes))


def test_ideographs_of_a_run_are_looked_for_alone_too_but_for_those_of_every_sentence():
    assert words("我喜歡東京塔").terms == ("我喜", "喜歡", "歡東", "東京", "京塔")
    assert words("我喜歡東京塔").letters == ("喜", "歡", "東", "京", "塔")
    assert words("ひらがな 서울 塔").letters == ()


@pytest.mark.parametrize(("ideographs", "alone"), [(MOST_LETTERS, MOST_LETTERS), (MOST_LETTERS + 1, 0), (2000, 0)])
def test_of_many_ideographs_only_the_pairs_are_looked_for(ideographs, alone):
    found = words("".join(chr(0x5000 + 7 * n) for n in range(ideographs)))
    assert len(found.letters) == alone
    assert len(found.terms) == min(ideographs - 1, QUERY_WORDS)


def test_an_arabic_prefix_is_a_pattern_since_words_are_cut_where_they_begin():
    found = words("القه* deploy*")
    assert (found.prefixes, found.globs) == (("deploy",), ("القه*",))


def test_of_very_many_words_those_at_both_ends_count():
    half = QUERY_WORDS // 2
    found = words(" ".join(f"w{number}" for number in range(1000)))
    assert found.terms == tuple(f"w{number}" for number in (*range(half), *range(1000 - half, 1000)))
    assert words("the " * 5000 + "kite").terms == ("kite",)
    assert "kite" in words("kite " + " ".join(f"w{number}" for number in range(9000))).terms
    assert len(words("".join(chr(0x4E00 + n) for n in range(2000))).terms) == QUERY_WORDS


def test_a_question_over_100_kib_is_invalid():
    assert words("a" * QUERY_BYTES).terms
    with pytest.raises(Invalid, match="at most 102400") as caught:
        words("é" * (QUERY_BYTES // 2 + 1))
    assert caught.value.details["field"] == "query"


@pytest.mark.parametrize("given", [None, 7, b"bytes", ["list"]])
def test_a_question_that_is_no_text_is_invalid(given):
    with pytest.raises(Invalid, match="query must be text"):
        words(given)


@pytest.mark.parametrize(
    ("text", "indexed"),
    [
        ("plain ASCII_text, untouched!\n", "plain ASCII_text, untouched!\n"),
        ("Ünïcode — “quoted” Ελληνικά", "Ünïcode — “quoted” Ελληνικα"),
        ("日本語", " 日本 本語 日 本 語 "),
        ("OAuth2認証!", "OAuth2 認証 認 証 !"),
        ("ひらがな", " ひら らが がな な "),  # kana mean nothing alone
        ("猫", " 猫 "),
        ("กัน", " กัน น "),  # a mark stays with its letter
        ("서울", " 서울 울 "),
        ("𠀀𠀁", " 𠀀𠀁 𠀀 𠀁 "),
        ("والقهوة الساخنة", "قهو ساخن"),
        ("pizza🤗 数据🤔库", "pizza   数据 数 据   库 "),
    ],
)
def test_runs_without_spaces_are_indexed_as_pairs_and_all_else_as_it_stands(text, indexed):
    assert searchable(text) == indexed


@pytest.mark.parametrize(
    ("question", "terms", "prefixes"),
    [
        ("日本語の認証", ("日本", "本語", "語の", "の認", "認証"), ()),
        ("の", (), ("の",)),
        ("猫", ("猫",), ()),  # which is indexed alone
        ("แ", (), ("แ",)),  # any other letter is found at the beginning of any pair
        ("日本語*", ("日本", "本語"), ()),
        ("OAuth2の認証", ("の認", "認証", "oauth2"), ()),
        ("GitHubのissue", ("github", "issue"), ()),  # a particle alone is a stop word
        ("ภาษา", ("ภา", "าษ", "ษา"), ()),
    ],
)
def test_a_question_is_cut_to_the_same_pairs(question, terms, prefixes):
    found = words(question)
    assert (found.terms, found.prefixes) == (terms, prefixes)


def test_tokens_are_the_words_as_they_stand():
    assert tokens("The Café, naïve x_1") == ["The", "Café", "naïve", "x_1"]


@pytest.mark.parametrize(
    ("question", "term"), [("do we use SES?", "ses"), ("which log dir?", "dir"), ("sa login", "sa")]
)
def test_terms_of_developers_are_looked_for(question, term):
    assert term in words(question).terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("데이터", unicodedata.normalize("NFD", "데이터")),
        ("バックアップ", unicodedata.normalize("NFD", "バックアップ")),
        ("サーバー", "ｻｰﾊﾞｰ"), ("ABC123", "ＡＢＣ１２３"), ("שלום", "שָׁלוֹם"), ("елка", "ёлка"), ("κωδικος", "κωδικός"),
        ("strasse", "straße"), ("\u0439", "\u0438\u0306"), ("efficient", "eﬃ\u00adcient"), ("signing", "sign\u2060ing"),
        ("CO2", "CO₂"), ("km2", "km²"), ("10-9", "10-⁹"),
        ("\u09ac\u09be\u09dc\u09bf", "\u09ac\u09be\u09a1\u09bc\u09bf"),
        ("\u095e", "\u092b\u093c"), ("\u09cb", "\u09c7\u09be"), ("\u0915\u094d\u0937", "\u0915\u094d\u200d\u0937"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_meet(one, other):
    assert searchable(one) == searchable(other)
    assert [rooted(term) for term in words(one).terms] == [rooted(term) for term in words(other).terms]
    assert rooted(searchable(other)) == searchable(other)


@pytest.mark.parametrize(
    ("one", "other"), [("कि", "की"), ("ली", "लिया"), ("चाय", "चीय"), ("বাংলা", "বলি"), ("மொழி", "மழ")]
)
def test_words_of_india_keep_their_vowels(one, other):
    assert searchable(one) != searchable(other)
    assert all(letter.isalpha() for letter in searchable(one))


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How many nodes does the ES cluster have?", ("nodes", "es", "cluster")),
        ("sales in the US", ("sales", "us")),
        ("Who leads IT?", ("leads", "it")),
        ("Which Go version is it?", ("go", "version")),
        ("What did Will say?", ("will",)),
        ("do NOT deploy ALL of it", ("deploy",)),
        ("Will it deploy?", ("deploy",)),
        ("WHO HAS THE KEY TO US", ("key",)),
        ("es un cluster", ("cluster",)),
    ],
)
def test_a_stop_word_that_is_written_as_a_name_is_one(question, terms):
    assert words(question).terms == terms
