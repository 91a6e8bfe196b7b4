import json
import re
from urllib.parse import quote

import pytest

from holdfast.errors import Invalid
from holdfast.guard.redaction import WITHHELD, Redactor, identifier
from holdfast.guard.validate import draft
from holdfast.model.card import Card
from holdfast.model.value import FrozenDict
from tests.unit.guard.families import UPPER, Maker

KEY = bytes(range(32))
REDACTOR = Redactor(KEY)
FAMILIES = Maker().families()
OTHERS = Maker().others()
PLACE = {"scope": "user", "session_id": None, "user_id": "ana", "workspace": None, "now": 1_767_225_600_000}


def marked(name):
    return re.compile(rf"\[redacted:{name}:[0-9a-f]{{4}}\]")


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("around", ["{}", "use {} now", "({})", "a\n{}\nb", 'x="{}"', "key is `{}`.", "→{}←"])
def test_every_family_is_replaced_wherever_it_stands(name, around):
    secret = FAMILIES[name]
    shown = REDACTOR.text(around.format(secret))
    assert secret not in shown
    assert marked(name).search(shown)
    assert re.sub(r"\[redacted:[^]]*\]", "{}", shown) == around


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_replaced_within_json_that_was_escaped_once_or_twice(name):
    secret = FAMILIES[name]
    once = json.dumps({"note": f"line\n{secret}\tand\n{secret}"})
    for text in (once, json.dumps(once)):
        shown = REDACTOR.text(text)
        assert secret not in shown
        assert len(marked(name).findall(shown)) == 2


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_replaced_within_a_url(name):
    secret = FAMILIES[name]
    shown = REDACTOR.text(quote(f"a b={secret}&c") + f"&x={secret}&y=1")
    assert secret not in shown


@pytest.mark.parametrize(("name", "around", "secret"), OTHERS, ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(OTHERS)])
def test_what_stands_beside_a_secret_gives_it_away(name, around, secret):
    shown = REDACTOR.text(around.format(secret))
    assert marked(name).search(shown), shown
    assert not any(piece in shown for piece in (secret, secret[-12:], secret[:12]) if len(piece) > 5)


@pytest.mark.parametrize(
    "text",
    [
        r"{\"user\": \"ana\", \"password\": \"hunter2\"}",
        r"{\\\"password\\\": \\\"hunter2\\\"}",
        "%7B%22password%22%3A%22hunter2%22%7D",
        "user%3Dana%26password%3Dhunter2%26x%3D1",
        r"{\"url\": \"postgres:\/\/app:hunter2@db\"}",
        "postgres%3A%2F%2Fapp%3Ahunter2%40db",
        r'{"password":"hunter2","x":1}',
        "password\\u003dhunter2",
    ],
)
def test_passwords_are_found_in_escaped_and_encoded_text(text):
    shown = REDACTOR.text(text)
    assert "hunter2" not in shown
    assert "[redacted:" in shown


def test_a_secret_longer_than_any_pattern_leaves_no_tail():
    for text in ("token = '" + "a1B2" * 2000 + "'", "sk" + "-" + "a1B2" * 1000, "Bearer " + "Zz9" * 900):
        assert len(REDACTOR.text(text)) < 80


def test_equal_secrets_look_equal_and_others_do_not():
    one, two = Maker(1).families()["github-token"], Maker(2).families()["github-token"]
    first, again, other = REDACTOR.text(f"{one} {one} {two}").split()
    assert first == again != other


def test_another_home_gives_another_mark():
    secret = FAMILIES["github-token"]
    assert REDACTOR.text(secret) != Redactor(bytes(32)).text(secret)


def test_a_secret_in_a_secrets_place_is_named_by_its_family():
    assert REDACTOR.text(f"token={FAMILIES['github-token']}").startswith("token=[redacted:github-token:")


def test_marks_are_left_alone():
    text = " ".join(REDACTOR.text(around.format(secret)) for _, around, secret in OTHERS)
    assert REDACTOR.text(text) == text


def test_a_made_up_mark_hides_nothing():
    secret = FAMILIES["github-token"]
    assert secret not in REDACTOR.text(f"[redacted:{secret}:0000]")


def test_text_that_would_take_too_long_is_withheld():
    assert REDACTOR.text("pwd:" * 250_000) == WITHHELD


def test_capital_letters_that_become_two_do_not_shift_what_is_replaced():
    secret = FAMILIES["github-token"]
    shown = REDACTOR.text(f"İİİ {secret} İİ")
    assert (shown[:4], shown[-3:]) == ("İİİ ", " İİ")
    assert secret not in shown


def test_a_json_value_is_redacted_in_names_and_values_and_by_the_names():
    secret = FAMILIES["github-token"]
    value = {
        "note": f"see {secret}",
        secret: 1,
        "list": [secret, 2, None, True],
        "password": "hunter2",
        "pwd": 1234,
        "apiKey": "abcd1234efgh",
        "nested": {"db_password_2": "tiger", "token_count": 5, "passwords": ["one1!", "two2!"]},
    }
    shown = REDACTOR.value(value)
    text = json.dumps(shown)
    assert not [word for word in (secret, "hunter2", "1234", "tiger", "one1", "two2") if word in text]
    assert shown["nested"]["token_count"] == 5
    assert shown["list"][1:] == [2, None, True]


@pytest.mark.parametrize(
    "value", [{"password": "<password>"}, {"token": "string"}, {"password": None, "token": 3}, {"secret": "${SECRET}"}]
)
def test_placeholders_under_a_secrets_name_survive(value):
    assert REDACTOR.value(value) == value


def test_every_field_of_a_draft_is_covered():
    made = Maker(3)
    secret = made.families()["github-token"]
    aws = "AK" + "IA" + made.some(16, UPPER)
    given = draft(
        {
            "text": f"use {secret}",
            "type": "preference",
            "tags": [secret[:40].lower(), aws.lower(), "plain"],
            "key": secret.lower(),
            "tool": f"run {secret}",
            "path": f"/x/{secret}",
            "author": secret,
            "rationale": secret,
            "metadata": {"deep": [{secret: secret}]},
            "content": {"more": {"a": [secret]}},
        },
        **PLACE,
    )
    done = REDACTOR.draft(given)
    text = repr(done).lower()
    assert secret.lower() not in text
    assert aws.lower() not in text
    assert done.withheld == ()
    assert done.tags[2] == "plain"
    assert re.fullmatch(r"redacted:github-token:[0-9a-f]{4}", done.tags[0])
    assert re.fullmatch(r"redacted_[0-9a-f]{4}", done.key)
    assert done.provenance == "tool:redacted"
    assert (done.id, done.timestamp, done.type) == (given.id, given.timestamp, given.type)


def test_a_clean_draft_is_not_changed():
    given = draft({"text": "We use the code flow", "tags": ["oauth2"], "metadata": {"client": "x", "n": [1]}}, **PLACE)
    assert REDACTOR.draft(given) == given


def test_a_withheld_field_is_named_and_the_others_stay():
    hard = "pwd:" * 250_000
    done = REDACTOR.draft(draft({"text": "kept", "rationale": hard, "content": {"more": [hard]}}, **PLACE))
    assert done.content["text"] == "kept"
    assert done.content["rationale"] == WITHHELD
    assert done.withheld == ("content.more[0]", "content.rationale")


def test_amendments_are_redacted_too():
    secret = FAMILIES["npm-token"]
    done = REDACTOR.changes({"text": secret, "tags": [secret.lower(), "x"], "importance": 0.7})
    assert secret not in repr(done)
    assert secret.lower() not in repr(done)
    assert (done["importance"], done["tags"][1]) == (0.7, "x")


def test_a_redacted_text_may_be_stored_again_though_it_grew():
    long = ("password='x9y8' " * 27)[:400]
    once = REDACTOR.draft(draft({"text": long, "type": "artifact"}, **PLACE))
    assert len(once.content["text"]) > 400
    assert draft({"content": dict(once.content), "type": "artifact"}, **PLACE).content == once.content


def test_every_field_of_a_card_is_covered_but_those_that_say_whose_it_is():
    secret = FAMILIES["github-token"]
    own = {"id": "sess_20260101_abcdef", "kind": "session", "created_at": "2026-01-01T00:00:00.000Z", "version": 1}
    names = {"key": "k", "user_id": "ana", "workspace": "/w"}
    texts = [name for name in Card._fields if name not in (*own, *names)]
    card = Card(**own, **names, **{name: FrozenDict({"deep": [secret]}) for name in texts})
    shown = REDACTOR.card(card)
    assert secret not in repr(shown)
    assert all(marked("github-token").search(repr(getattr(shown, name))) for name in texts)
    assert {name: getattr(shown, name) for name in (*own, *names)} == {**own, **names}
    assert REDACTOR.card(shown) is shown


@pytest.mark.parametrize("name", FAMILIES)
def test_a_name_with_a_credential_is_refused_without_repeating_it(name):
    with pytest.raises(Invalid, match="workspace") as refused:
        identifier(f"/w/{FAMILIES[name]}", "workspace")
    assert FAMILIES[name] not in str(refused.value) + repr(refused.value.details)
