"""Writing: where entries go, what is refused before anything is made, and what happens at a full session."""

import hashlib
import os
from types import MappingProxyType

import pytest

import holdfast
from holdfast.capture import sessions, writing
from holdfast.lock import Lock
from holdfast.model.scope import OWN
from holdfast.testing import FixedClock

SMALL = {"journal.session_bytes": 64 * 1024, "journal.entry_bytes": 20 * 1024}


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home", clock=FixedClock(), settings=SMALL) as opened:
        yield opened


def decisions(count, **where):
    return [{"text": f"decision {n} " + "word " * 400, "type": "decision", **where} for n in range(count)]


def journals(memory):
    return sorted(memory.store.journal.journals(memory.scope(user="*")))


def test_an_unknown_key_makes_a_session_and_the_same_key_finds_it(memory):
    first, second = memory.add("one", session="slack:42"), memory.add("two", session="slack:42")
    assert first.session_id == second.session_id
    assert [session.key for session in memory.sessions()] == ["slack:42"]


def test_a_key_is_looked_up_without_counting_what_its_session_holds(memory, monkeypatch):
    memory.add("one", session="slack:42")

    def counted(*_args, **_named):
        raise AssertionError("counting takes the longer the more a session holds")

    monkeypatch.setattr(memory.store.index, "cards", counted)
    assert memory.add("two", session="slack:42").seq == 2
    assert memory.search("two", session="slack:42").hits[0].snippet == "two"


def test_a_key_that_was_written_to_is_not_looked_up_again(memory, monkeypatch):
    first = memory.add("one")
    memory.add("two")  # the first found no session and made one

    def asked(*_args, **_named):
        raise AssertionError("nothing was made meanwhile")

    monkeypatch.setattr(memory.store.index, "under_key", asked)
    third = memory.add("three")
    assert (third.session_id, third.seq) == (first.session_id, 3)


def test_a_key_means_the_session_that_somebody_else_made_under_it_meanwhile(memory):
    memory.add("one", session="slack:42")
    memory.add("two", session="slack:42")
    memory.store.clock.advance(1000)
    with holdfast.open(memory.home, clock=memory.store.clock) as another:
        card = sessions.plan(another.store, another.default_user, sessions.Options(key="slack:42", continues="x"))
        made = another.store.journal.create(another.scope(), card.replace(id="sess_20990101_zzzzzz"))
        another.add("later", session=made.id)
    assert memory.add("three", session="slack:42").session_id == made.id


def test_the_same_key_of_two_users_is_two_sessions(memory):
    one, two = memory.add("one", session="k", user="ana"), memory.add("two", session="k", user="ben")
    assert one.session_id != two.session_id


def test_any_mapping_is_an_entry(memory):
    (entry,) = memory.add_many([MappingProxyType({"text": "one", "session": "k"})])
    assert memory.get(entry.id).text == "one"


def test_without_a_session_an_entry_goes_to_the_users_default(memory):
    memory.add("one")
    assert [session.key for session in memory.sessions()] == ["default"]


def test_a_session_id_names_its_user_and_another_user_is_denied(memory):
    session = memory.create_session("ana")
    assert memory.add("hers", session=session.id).user_id == "ana"
    with pytest.raises(holdfast.Denied):
        memory.add("not his", session=session.id, user="ben")


def test_a_handle_that_has_written_finds_its_session_gone_or_changed(memory):
    session = memory.create_session("ana", workspace="/one")
    assert session.add("first").workspace == session.add("second").workspace
    card = memory.save_session(session.id, title="Another").card
    assert session.add("third").session_id == card.id
    memory.forget(session=session.id)
    with pytest.raises(holdfast.NotFound):
        session.add("fourth")


def test_what_the_owner_wrote_before_opens_nothing_to_a_principal(memory):
    session = memory.create_session("ana")
    session.add("first")
    session.add("second")
    ben, ana = (
        holdfast.open(
            memory.home,
            settings=SMALL,
            user=user,
            caller=holdfast.Caller(name="tool", owner=False, user=user, grants=OWN),
        )
        for user in ("ben", "ana")
    )
    with ben, ana:
        with pytest.raises(holdfast.Denied):
            ben.add("third", session=session.id)
        assert ana.add("third", session=session.id).seq == 3


def test_an_id_that_was_never_made_is_not_found_and_makes_nothing(memory):
    with pytest.raises(holdfast.NotFound):
        memory.add("x", session="sess_20260101_zzzzzz")
    assert journals(memory) == []


def test_an_error_in_the_last_item_writes_none_of_them(memory):
    items = [{"text": "good", "session": "a"}, {"text": "good", "session": "b"}, {"text": "bad", "importance": 7}]
    with pytest.raises(holdfast.Invalid):
        memory.add_many(items)
    assert journals(memory) == []


def test_a_batch_that_cannot_fit_makes_no_session(memory):
    with pytest.raises(holdfast.SizeLimit) as refused:
        memory.add_many(decisions(100, session="k"))
    assert refused.value.details["needed"] > 64 * 1024
    assert journals(memory) == []


def test_a_batch_over_two_journals_writes_neither_if_one_is_full(memory):
    memory.add_many(decisions(12, session="full"))
    with pytest.raises(holdfast.SizeLimit):
        memory.add_many([*decisions(1, session="empty"), *decisions(10, session="full")])
    assert len(journals(memory)) == 1


def talk(count, size=400, **where):
    return [{"text": f"turn {n} " + "word " * size, "role": "user", **where} for n in range(count)]


def said(memory, **where):
    return len(memory.query(types=["conversation"], every=True, **where))


def test_a_write_that_is_refused_takes_nothing_away(memory):
    memory.add_many([*decisions(8, session="k"), *talk(8, session="k")])
    with pytest.raises(holdfast.SizeLimit):
        memory.add_many(decisions(10, session="k"))
    assert said(memory, session="k") == 8
    memory.add_many(decisions(6, session="k"))  # for which there is room without them
    assert said(memory, session="k") < 8


def test_a_batch_that_one_journal_refuses_takes_nothing_away_in_another(memory):
    memory.add_many([*decisions(8, session="k"), *talk(8, session="k"), *decisions(12, session="full")])
    with pytest.raises(holdfast.SizeLimit):
        memory.add_many([*decisions(6, session="k"), *decisions(6, session="full")])
    assert said(memory, session="k") == 8


def test_an_importer_takes_nothing_away_to_make_room(memory):
    memory.add_many(talk(25, session="k"))
    writing.add_many(memory.store, memory._writer(continues=True), talk(50, session="k"))
    assert said(memory, session="k") == 75


@pytest.fixture
def pair(memory):
    """Two sessions, and one entry for each of them."""
    sessions = sorted((memory.create_session("ana") for _ in range(2)), key=lambda session: session.id)
    return sessions, [{"text": f"for {number}", "session": session.id} for number, session in enumerate(sessions)]


def entries_of(memory):
    return sorted(entry.text for entry in memory.query(user="ana"))


@pytest.mark.parametrize("busy", [0, 1])
def test_a_batch_over_two_journals_waits_for_both_before_it_writes_to_one(memory, pair, busy):
    sessions, items = pair
    memory.store.journal._desk.options = memory.store.journal._desk.options.replace(lock_ms=50)
    name = hashlib.sha256(sessions[busy].id.encode()).hexdigest()[:2]
    held = Lock(os.path.join(memory.home, "agents", "main", "locks", name)).hold(0, "test")
    with held, pytest.raises(holdfast.Locked):
        memory.add_many([*items, {"text": "new", "session": "brand new", "user": "ana"}])
    assert entries_of(memory) == []
    assert len(memory.sessions(user="ana")) == 2
    memory.add_many(items)
    assert entries_of(memory) == ["for 0", "for 1"]


@pytest.mark.parametrize("spoilt", [0, 1])
def test_a_batch_over_two_journals_writes_neither_if_one_cannot_be_written(memory, pair, spoilt):
    sessions, items = pair
    path = os.path.join(memory.home, "agents", "main", "sessions", sessions[spoilt].id, "memory.jsonl")
    os.rename(path, path + ".aside")
    os.mkdir(path)
    with pytest.raises(holdfast.StorageFailed):
        memory.add_many([*items, {"text": "new", "session": "brand new", "user": "ana"}])
    os.rmdir(path)
    os.rename(path + ".aside", path)
    assert entries_of(memory) == []
    assert len(memory.sessions(user="ana")) == 2


def test_a_batch_over_two_journals_comes_back_in_the_order_given(memory, pair):
    _, items = pair
    new = {"text": "new", "session": "brand new", "user": "ana"}
    given = [items[1], new, items[0], {"text": "own", "scope": "user", "user": "ana"}, items[1]]
    stored = memory.add_many(given)
    assert [entry.text for entry in stored] == [item["text"] for item in given]
    assert {session.key for session in memory.sessions(user="ana")} > {"brand new"}
    assert memory.verify()["ok"]


def test_a_batch_over_two_journals_makes_room_in_one_that_was_filled_meanwhile(memory):
    memory.add_many([{"text": f"turn {n} " + "word " * 400, "role": "user", "session": "full"} for n in range(20)])
    memory.add("a", session="empty")
    checked = writing._check

    def filled_meanwhile(*given):
        checked(*given)
        patch.undo()
        memory.add_many([{"text": "word " * 400, "role": "user", "session": "full"} for _ in range(9)])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_check", filled_meanwhile)
        both = [{"text": "b " + "word " * 1500, "session": name} for name in ("empty", "full")]
        stored = memory.add_many(both)
    assert [entry.text[0] for entry in stored] == ["b", "b"]


def test_an_importer_to_two_journals_goes_on_where_one_is_full(memory):
    writer = memory._writer(continues=True)
    items = [*decisions(40, session="k"), {"text": "beside", "session": "other"}]
    stored = writing.add_many(memory.store, writer, items)
    assert [entry.text for entry in stored] == [item["text"] for item in items]
    assert len({entry.session_id for entry in stored}) > 2


def test_an_importer_goes_on_in_continuations_and_nothing_is_lost(memory):
    writer = memory._writer(continues=True)
    stored = writing.add_many(memory.store, writer, decisions(100, session="k"))
    assert len({entry.session_id for entry in stored}) > 2
    assert [entry.text for entry in memory.query(session="k", rank="oldest", limit=200)] == [e.text for e in stored]
    cards = {session.id: session.card for session in memory.sessions()}
    assert sum(card.continues in cards for card in cards.values()) == len(cards) - 1


@pytest.fixture
def continued(memory):
    """A session without a key, and what was stored in it and in those that it goes on in."""
    session = memory.create_session("ana")
    writer = memory._writer(continues=True)
    return session, writing.add_many(memory.store, writer, decisions(100, session=session.id))


def test_a_session_without_a_key_is_read_with_all_its_continuations(memory, continued):
    session, stored = continued
    assert len({entry.session_id for entry in stored}) > 2
    for part in {entry.session_id for entry in stored}:
        assert len(memory.query(session=part, user="ana", limit=200)) == len(stored)
    assert sum('"decision ' in line for line in memory.export(session=session.id)) == len(stored)


def test_a_forgotten_session_without_a_key_takes_its_continuations_along(memory, continued):
    session, stored = continued
    receipt = memory.forget(session=session.id)
    assert (receipt.clean, len(receipt.entries)) == (True, len(stored))
    assert memory.search("decision word", user="ana").hits == ()


def test_an_entry_too_large_for_any_session_is_refused_also_to_importers(memory):
    with pytest.raises(holdfast.SizeLimit):
        writing.add_many(memory.store, memory._writer(continues=True), [{"text": "x" * 30_000, "session": "k"}])


def test_a_user_who_was_forgotten_can_be_remembered_again(memory):
    user = memory.user("zoe")
    user.remember("tea", "green")
    assert memory.forget(user="zoe").clean
    user.remember("tea", "black")
    assert [entry.text for entry in user.memories()] == ["black"]


def test_a_session_that_was_forgotten_leaves_its_key_free(memory):
    before = memory.add("secret plan", session="k").session_id
    assert memory.forget(session="k").clean
    after = memory.add("new plan", session="k").session_id
    assert after != before
    assert [entry.text for entry in memory.query(session="k")] == ["new plan"]


def test_a_repeated_batch_with_its_ids_adds_nothing(memory):
    first = memory.add_many([{"text": "one"}, {"text": "two"}])
    again = memory.add_many([{"text": entry.text, "type": entry.type, "id": entry.id} for entry in first])
    assert [entry.id for entry in again] == [entry.id for entry in first]
    assert memory.stats()["entries"] == 2
    with pytest.raises(holdfast.Invalid, match="other content"):
        memory.add("three", id=first[0].id)


def test_a_deleted_id_cannot_be_used_again(memory):
    entry = memory.add("one")
    memory.delete(entry.id)
    with pytest.raises(holdfast.Invalid, match="deleted"):
        memory.add("one", id=entry.id)


def test_a_thousand_keys_is_the_most(tmp_path):
    with holdfast.open(tmp_path / "h", settings={"quota.user_keys": 2}) as memory:
        user = memory.user("ana")
        user.remember("a", "1")
        user.remember("b", "2")
        user.remember("a", "3")
        with pytest.raises(holdfast.SizeLimit):
            user.remember("c", "4")


def test_a_quota_on_bytes_is_kept(tmp_path):
    with holdfast.open(tmp_path / "h", settings={"quota.user_bytes": 2_000}) as memory:
        memory.add_many([{"text": "word " * 100} for _ in range(2)])
        with pytest.raises(holdfast.SizeLimit, match="quota"):
            memory.add("word " * 100)


@pytest.mark.parametrize("quota", ["quota.user_bytes", "quota.home_bytes"])
def test_no_single_write_goes_beyond_a_quota(tmp_path, quota):
    with holdfast.open(tmp_path / "h", settings={quota: 2_000}) as memory:
        with pytest.raises(holdfast.SizeLimit, match="quota"):
            memory.add("word " * 1_000)
        with pytest.raises(holdfast.SizeLimit, match="quota"):
            memory.add_many([{"text": "word " * 100, "session": f"s{n}"} for n in range(4)])
        assert memory.add("one word").text == "one word"


@pytest.mark.parametrize("quick", [0.001, -1.0])
def test_the_quota_of_a_home_is_one_for_all_its_agents(tmp_path, monkeypatch, quick):
    monkeypatch.setattr("holdfast.capture.usage._QUICK_S", quick)
    settings = {"quota.home_bytes": 4_000}
    one = holdfast.open(tmp_path / "h", agent="a", settings=settings)
    other = holdfast.open(tmp_path / "h", agent="b", settings=settings)
    with one, other:
        one.add("word " * 300)
        other.add("word " * 100)
        with pytest.raises(holdfast.SizeLimit, match="the home has used"):
            other.add("word " * 300)


def test_what_was_forgotten_makes_room_below_a_quota(tmp_path):
    with holdfast.open(tmp_path / "h", settings={"quota.home_bytes": 4_000}) as memory:
        entry = memory.add("word " * 300)
        with pytest.raises(holdfast.SizeLimit):
            memory.add("word " * 400)
        memory.forget(entry.id)
        memory.add("word " * 400)


def test_two_handles_share_one_backend_until_both_are_closed(tmp_path):
    one, two = holdfast.open(tmp_path / "h"), holdfast.open(tmp_path / "h")
    assert one.store is two.store
    one.close()
    assert two.add("still open").text == "still open"
    two.close()
    with pytest.raises(holdfast.Invalid):
        two.add("closed")


def test_a_home_that_is_a_file_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_text("x")
    with pytest.raises(holdfast.Invalid):
        holdfast.open(path)
    assert os.path.isfile(path)
