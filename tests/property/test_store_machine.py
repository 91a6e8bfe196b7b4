"""The store beside a plain dict: whatever is done to both, by this process or another, both show the same."""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

import holdfast
from holdfast.testing import FixedClock
from tests import swift
from tests.property.other_process import SETTINGS, OtherProcess
from tests.sizes import MACHINE_STEPS

STEPS = 50  # of one run
WORDS = st.sampled_from(["harbour", "kettle", "lantern", "meadow", "数据库连接", "🦀", "Überführung", "raven"])
MAYBE_WORDS = st.none() | st.lists(WORDS, min_size=1)
TAGS = st.lists(st.sampled_from(["red", "red.dark", "red.dark.wine", "blue", "blue.sky"]), max_size=3, unique=True)
SESSIONS = st.sampled_from(["morning", "evening", "default"])
KEYS = st.sampled_from(["editor", "drink"])
SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
PICK = st.integers(0, 10_000)
ABROAD = st.booleans()  # whether the other process does it


class Known:
    """What the dict knows of an entry."""

    def __init__(self, text, session=None, key=None, tags=(), importance=0.5):
        self.text, self.session, self.key = text, session, key
        self.tags, self.importance, self.pinned = list(dict.fromkeys(tags)), importance, False
        self.deleted = self.superseded = False

    @property
    def visible(self):
        return not (self.deleted or self.superseded)


def under(tags, topic):
    return any(tag == topic or tag.startswith(topic + ".") for tag in tags)


class Store(RuleBasedStateMachine):
    """The machine; one home for each run, one other process for all."""

    folder: str
    other: OtherProcess
    runs = steps = 0

    def __init__(self):
        super().__init__()
        type(self).runs += 1
        self.home = os.path.join(self.folder, f"home{self.runs}")
        self.clock = FixedClock()
        self.known: dict[str, Known] = {}  # what is in the files, in the order of writing
        self.gone: set[str] = set()  # what was erased
        self.number = 0
        self.older: str | None = None
        self.memory = None
        self.reopen()

    def teardown(self):
        self.memory.close()
        shutil.rmtree(self.home)

    def do(self, abroad, verb, *arguments, **named):
        if abroad:
            return self.other.call(self.home, self.clock.now(), verb, *arguments, **named)
        found = getattr(self.memory, verb)(*arguments, **named)
        return [item.to_dict() for item in found] if isinstance(found, list) else found

    def text(self, words):
        """Words and a token that no other text has."""
        self.number += 1
        return f"{' '.join(words)} token{self.number}x"

    def pick(self, number, wanted=lambda known: True):
        ids = [id for id, known in self.known.items() if wanted(known)]
        return ids[number % len(ids)] if ids else None

    def take(self, entries, made):
        for entry, known in zip(entries, made, strict=True):
            assert entry["id"] not in self.known
            self.known[entry["id"]] = known

    # -- writing

    @rule(abroad=ABROAD, words=st.lists(WORDS, min_size=1, max_size=4), session=SESSIONS, tags=TAGS, importance=SHARES)
    def add(self, abroad, words, session, tags, importance):
        item = {"text": self.text(words), "session": session, "tags": tags, "importance": importance}
        made = Known(item["text"], session, None, tags, importance)
        self.take(self.do(abroad, "add_many", [item]), [made])

    @rule(abroad=ABROAD, batch=st.lists(st.tuples(WORDS, SESSIONS, TAGS), min_size=2, max_size=5))
    def add_many(self, abroad, batch):
        made = [Known(self.text([word]), session, None, tags) for word, session, tags in batch]
        items = [{"text": known.text, "session": known.session, "tags": known.tags} for known in made]
        self.take(self.do(abroad, "add_many", items), made)

    @rule(abroad=ABROAD, key=KEYS, words=st.lists(WORDS, min_size=1, max_size=2))
    def remember(self, abroad, key, words):
        made = Known(self.text(words), None, key)
        fields = {"text": made.text, "type": "preference", "key": key, "scope": "user"}
        for known in self.known.values():
            known.superseded = known.superseded or known.key == key
        self.take(self.do(abroad, "add_many", [fields]), [made])

    @precondition(lambda self: self.known)
    @rule(abroad=ABROAD, number=PICK, words=MAYBE_WORDS, tags=st.none() | TAGS, share=SHARES)
    def amend(self, abroad, number, words, tags, share):
        id = self.pick(number)
        known = self.known[id]
        changes = {"importance": share, "pinned": share == 1.0}
        if words is not None:
            changes["text"] = self.text(words)
        if tags is not None:
            changes["tags"] = tags
        if not known.visible:
            with pytest.raises(holdfast.NotFound):
                self.do(abroad, "amend", id, **changes)
            return
        self.do(abroad, "amend", id, **changes)
        known.importance, known.pinned = share, share == 1.0
        known.text, known.tags = changes.get("text", known.text), changes.get("tags", known.tags)

    # -- removing

    @precondition(lambda self: self.known)
    @rule(abroad=ABROAD, number=PICK)
    def delete(self, abroad, number):
        id = self.pick(number)
        assert self.do(abroad, "delete", id) is self.known[id].visible
        self.known[id].deleted = self.known[id].deleted or self.known[id].visible

    @precondition(lambda self: self.known)
    @rule(abroad=ABROAD, number=PICK)
    def undelete(self, abroad, number):
        id = self.pick(number, lambda known: known.deleted) or self.pick(number)
        self.do(abroad, "undelete", id)
        self.known[id].deleted = False

    @precondition(lambda self: self.gone)
    @rule(abroad=ABROAD, number=PICK)
    def undelete_what_was_erased(self, abroad, number):
        with pytest.raises(holdfast.NotFound):
            self.do(abroad, "undelete", sorted(self.gone)[number % len(self.gone)])

    @precondition(lambda self: self.known)
    @rule(abroad=ABROAD, number=PICK)
    def forget_one(self, abroad, number):
        id = self.pick(number)
        self.forget(abroad, {id}, id=id)

    @rule(abroad=ABROAD, topic=st.sampled_from(["red", "red.dark", "blue"]))
    def forget_a_topic(self, abroad, topic):
        self.forget(abroad, {id for id, known in self.known.items() if under(known.tags, topic)}, topic=topic)

    @rule(abroad=ABROAD, session=SESSIONS)
    def forget_a_session(self, abroad, session):
        chosen = {id for id, known in self.known.items() if known.session == session}
        try:
            self.forget(abroad, chosen, session=session)
        except holdfast.NotFound:
            assert not chosen

    def forget(self, abroad, chosen, **what):
        """The newest value of a key takes its former values with it."""
        newest = {self.known[id].key for id in chosen if self.known[id].key and not self.known[id].superseded}
        chosen |= {id for id, known in self.known.items() if known.key in newest}
        receipt = self.do(abroad, "forget", **what)
        receipt = receipt if isinstance(receipt, dict) else receipt.to_dict()
        assert set(receipt["entries"]) == chosen
        assert receipt["clean"], receipt["residue"]
        self.erase(chosen)

    def erase(self, ids):
        for id in ids:
            del self.known[id]
            self.gone.add(id)

    # -- upkeep

    @rule(abroad=ABROAD)
    def compact(self, abroad):
        self.do(abroad, "compact")
        self.erase([id for id, known in self.known.items() if not known.visible])

    @rule(abroad=ABROAD)
    def reindex(self, abroad):
        self.do(abroad, "reindex")

    @rule()
    def reopen(self):
        if self.memory is not None:
            self.memory.close()
        self.memory = holdfast.open(self.home, user="ana", clock=self.clock, settings=SETTINGS)

    @rule(hours=st.integers(0, 100))
    def wait(self, hours):
        self.clock.advance(hours * 3_600_000)

    @rule()
    def keep_an_export(self):
        self.older = "".join(self.memory.export())

    @precondition(lambda self: self.older)
    @rule()
    def load_an_older_export(self):
        """What exists or was removed is skipped: nothing comes back, nothing changes."""
        self.memory.load(self.older.splitlines(keepends=True))

    # -- both show the same

    @invariant()
    def the_same_entries(self):
        type(self).steps += 1
        found = {entry["id"]: entry for entry in self.do(False, "query", rank="oldest", every=True)}
        visible = {id: known for id, known in self.known.items() if known.visible}
        assert found.keys() == visible.keys()
        for id, known in visible.items():
            entry = found[id]
            assert entry["content"]["text"] == known.text
            assert (entry["importance"], entry["pinned"]) == (known.importance, known.pinned)
            assert entry["tags"] == known.tags
            assert entry.get("key") == known.key

    @invariant()
    def the_same_counts(self):
        visible = [known for known in self.known.values() if known.visible]
        counted: dict[str, int] = {}
        for known in visible:
            for tag in known.tags:
                counted[tag] = counted.get(tag, 0) + 1
        assert self.memory.tags() == counted
        stats = self.memory.stats()
        assert stats["entries"] == len(visible)
        assert stats["deleted"] == sum(known.deleted for known in self.known.values())
        sessions = {session.key: session.card.total_entries for session in self.memory.sessions()}
        assert {key: count for key, count in sessions.items() if count} == {
            key: count for key in ("morning", "evening", "default")
            if (count := sum(known.session == key for known in visible))
        }  # fmt: skip

    @precondition(lambda self: self.known)
    @rule(abroad=ABROAD, number=PICK)
    def look(self, abroad, number):
        """One entry, by id and by its own word, from either process."""
        id = self.pick(number)
        known = self.known[id]
        token = known.text.split()[-1]
        found = self.do(abroad, "search", token, limit=20)
        hits = found["hits"] if abroad else [hit.to_dict() for hit in found]
        assert (id in {hit["id"] for hit in hits}) is known.visible
        assert not self.gone & {hit["id"] for hit in hits}
        if known.visible:
            entry = self.do(abroad, "get", id)
            entry = entry if abroad else entry.to_dict()
            assert entry["content"]["text"] == known.text
        else:
            with pytest.raises(holdfast.NotFound):
                self.do(abroad, "get", id)

    @precondition(lambda self: self.gone)
    @rule(abroad=ABROAD, number=PICK)
    def look_for_what_was_erased(self, abroad, number):
        with pytest.raises(holdfast.NotFound):
            self.do(abroad, "get", sorted(self.gone)[number % len(self.gone)])


def test_the_store_shows_what_a_dict_shows():
    with swift.folder() as folder:
        Store.folder, Store.other = folder, OtherProcess()
        try:
            run_state_machine_as_test(Store, settings=settings(
                max_examples=MACHINE_STEPS * 13 // 10 // STEPS, stateful_step_count=STEPS, deadline=None,
                derandomize=True, database=None, suppress_health_check=list(HealthCheck),
            ))  # fmt: skip
        finally:
            Store.other.close()
    assert Store.steps >= MACHINE_STEPS
