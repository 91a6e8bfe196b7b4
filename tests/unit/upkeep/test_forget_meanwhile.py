"""What others write while somebody forgets: to a session that goes, under its id, its key, and beside it."""

import os

import pytest

import holdfast
from holdfast.errors import Locked, NotFound
from holdfast.upkeep import forget as forgetting

STEPS = list(forgetting.STEPS)
BURIED = 1 + [name for name, _ in STEPS].index("tombstones written")


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home", user="ana") as opened:
        yield opened


def after(monkeypatch, step, act):
    """Have this done by somebody else right after a step of every forget."""
    steps = [*STEPS[:step], ("meanwhile", lambda job: act()), *STEPS[step:]]
    monkeypatch.setattr(forgetting, "STEPS", steps)


def lose_card(memory, session):
    """As a removal begins: what finds no card takes the session for one that is still to be made."""
    card = os.path.join(memory.store.home, "agents", "main", "sessions", session, "metadata.json")
    if os.path.exists(card):
        os.unlink(card)


def check(memory, receipt, entries):
    assert receipt.clean
    assert {entry.id for entry in memory.query(every=True)} == {entry.id for entry in entries}
    report = memory.verify()
    assert report["ok"], report["problems"]


@pytest.mark.parametrize("step", range(BURIED, len(STEPS) + 1))
def test_a_session_that_goes_is_not_found_under_its_id_at_any_moment(memory, monkeypatch, step):
    session = memory.create_session("ana", key="trip")
    session.add("we leave on Monday")

    def write():
        for act in (lambda: None, lambda: lose_card(memory, session.id)):
            act()
            with pytest.raises(NotFound):
                memory.add("late words", session=session.id)

    after(monkeypatch, step, write)
    check(memory, memory.forget(session=session.id), [])
    with pytest.raises(NotFound):
        memory.add("later words", session=session.id)
    assert memory.sessions() == []


@pytest.mark.parametrize("step", range(BURIED, len(STEPS) + 1))
def test_a_key_means_another_session_as_soon_as_its_session_goes(memory, monkeypatch, step):
    first = memory.add("we leave on Monday", session="trip")
    late = []
    after(monkeypatch, step, lambda: late.append(memory.add("late words", session="trip")))
    check(memory, memory.forget(session="trip"), late)
    assert late[0].session_id != first.session_id
    assert memory.add("later words", session="trip").session_id == late[0].session_id
    assert [session.key for session in memory.sessions()] == ["trip"]


@pytest.mark.parametrize("step", range(len(STEPS) + 1))
def test_what_a_user_has_stored_since_their_journal_was_removed_stays(memory, monkeypatch, step):
    memory.add("likes green tea", scope="user")
    late = []
    after(monkeypatch, step, lambda: late.append(memory.add("likes black coffee", scope="user")))
    removed = [name for name, _ in STEPS].index("journals rewritten") < step
    check(memory, memory.forget(user="ana"), late if removed else [])
    assert len(memory.search("coffee").hits) == removed


def test_what_came_before_the_tombstones_goes_too_and_is_in_the_receipt(memory, monkeypatch):
    session = memory.create_session("ana", key="trip")
    first, late = session.add("we leave on Monday"), []
    after(monkeypatch, 1, lambda: late.append(session.add("bring the Marrakesh tickets")))
    receipt = memory.forget(session=session.id)
    assert set(receipt.entries) == {first.id, late[0].id}
    check(memory, receipt, [])


def test_a_session_whose_id_is_forgotten_while_it_is_made_is_made_under_another(memory, monkeypatch):
    journal = memory.store.journal
    create, taken = journal.create, []

    def late(scope, card):
        if not taken:
            taken.append(card.id)
            create(scope, card)
            memory.forget(session=card.id)
        return create(scope, card)

    monkeypatch.setattr(journal, "create", late)
    session = memory.create_session("ana", key="trip")
    assert session.id not in taken
    assert memory.add("words", session="trip").session_id == session.id


def test_who_repeats_a_forget_that_could_not_go_on_finishes_it(memory, monkeypatch):
    session = memory.create_session("ana", key="trip")
    session.add("we leave on Monday")

    def busy(*_):
        raise Locked("somebody is at it")

    with monkeypatch.context() as patched:
        patched.setattr(memory.store.index, "erase", busy)
        with pytest.raises(Locked):
            memory.forget(session=session.id)
    assert memory.status()["unfinished_forget"]
    with pytest.raises(NotFound):
        memory.forget(session=session.id)
    assert not memory.status()["unfinished_forget"]
    assert memory.verify()["ok"]
