"""Sessions: what their cards may hold, and which names are refused."""

import os

import pytest

import holdfast
from holdfast.capture import sessions
from holdfast.model.entry import Tombstone
from holdfast.model.moment import iso

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home") as opened:
        yield opened


def files_with(memory, secret=SECRET):
    """Names of files that hold the secret; the index is folded into its file first."""
    memory.sync()
    found = []
    for folder, _, names in os.walk(memory.home):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                if secret.encode().lower() in file.read().lower():
                    found.append(name)
    return found


@pytest.mark.parametrize(
    "given",
    [{"title": SECRET}, {"channel": SECRET}, {"preferences": {"custom": {"t": SECRET}}}, {"preferences": {SECRET: 1}}],
)
def test_no_field_of_a_card_holds_a_credential_when_it_is_made_or_saved(memory, given):
    session = memory.create_session("ana", **given)
    assert "[redacted:github-token:" in repr(session.card)
    other = memory.create_session("ana")
    saved = memory.save_session(other.id, **given)
    assert "[redacted:github-token:" in repr(saved.card)
    assert saved.card == memory.load_session(other.id).card
    assert files_with(memory) == []


def test_closing_a_session_redacts_what_an_older_version_let_through(memory):
    session = memory.create_session("ana", title="fine")
    scope = memory.scope(user="ana")
    memory.store.journal.save_card(scope, session.card.replace(title=SECRET, extra={"note": SECRET}))
    memory.close_session(session.id)
    assert "metadata.json" not in files_with(memory)


@pytest.mark.parametrize(
    ("field", "act"),
    [
        ("key", lambda m: m.create_session("ana", key=f"slack:{SECRET}")),
        ("session", lambda m: m.add("words", session=SECRET)),
        ("user", lambda m: m.create_session(SECRET)),
        ("user", lambda m: m.add("words", user=SECRET)),
        ("user", lambda m: m.user(SECRET).remember("tea", "green")),
        ("workspace", lambda m: m.create_session("ana", workspace=f"/w/{SECRET}")),
        ("workspace", lambda m: m.add("words", workspace=f"/w/{SECRET}")),
        ("workspace", lambda m: m.add("words", scope="global", workspace=f"/w/{SECRET}")),
    ],
)
def test_a_credential_in_a_name_is_refused_by_its_field_and_not_repeated(memory, field, act):
    with pytest.raises(holdfast.Invalid) as refused:
        act(memory)
    assert refused.value.details["field"] == field
    assert SECRET not in str(refused.value) + repr(refused.value.details)
    assert files_with(memory) == []


def test_names_that_only_look_odd_are_taken(memory):
    for name in ("whatsapp:+4915112345678@s.example.net", "agent:main:telegram:direct:12345", "a" * 64, "key: value"):
        memory.add("words", user=name, session=name)
    assert memory.stats(user="*")["entries"] == 4


@pytest.mark.parametrize(
    "changes",
    [{"user_id": "ben"}, {"key": "other"}, {"tilte": "x"}, {"title": 7}, {"decay": {"speed": 1}}, {"decay": 1}],
)
def test_only_what_a_session_may_set_for_itself_can_be_saved(memory, changes):
    session = memory.create_session("ana", title="as it was")
    with pytest.raises(holdfast.Invalid):
        memory.save_session(session.id, **changes)
    assert memory.load_session(session.id).card == session.card


def test_titles_preferences_and_overrides_can_be_saved_and_taken_back(memory):
    session = memory.create_session("ana", title="as it was")
    saved = memory.save_session(
        session.id, title=None, preferences={"language": "de"}, decay={"enabled": False},
        compaction_config={"threshold": 0.5},
    ).card  # fmt: skip
    assert (saved.title, saved.preferences, saved.decay_config) == (None, {"language": "de"}, {"enabled": False})
    assert saved.compaction_config == {"threshold": 0.5}


@pytest.mark.parametrize(
    "act",
    [
        lambda memory, id: memory.save_session(id, channel="chat"),
        lambda memory, id: memory.close_session(id),
        lambda memory, id: memory.compact(id),
    ],
)
def test_a_change_of_a_card_leaves_what_another_process_has_changed_meanwhile(memory, monkeypatch, tmp_path, act):
    session = memory.create_session(title="title 0")
    memory.delete(session.add("words").id)
    read, titles = memory.store.journal.card, ["title 0"]

    def and_then_another_changes_it(*given):
        found = read(*given)
        assert found.title == titles[-1]
        titles.append(f"title {len(titles)}")
        other.save_session(session.id, title=titles[-1])
        return found

    with holdfast.open(tmp_path / "home", settings={"recall.limit": 3}) as other:
        monkeypatch.setattr(memory.store.journal, "card", and_then_another_changes_it)
        act(memory, session.id)
        monkeypatch.undo()
    assert memory.load_session(session.id).card.title == titles[-1]


@pytest.mark.parametrize("times", [0, 1, 2, 3, 4, 7, 1_500])
def test_a_key_may_be_forgotten_any_number_of_times_in_a_day(memory, monkeypatch, times):
    """As if it had been: a session is made under the first id that has no tombstone of its own."""
    gone, asked = set(), []
    tombstones = memory.store.journal.tombstones

    def stones(scope, id):
        asked.append(id)
        return ([Tombstone(id=id, timestamp=iso(0), reason="forget")], 1) if id in gone else tombstones(scope, id)

    monkeypatch.setattr(memory.store.journal, "tombstones", stones)
    for _ in range(times):
        gone.add(sessions.plan(memory.store, "ana", sessions.Options(key="scratch")).id)
    assert len(gone) == times
    asked.clear()
    session = memory.create_session("ana", key="scratch")
    assert session.id not in gone
    assert len(asked) < 50
    assert memory.create_session("ana", key="scratch").id == session.id
