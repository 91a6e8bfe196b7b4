import pytest

from holdfast.errors import Invalid
from holdfast.guard import fields
from holdfast.guard.validate import agent, limit, session_key, tags, user


def refused(rule, *given):
    with pytest.raises(Invalid) as caught:
        rule(*given)
    assert caught.value.details["field"]
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["OAuth2", "oauth2", " Security.Auth "], ("oauth2", "security.auth")),
        ("one", ("one",)),
        (("a:b", "c_d", "e-f", "1"), ("a:b", "c_d", "e-f", "1")),
        ({"b", "a"}, ("a", "b")),
        (["\u212aelvin"], ("kelvin",)),  # the Kelvin sign is a K after NFC
        (["x" * 64], ("x" * 64,)),
        ([], ()),
    ],
)
def test_tags_are_normalised_and_kept_once_in_order(given, found):
    assert tags(given) == found


@pytest.mark.parametrize("tag", ["", " ", ".a", "-a", "a b", "a,b", "café", "a/b", "x" * 65, "a\nb", 5, None, ["a"]])
def test_other_tags_are_refused_by_their_place(tag):
    assert "tags[1]" in refused(tags, ["fine", tag])


def test_there_may_be_64_tags():
    assert len(tags([f"t{n}" for n in range(64)])) == 64
    assert "at most 64" in refused(tags, [f"t{n}" for n in range(65)])
    assert "at most 64" in refused(tags, ["same"] * 10_000)
    refused(tags, {"a": 1})
    refused(tags, 7)


@pytest.mark.parametrize(
    "given", ["ana", "Ana", "whatsapp:+49@s.whatsapp.net", "日本", "a" * 256, "a b", "../../etc", "**"]
)
def test_a_user_id_is_any_line_of_256_characters(given):
    assert user(given) == given


@pytest.mark.parametrize("given", ["", "  ", "*", "a" * 257, "a\nb", "a\x00", "\x7f", "\ud800", None, 5, b"ana"])
def test_other_user_ids_are_refused(given):
    refused(user, given)


def test_a_session_key_is_any_line_of_1024_characters():
    assert session_key("agent:main:slack:group:42") == "agent:main:slack:group:42"
    assert session_key("k" * 1024)
    for bad in ("", "k" * 1025, "a\tb", 5):
        refused(session_key, bad)


@pytest.mark.parametrize("given", ["main", "a-b_9", "x" * 64])
def test_an_agent_is_a_directory_name(given):
    assert agent(given) == given


@pytest.mark.parametrize("given", ["", "Main", "a/b", "..", ".", "a b", "x" * 65, "main\n", "é", None])
def test_other_agents_are_refused(given):
    refused(agent, given)


def test_a_limit_is_a_whole_number_up_to_200():
    assert [limit(1), limit(200), limit(500, 1000)] == [1, 200, 500]
    for bad in (0, -1, 201, True, 1.0, "5", None):
        assert "1 to 200" in refused(limit, bad)


def test_references_are_ids_each_once_and_at_most_256():
    id = "mem_01KDVDNA00BZTVBVR3NFHBXFS6"
    assert fields.references([id, id]) == (id,)
    assert fields.references(id) == (id,)
    assert "at most 256" in refused(fields.references, [id] * 257)
    assert "references[1]" in refused(fields.references, [id, "mem_abc123xyz"])


def test_marks_of_redaction_do_not_count_as_length():
    assert fields.length("ab[redacted:password:7f3a]cd") == 4
    assert fields.length("[redacted:no-such-rule:7f3a]") == 28
