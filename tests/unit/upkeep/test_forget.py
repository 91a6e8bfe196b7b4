"""Erasing for good, with a receipt."""

import json
import os

import pytest

from holdfast.errors import NotFound, StorageFailed
from holdfast.model.entry import Tombstone
from holdfast.model.ids import digest, user_dir
from holdfast.model.moment import iso
from holdfast.model.query import Filter
from holdfast.model.scope import Scope
from holdfast.testing.embedder import HashingEmbedder
from holdfast.testing.workbench import AGENT, ALL, ANA, OTHER, SESSION
from holdfast.upkeep import forget as forgetting
from holdfast.upkeep import intent as intents
from holdfast.upkeep.choosing import choose
from holdfast.upkeep.forget import Job, forget, resume, unfinished
from holdfast.upkeep.intent import FILE as INTENT
from holdfast.upkeep.status import status
from holdfast.upkeep.verify import verify

TEXT = "Zanzibar expedition with Professor Quillfeather"


def gone(desk, scope=ANA, dry_run=False, **said):
    desk.level()
    return forget(desk.store, scope, choose(desk.store, scope, **said), dry_run=dry_run)


def one_session(id=SESSION):
    return Scope(agent=AGENT, user="ana", sessions=(id,))


def intent(desk):
    return os.path.join(desk.home, "agents", AGENT, INTENT)


def test_a_forgotten_entry_is_in_no_journal_and_no_answer(desk):
    entry, stays = desk.add(TEXT), desk.add("something quite different")
    receipt = gone(desk, ids=[entry.id])
    assert receipt.clean
    assert receipt.entries == (entry.id,)
    assert TEXT not in desk.said()
    assert desk.find("Zanzibar Quillfeather") == []
    assert desk.ids() == [stays.id]
    assert desk.level().buried(ALL, [entry.id])[entry.id].reason == "forget"


def test_the_receipt_says_what_was_done_and_checked(desk):
    entry = desk.add(TEXT)
    receipt = gone(desk, ids=[entry.id])
    assert receipt.steps == tuple(name for name, _ in forgetting.STEPS)
    assert receipt.journals == (SESSION,)
    assert receipt.checked["texts"] > 0
    assert receipt.checked["words"] >= 5
    assert receipt.checked["tombstones"] == 1
    assert "base64" in receipt.checked["encodings"]
    assert receipt.residue == ()
    assert "Zanzibar" not in json.dumps(receipt.to_dict())


def test_a_dry_run_names_all_and_changes_nothing(desk):
    source = desk.add(TEXT)
    fact = desk.derive("a fact about it", source)
    before = desk.journal.replay(ALL, SESSION).mark
    plan = gone(desk, ids=[source.id], dry_run=True)
    assert (plan.dry_run, plan.entries, plan.derived, plan.clean) == (True, (source.id,), (fact.id,), False)
    assert desk.journal.replay(ALL, SESSION).mark == before
    assert not os.path.exists(intent(desk))


def test_nothing_to_forget_is_a_clean_receipt_without_steps(desk):
    receipt = gone(desk, topic="nothing.has.this")
    assert (receipt.clean, receipt.count, receipt.steps) == (True, 0, ())


def test_forgetting_twice_is_nothing_more_to_do(desk):
    entry = desk.add(TEXT)
    gone(desk, ids=[entry.id])
    again = gone(desk, ids=[entry.id])
    assert (again.clean, again.entries) == (True, ())


def test_what_was_made_from_it_goes_with_it(desk):
    own = desk.user()
    source = desk.add(TEXT)
    fact = desk.derive("Quillfeather travels", source, journal=own)
    receipt = gone(desk, ids=[source.id])
    assert receipt.derived == (fact.id,)
    assert receipt.clean
    assert "Quillfeather" not in desk.said(own)


def test_former_words_of_an_amended_entry_go_too(desk):
    entry = desk.add(TEXT)
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "harmless"})
    assert gone(desk, ids=[entry.id]).clean
    assert "Quillfeather" not in desk.said()


def test_words_that_come_in_while_it_is_forgotten_are_searched_for_too(desk, monkeypatch):
    entry, searched = desk.add(TEXT), []

    def amended_meanwhile(job):
        desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "late words of a hummingbird"})

    def looked(job):
        searched.extend(job.fragments.all)

    steps = [("amended", amended_meanwhile), *forgetting.STEPS, ("looked", looked)]
    monkeypatch.setattr(forgetting, "STEPS", steps)
    assert gone(desk, ids=[entry.id]).clean
    assert "late words of a hummingbird" in searched
    assert "hummingbird" not in desk.said()


def test_nobody_amends_or_shows_again_what_is_being_forgotten(desk, monkeypatch):
    entry = desk.add(TEXT)
    lift = Tombstone(id=entry.id, timestamp=iso(0), reason="undelete")
    refused = []

    def changed_meanwhile(job):
        for change in (
            lambda: desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "late words"}),
            lambda: desk.journal.bury(ANA, SESSION, [lift]),
        ):
            with pytest.raises(NotFound):
                change()
            refused.append(change)

    steps = [step for pair in forgetting.STEPS for step in (pair, ("changed", changed_meanwhile))]
    monkeypatch.setattr(forgetting, "STEPS", [steps[0], *steps[2:]])  # before the tombstones stand, a change is taken
    assert gone(desk, ids=[entry.id]).clean
    assert len(refused) == 14


def test_history_erases_former_words_and_keeps_the_entry(desk):
    entry = desk.add(TEXT)
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "harmless words"})
    receipt = gone(desk, ids=[entry.id], history=True)
    assert receipt.clean
    assert receipt.entries == ()
    assert "Quillfeather" not in desk.said()
    assert desk.find("harmless") == [entry.id]
    assert desk.level().buried(ALL, [entry.id]) == {}


def amended_and_embedded(desk):
    """A question with other words than it had, and its answer, both seen by a costly embedder before and after."""
    question = desk.add("who is Quillfeather?")
    answer = desk.add(content={"text": "a professor", "role": "assistant"})
    embedder = HashingEmbedder(costly=True)
    desk.level().embed(ALL, embedder, None)
    desk.journal.amend(ANA, SESSION, question.id, "ana", {"text": "harmless words?"})
    desk.level().embed(ALL, embedder, None)
    assert {"who is Quillfeather?", "who is Quillfeather?\na professor"} <= set(embedder.calls)
    return question, answer


def made_of_former_words(desk):
    """Files that hold a vector, or the hash, of what was seen before the question had other words."""
    seen = ["who is Quillfeather?", "who is Quillfeather?\na professor"]
    needles = [vector.tobytes() for vector in HashingEmbedder().embed(seen)]
    needles += [digest(text.encode()) for text in seen]
    return [name for needle in needles for name in desk.files_with(needle)]


def test_history_leaves_nothing_in_the_cache_that_was_made_of_former_words(files):
    question, answer = amended_and_embedded(files)
    other = files.add("something else", SESSION, type="note")
    files.level().embed(ALL, HashingEmbedder(costly=True), None)
    files.index.recall(ALL, [question.id], files.clock.now())
    assert made_of_former_words(files)
    assert gone(files, ids=[question.id], history=True).clean
    assert made_of_former_words(files) == []
    assert any("cache.db" in name for name in files.files_with(digest(b"something else")))
    assert files.ids() == [question.id, answer.id, other.id]
    files.reopen()
    assert files.recalled(question)


def test_history_leaves_nothing_in_the_cache_where_the_index_had_to_be_thrown_away_for_room(files, monkeypatch):
    question, _ = amended_and_embedded(files)
    alone, full = files.index.live.alone, [StorageFailed("full", errno="ENOSPC")]

    def without_room(lock, purpose, act, *patience):
        if purpose == "forget" and full:
            raise full.pop()
        return alone(lock, purpose, act, *patience)

    monkeypatch.setattr(files.index.live, "alone", without_room)
    assert gone(files, ids=[question.id], history=True).clean
    assert (full, made_of_former_words(files)) == ([], [])


@pytest.mark.parametrize("step", range(1, len(forgetting.STEPS)))
def test_history_that_was_killed_after_any_step_leaves_nothing_in_the_cache_once_it_is_finished(
    files, monkeypatch, step
):
    question, answer = amended_and_embedded(files)
    with monkeypatch.context() as patched:
        patched.setattr(forgetting, "STEPS", forgetting.STEPS[:step])
        gone(files, ids=[question.id], history=True)
    files.reopen()
    receipt = resume(files.store)
    assert (receipt.clean, receipt.history) == (True, (question.id,))
    assert made_of_former_words(files) == []
    assert files.ids() == [question.id, answer.id]


def test_the_plan_names_the_entries_that_lose_only_their_former_words(desk):
    one = desk.add("kolibri")
    plan = gone(desk, ids=[one.id], history=True, dry_run=True)
    assert (plan.entries, plan.history) == ((), (one.id,))


def test_a_deleted_entry_is_erased_at_once(desk):
    entry = desk.add(TEXT, tags=("personal",))
    desk.bury(entry)
    assert gone(desk, topic="personal").clean
    assert "Quillfeather" not in desk.said()
    assert desk.ids(wanted=Filter(hidden=True)) == []


def test_a_forgotten_session_leaves_tombstones_and_one_for_itself(desk):
    desk.session(OTHER)
    entries = [desk.add(TEXT), desk.add("more")]
    stays = desk.add("elsewhere", OTHER)
    receipt = gone(desk, one_session(), session=SESSION)
    assert receipt.clean
    assert desk.journal.card(ALL, SESSION) is None
    stones = {stone.id for stone in desk.journal.tombstones(ALL, SESSION)[0]}
    assert stones == {SESSION, *(entry.id for entry in entries)}
    assert set(desk.level().buried(ALL, sorted(stones))) == stones
    assert desk.ids() == [stays.id]


def test_a_forgotten_user_can_come_back_with_a_clean_slate(desk):
    own = desk.user()
    desk.add("vim", own, type="preference", key="editor")
    assert gone(desk, user="ana").clean
    assert list(desk.level().cards(ANA)) == []
    desk.user()
    again = desk.add("emacs", own, type="preference", key="editor")
    assert desk.ids() == [again.id]


def test_an_emptied_journal_that_was_not_chosen_itself_stays(desk):
    entry = desk.add(TEXT)
    gone(desk, ids=[entry.id])
    assert desk.journal.card(ANA, SESSION) is not None
    assert desk.add("next").seq > entry.seq


def test_entries_with_the_same_text_are_named_and_stay(desk):
    entry, twin = desk.add(TEXT), desk.add(TEXT)
    receipt = gone(desk, ids=[entry.id])
    assert receipt.same_text == (twin.id,)
    assert receipt.clean
    assert desk.ids() == [twin.id]


def test_a_title_that_says_what_is_forgotten_is_cleared(desk):
    desk.session(OTHER, title="Professor Quillfeather's plans")
    desk.add(TEXT, OTHER)
    desk.add("other words", OTHER)
    receipt = gone(desk, since=0)
    assert receipt.clean
    assert desk.journal.card(ALL, OTHER).title is None


def test_a_title_with_words_that_remain_stays(desk):
    desk.session(OTHER, title="Zanzibar expedition")
    entry = desk.add("Zanzibar expedition", OTHER)
    desk.add("Zanzibar expedition again", OTHER)
    assert gone(desk, ids=[entry.id]).clean
    assert desk.journal.card(ALL, OTHER).title == "Zanzibar expedition"


def test_damaged_pieces_that_hold_it_are_erased_others_stay(desk):
    entry = desk.add(TEXT)
    desk.journal.quarantine(ALL, SESSION, [
        (1, f'{{"id":"{entry.id}"'.encode()), (2, TEXT.encode()), (3, b"... Quillfeather ..."), (4, b"unrelated"),
    ])  # fmt: skip
    receipt = gone(desk, ids=[entry.id])
    assert receipt.clean
    assert [piece["offset"] for piece in desk.journal.quarantined(ALL)] == [4]


def test_a_forgotten_session_takes_all_its_damaged_pieces(desk):
    desk.session(OTHER)
    desk.add(TEXT)
    desk.journal.quarantine(ALL, SESSION, [(1, b"anything")])
    desk.journal.quarantine(ALL, OTHER, [(1, b"anything")])
    gone(desk, one_session(), session=SESSION)
    assert [piece["journal"] for piece in desk.journal.quarantined(ALL)] == [OTHER]


def test_a_damaged_line_of_the_entry_itself_is_not_kept(desk):
    entry = desk.add(TEXT)
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True})
    desk.add("what stays")
    desk.level()
    desk.damage(SESSION, entry.id)
    receipt = gone(desk, ids=[entry.id])
    assert receipt.clean
    assert receipt.entries == (entry.id,)
    assert desk.journal.quarantined(ALL) == []
    assert desk.journal.inspect(ALL, SESSION) == []


def test_the_damaged_line_of_a_twin_is_all_that_is_left_of_it_and_stays(desk):
    entry, twin = desk.add(TEXT), desk.add(TEXT)
    desk.level()
    desk.damage(SESSION, twin.id)
    gone(desk, ids=[entry.id])
    assert {id for piece in desk.journal.quarantined(ALL) for id in piece["entries"]} == {twin.id}


# -- interrupted


@pytest.mark.parametrize("step", range(1, len(forgetting.STEPS)))
def test_a_forget_killed_after_any_step_is_finished_later(desk, monkeypatch, step):
    entry, stays = desk.add(TEXT), desk.add("stays")
    steps = list(forgetting.STEPS)

    def killed(job):
        raise KeyboardInterrupt

    monkeypatch.setattr(forgetting, "STEPS", [*steps[:step], ("killed", killed)])
    with pytest.raises(KeyboardInterrupt):
        gone(desk, ids=[entry.id])
    monkeypatch.setattr(forgetting, "STEPS", steps)
    desk.reopen()
    assert unfinished(desk.store)
    with open(intent(desk), "rb") as file:
        assert b"Quillfeather" not in file.read()
    receipt = resume(desk.store)
    assert receipt.clean
    assert receipt.entries == (entry.id,)
    assert "Quillfeather" not in desk.said()
    assert desk.ids() == [stays.id]
    assert resume(desk.store) is None


def test_the_next_forget_finishes_an_interrupted_one_first(desk, monkeypatch):
    first, second = desk.add(TEXT), desk.add("another thing entirely")
    with monkeypatch.context() as patched:
        patched.setattr(forgetting, "STEPS", forgetting.STEPS[:2])
        gone(desk, ids=[first.id])
    assert unfinished(desk.store)
    assert gone(desk, ids=[second.id]).clean
    assert "Quillfeather" not in desk.said()
    assert not unfinished(desk.store)


def forgets(report):
    """What a report says of interrupted forgets."""
    return [problem["what"] for problem in report["problems"] if "was interrupted" in problem["what"]]


@pytest.mark.parametrize("odd", [os.mkdir, lambda path: os.symlink(INTENT, path)])
def test_what_is_no_note_of_a_forget_is_named_and_what_to_do_about_it(files, odd):
    entry = files.add(TEXT)
    odd(intent(files))
    for act in (lambda: resume(files.store), lambda: gone(files, ids=[entry.id])):
        with pytest.raises(StorageFailed, match="move it away") as caught:
            act()
        assert caught.value.details["path"] == intent(files)
    for told in (status(files.store)["degraded"], [problem["what"] for problem in verify(files.store)["problems"]]):
        assert any(intent(files) in one and "move it away" in one for one in told)
    assert files.ids() == [entry.id]


def test_a_note_that_goes_while_one_looks_at_it_is_no_trouble(files, monkeypatch):
    monkeypatch.setattr(intents, "interrupted", lambda store: True)
    assert intents.trouble(files.store) == []


@pytest.mark.parametrize(
    "damage",
    [b"{", b"\xff\xfe", b"[]", b"{}", b'{"id":"x","drop":{},"remove":7,"history":{}}',
     b'{"id":"x","drop":{"../up":[]},"remove":[],"history":{}}',
     b'{"id":"x","drop":{"global":[1]},"remove":[],"history":{}}'],
)  # fmt: skip
def test_a_damaged_note_of_an_interrupted_forget_is_set_aside_and_stays_a_problem_until_it_is_removed(desk, damage):
    entry = desk.add(TEXT)
    with open(intent(desk), "wb") as file:
        file.write(damage)
    assert any("cannot be read; `holdfast sync` sets it aside" in told for told in status(desk.store)["degraded"])
    assert resume(desk.store) is None
    assert not unfinished(desk.store)
    (told,) = forgets(verify(desk.store))
    assert told in status(desk.store)["degraded"]
    kept = told.split("then delete ")[1]
    with open(os.path.join(desk.home, kept), "rb") as file:
        assert file.read() == damage
    assert gone(desk, ids=[entry.id]).clean
    os.unlink(os.path.join(desk.home, kept))
    assert forgets(verify(desk.store)) == []


def test_an_unchecked_forget_is_never_called_clean(desk, monkeypatch):
    entry = desk.add(TEXT)
    monkeypatch.setattr(forgetting, "STEPS", [step for step in forgetting.STEPS if step[0] != "files searched"])
    assert not gone(desk, ids=[entry.id]).clean


# -- a full disk


class Full:
    """Refuses rewrites of a journal as a full disk does, `times` times."""

    def __init__(self, desk, times):
        self.left, self.rewrite = times, desk.journal.rewrite

    def __call__(self, *given, **named):
        if self.left:
            self.left -= 1
            raise StorageFailed("no space", errno="ENOSPC")
        return self.rewrite(*given, **named)


def test_on_a_full_disk_the_ballast_is_given_back(desk, monkeypatch):
    ballast = os.path.join(desk.home, "ballast")
    with open(ballast, "wb") as file:
        file.write(bytes(4096))
    entry = desk.add(TEXT)
    monkeypatch.setattr(desk.journal, "rewrite", Full(desk, 1))
    assert gone(desk, ids=[entry.id]).clean
    assert not os.path.exists(ballast)


def test_on_a_disk_that_stays_full_the_line_is_erased_in_place(desk, monkeypatch):
    entry, stays = desk.add(TEXT), desk.add("stays")
    monkeypatch.setattr(desk.journal, "rewrite", Full(desk, 99))
    receipt = gone(desk, ids=[entry.id])
    assert receipt.clean
    assert "Quillfeather" not in desk.said()
    assert desk.ids() == [stays.id]


def test_another_failure_of_the_disk_stops_it_and_can_be_resumed(desk, monkeypatch):
    entry = desk.add(TEXT)

    def refuse(*given, **named):
        raise StorageFailed("broken", errno="EIO")

    with monkeypatch.context() as patched:
        patched.setattr(desk.journal, "rewrite", refuse)
        with pytest.raises(StorageFailed):
            gone(desk, ids=[entry.id])
    assert desk.ids() == []  # hidden already
    assert resume(desk.store).clean


# -- on real files: what a thief with the disk would find


def searched(desk, name):
    """A forget of an entry with every step but the named one, then the search alone."""
    words = "xylophone quintessential marmalade"
    entry = desk.add(words, tags=("orchestral.percussion",), metadata={"venue": "Konzerthalle"})
    desk.derive("marmalade recipes", entry, journal=desk.user())
    desk.journal.quarantine(ALL, SESSION, [(77, b'{"text":"quintessential')])
    card = desk.journal.card(ALL, SESSION)
    desk.journal.save_card(ALL, card.replace(title="the xylophone session"))
    desk.add("what stays behind")
    desk.level()
    job = forgetting._planned(desk.store, ANA, choose(desk.store, ANA, ids=[entry.id]))
    job.gather()
    for title, step in forgetting.STEPS:
        if title not in (name, "files searched", "finished"):
            step(job)
    forgetting.search(job)
    return job


def test_with_every_step_done_nothing_is_found(files):
    job = searched(files, None)
    assert job.residue == ()
    assert job.checked["files"] > 3


@pytest.mark.parametrize(
    "name", ["tombstones written", "journals rewritten", "index erased", "quarantine released", "state cleared"]
)
def test_the_search_finds_it_when_a_step_was_left_out(files, name):
    assert searched(files, name).residue != ()


def test_no_file_holds_the_text_or_the_tail_of_its_words(files):
    own = files.user()
    fields = {"tags": ("geography.islands",), "path": "maps/zanzibarcoast.png", "metadata": {"guide": "Ibn Battuta"}}
    entry = files.add(TEXT, **fields)
    files.derive("Quillfeather sails in springtime", entry, journal=own)
    files.add("unrelated groceries")
    assert files.level().contains(ALL, "Quillfeather")
    assert gone(files, ids=[entry.id]).clean
    files.close()
    for tail in ("illfeather", "nzibar", "ofessor", "pedition", "ography", "nzibarcoast", "Battuta", "ringtime"):
        assert files.files_with(tail) == [], tail


def test_a_reader_that_holds_the_log_open_does_not_keep_it_alive(files, monkeypatch):
    from holdfast.index import erasing

    monkeypatch.setattr(erasing, "PATIENCE_S", 0.1)
    entry = files.add(TEXT)
    files.level()
    connection = files.index.database().take()
    cursor = connection.execute("SELECT * FROM entries")
    next(cursor)
    receipt = gone(files, ids=[entry.id])
    assert receipt.clean
    cursor.close()


def test_words_of_our_own_formats_are_no_residue(files):
    files.level()
    words = [*files.structure(), "conversation", "checksum", "generation", "salvaged_from_index", "undelete"]
    entries = [files.add(f"{word} and nothing") for word in words]
    receipt = gone(files, ids=[entry.id for entry in entries])
    assert receipt.residue == ()


def test_words_of_cards_users_and_workspaces_are_no_residue(files):
    files.session(OTHER, user="ana", key="agent:main:telegram:kaffeeklatsch", workspace="/home/maximilian/wonderland")
    files.add("still here", OTHER)
    entry = files.add("kaffeeklatsch in wonderland with maximilian")
    assert gone(files, ids=[entry.id]).residue == ()


def test_a_text_in_learnings_is_named_as_an_original(files):
    path = os.path.join(files.home, "agents", AGENT, "LEARNINGS.md")
    with open(path, "w") as file:
        file.write(f"- {TEXT}\n")
    entry = files.add(TEXT)
    receipt = gone(files, ids=[entry.id])
    assert receipt.clean
    assert receipt.originals == (os.path.join("agents", AGENT, "LEARNINGS.md"),)


def test_another_agents_memory_is_left_alone(files):
    other = os.path.join(files.home, "agents", "other")
    os.makedirs(other)
    with open(os.path.join(other, "memory.jsonl"), "w") as file:
        file.write(TEXT)
    entry = files.add(TEXT)
    assert gone(files, ids=[entry.id]).clean
    assert files.files_with("Quillfeather") == [os.path.join("agents", "other", "memory.jsonl")]


def test_a_stray_copy_in_the_home_is_found_and_named(files):
    with open(os.path.join(files.home, "notes.bak"), "w") as file:
        file.write("remember Quillfeather")
    entry = files.add(TEXT)
    receipt = gone(files, ids=[entry.id])
    assert not receipt.clean
    assert receipt.residue == ("notes.bak",)


def test_the_job_names_its_journals(desk):
    plan = {"drop": {SESSION: ["a"]}, "remove": [], "history": {user_dir("ana"): ["b"]}}
    assert Job(desk.store, "forget_x", plan).journals == sorted([SESSION, user_dir("ana")])
