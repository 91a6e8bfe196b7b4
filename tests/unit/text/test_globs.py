from time import process_time

import pytest

from holdfast.text import globs
from holdfast.text.globs import matches


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("d?ploy", "we Deploy now", True),
        ("d?ploy", "redeploy", False),
        ("*fix*", "a hotfixes list", True),
        ("dep*", "redeploy", False),
        ("?eploy", "we Deploy now", True),
        ("?eploy", "eploy redeploy", False),
        ("p*f*x*m*e*x", "prefix_middle_inner_suffix", True),
        ("p*f*x*m*e", "x marks it, prefix_middle_inner_suffix", False),
        ("*a**b*", "cabin", True),
        ("猫*", "我养了一只猫", True),  # where no spaces are written, a word begins anywhere
        ("แ*", "ฉันรักแมว" * 40, True),
        ("猫*", "我养了一只狗", False),
        ("deploy*", "run make_deploy_target", True),  # as `deploy` finds it
        ("make*target", "run make_deploy_target", True),
        ("make_d*", "run make_deploy_target", True),
        ("ploy*", "run make_deploy_target", False),
        ("resum*", "my Résumé", True),
        ("RÉS?MÉ", "my re\u0301sume\u0301", True),
    ],
)
def test_a_pattern_is_matched_word_by_word(pattern, text, found):
    assert matches(pattern, text) is found


def test_several_patterns_are_counted_in_one_go():
    assert globs.held("*ploy\nd?ploy\nredis*\nx?z", "Deploy the Redis cache, deploy") == 3
    assert globs.held("*ploy\nd?ploy", "nothing of the kind") == 0
    assert globs.held("*ploy\nd?ploy", "nothing of the kind") == 0
    assert globs.held("\u732b*\ncat*", "\u767d\u3044\u732b and a cat") == 2


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("strass*", "Straße"), ("straß?n", "Strassen"), ("של*", "שָׁלוֹם"), ("елк*", "ёлка"), ("σισ*", "ΣΊΣΥΦΟΣ")],
)
def test_spellings_of_one_word_are_matched(pattern, text):
    assert matches(pattern, text)


def test_wide_and_narrow_letters_are_letters():
    assert matches("a*3", "code ＡＢＣ１２３ stands")
    assert matches("カ*", "ｶﾀｶﾅ")


def test_a_pattern_that_another_thread_throws_away_is_made_again(monkeypatch):
    class Emptied(dict):
        def __contains__(self, pattern):
            there = super().__contains__(pattern)
            self.clear()
            return there

    monkeypatch.setattr(globs, "_patterns", Emptied())
    for _ in range(2):
        assert globs._compiled("d?ploy").match("deploy")


def test_a_pattern_of_very_many_stars_is_matched_in_linear_time():
    text = " ".join("a" * 120 + str(number) for number in range(100))
    began = process_time()
    assert not matches("*a" * 60 + "*b", text)
    assert not matches("*a?" * 40 + "*b", text)
    assert matches("*a" * 60 + "*", text)
    assert process_time() - began < 2
