"""Two users and two agents: no verb, whatever it is asked, shows or changes what its caller has no grant for.

Verbs are listed by looking at the facade, so a new one without a way to call it here fails the test.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import holdfast
from holdfast.model.ids import user_dir
from holdfast.model.scope import ALL, OWN
from holdfast.recall.filters import NAMES
from tests import swift
from tests.sizes import SCOPED_CALLS

IDS = re.compile(r"(?:mem_[0-9A-Z]{26}|sess_[0-9]{8}_[a-z0-9]+|u_[a-z2-7]{26})")
DAY = "2026-01-01T00:00:00Z"
PRINCIPAL = holdfast.Caller(name="a tool", owner=False, user="ana", grants=OWN)
SHARING = holdfast.Caller(name="a tool", owner=False, user="ana", grants=OWN | {"read:global"})
NOBODY = holdfast.Caller(name="nobody", owner=False, user="ana", grants=frozenset())
ALLOWED = {PRINCIPAL: ["main/ana"], SHARING: ["main/ana", "main/global"], NOBODY: []}


class World:
    """A home with two agents, two users each, and every kind of entry; who owns which id."""

    def __init__(self, home):
        self.home = home
        self.owner: dict[str, str] = {}  # id -> "agent/user"
        self.sessions: dict[str, str] = {}
        for agent in ("main", "other"):
            with holdfast.open(home, agent=agent) as memory:
                for user in ("ana", "ben"):
                    self._fill(memory, agent, user)
                self._own(memory.add(f"{agent}shared words for everybody", scope="global"), agent, "global")

    def _own(self, entry, agent, user):
        self.owner[entry.id] = f"{agent}/{user}"
        return entry.id

    def _fill(self, memory, agent, user):
        mark = f"{agent}{user}"
        key = "talk" if agent == "main" else "talk elsewhere"  # the id of a session is made from user, key and day
        session = memory.create_session(user, key=key, title=f"{mark} title", workspace="/w")
        self.owner[session.id] = f"{agent}/{user}"
        self.sessions[mark] = session.id
        others = [id for id, owner in self.owner.items() if id.startswith("mem_")]
        fields = {"tags": ["plan.next", mark], "importance": 0.7, "references": others[-3:]}
        first = self._own(session.add(f"{mark} words about the harbour", **fields), agent, user)
        said = session.add(f"{mark} decided", type="decision", rationale=f"{mark} reason", references=[first])
        self._own(said, agent, user)
        spoken = session.add(f"{mark} spoke", role="user", author=mark, path=f"/{mark}/file")
        memory.pin(self._own(spoken, agent, user))
        memory.delete(self._own(session.add(f"{mark} hidden words"), agent, user))
        self._own(memory.user(user).remember("editor", f"{mark} old"), agent, user)
        self._own(memory.user(user).remember("editor", f"{mark} vim"), agent, user)

    def foreign(self, *allowed):
        """Ids, and the words that stand only in them, of everybody but these."""
        ids = {id for id, owner in self.owner.items() if owner not in allowed}
        marks = {f"{agent}{user}" for agent in ("main", "other") for user in ("ana", "ben", "shared")
                 if f"{agent}/{'global' if user == 'shared' else user}" not in allowed}  # fmt: skip
        return ids, marks

    def fingerprint(self):
        """Bytes of the other agent, of what is shared, and of ben's: nothing that ana may write."""
        ours = os.path.join(self.home, "agents", "main")
        ben = [os.path.join(ours, "sessions", self.sessions["mainben"]), os.path.join(ours, "users", user_dir("ben"))]
        folders = [os.path.join(self.home, "agents", "other"), os.path.join(ours, "global"), *ben]
        return {path: data for folder in folders for path, data in bytes_below(folder)}


def bytes_below(folder):
    for inner, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(inner, name), "rb") as source:
                yield os.path.join(inner, name), source.read()


@pytest.fixture(scope="module")
def world():
    with swift.folder() as made:
        yield World(os.path.join(made, "home"))


# -- what may be asked


def names(world):
    """Users, sessions and ids of everybody, and names that nobody has."""
    users = st.sampled_from([None, "ana", "ben", "*", "nobody", "global", "../ben"])
    sessions = st.sampled_from([None, "talk", "default", "nowhere", *world.sessions.values(), "sess_20260101_zzzzzz"])
    ids = st.sampled_from([*(id for id in world.owner if id.startswith("mem_")), "mem_" + "0" * 26])
    return users, sessions, ids


def filters(world):
    """Any combination of filters, each with a value that could match something."""
    _, _, ids = names(world)
    tags = st.sampled_from(["plan", "plan.next", "mainben", "mainana", "otherana"])
    parts = {"include": tags, "any": st.lists(tags, min_size=1), "exclude": tags}
    values = {
        "types": st.sampled_from(["note", "decision", ["preference", "note"], "records"]),
        "tags": tags | st.fixed_dictionaries({}, optional=parts).filter(bool),
        "since": st.sampled_from([DAY, "2w", None]), "until": st.sampled_from(["2099-01-01T00:00:00Z", None]),
        "min_importance": st.sampled_from([0.0, 0.6]),
        "scopes": st.sampled_from(["global", "user", "session", ["global", "session"]]),
        "provenance": st.sampled_from(["user", "agent"]), "roles": st.sampled_from(["user", "assistant"]),
        "pinned": st.booleans(), "sensitive": st.booleans(), "hidden": st.booleans(),
        "ids": st.lists(ids, min_size=1, max_size=3), "keys": st.just("editor"),
    }  # fmt: skip
    assert values.keys() == set(NAMES), "a filter that nobody asks for here"
    return st.fixed_dictionaries({}, optional=values)


def calls(world):
    """For every verb a strategy of its arguments."""
    users, sessions, ids = names(world)
    some, every = st.fixed_dictionaries, filters(world)
    seen = every.map(lambda asked: {name: value for name, value in asked.items() if name != "hidden"})
    words = st.sampled_from(["harbour words", "mainben", "shared everybody", "vim", "*", "m?inben", "decided spoke"])
    where = {"user": users, "session": sessions, "workspace": st.sampled_from([None, "/w"])}
    asked = some({}, optional=where)
    whose, which = some({}, optional={"user": users}), some({"session_id": sessions})
    dry = {"dry_run": st.just(True)}
    fields = {"text": st.just("ana adds"), "scope": st.sampled_from(["session", "user", "global"])}
    return {
        "scope": asked,
        "create_session": some({"user": users}, optional={"key": st.just("talk")}),
        "load_session": some({"session": sessions}, optional={"user": users}),
        "close_session": some({"session": sessions}, optional={"user": users}),
        "sessions": some({}, optional={"user": users, "workspace": where["workspace"]}),
        "save_session": some({"session": sessions, "title": st.just("taken")}),
        "user": some({"user": users}),
        "add": some(fields, optional={"user": users, "session": sessions}),
        "add_many": some({"items": st.lists(some(fields, optional={"user": users, "session": sessions}), max_size=3)}),
        "amend": some({"id": ids, "text": st.just("overwritten")}),
        "pin": some({"id": ids}), "unpin": some({"id": ids}),
        "delete": some({"id": ids}), "undelete": some({"id": ids}),
        "get": some({"id": ids}, optional={"user": users}),
        "search": st.tuples(some({"text": words}, optional={**where, "limit": st.just(200), "min_score": st.just(0.0),
            "rank": st.sampled_from(["match", "relevance", "recent", "importance"])}), seen),
        "query": st.tuples(some({}, optional={**where, "limit": st.just(200), "references": st.lists(ids, max_size=2),
            "max_depth": st.just(9), "rank": st.sampled_from(["recent", "oldest", "relevance"])}), every),
        "context": some({"prompt": words}, optional={**where, "budget": st.just(5000)}),
        "tags": asked, "stats": some({}, optional={"user": users, "session": sessions}),
        "status": st.just({}), "verify": st.just({}), "sync": st.just({}), "reindex": st.just({}),
        "delete_where": st.tuples(some({"session": sessions, "reason": st.just("topic")}), every),
        "forget": some({}, optional={**where, **dry, "id": ids, "topic": st.sampled_from(["plan", "mainben"]),
            "since": st.just(DAY), "older_than": st.just("1d")}
        ).filter(lambda asked: {"dry_run", "user"} & asked.keys()),
        "forget_key": some({"user": users, "key": st.just("editor")}),
        "export": some({}, optional={**where, "format": st.sampled_from(["json", "jsonl"])}),
        "load": st.just({"path": ()}),
        "compact": some({}, optional={"session": sessions, "user": users}),
        "add_memory": some({"session_id": sessions, "entry": some({"text": st.just("seed")})}),
        "get_memory": some({"session_id": sessions, "memory_id": ids}),
        "delete_memory": some({"session_id": sessions, "memory_id": ids}),
        "query_memories": some({"session_id": sessions, "query": every}),
        "search_by_topic": some({"session_id": sessions, "topic": st.just("plan")}),
        "search_by_type": some({"session_id": sessions, "type": st.just("note")}),
        "search_by_time_range": some({"session_id": sessions, "start": st.just(DAY), "end": st.just(None)}),
        "delete_memories_by_topic": some({"session_id": sessions, "topic": st.just("plan")}),
        "delete_memories_by_time_range": some({"session_id": sessions, "start": st.just(DAY), "end": st.just(None)}),
        "export_session": which, "compact_session": which, "get_session_stats": which, "rebuild_index": which,
        "user.remember": some({"user": users, "key": st.just("editor"), "value": st.just("nano")}),
        "user.memories": whose, "user.recall": some({"user": users, "key": st.just("editor")}),
        "user.forget": some({"user": users, "key": st.just("editor"), "dry_run": st.booleans()}),
    }  # fmt: skip


NO_DATA = {
    "close": "lets go", "home": "a path", "agent": "a name", "default_user": "a name",
    "store": "the ports themselves, for code that is the owner in any case",
}  # fmt: skip


def test_every_public_verb_is_asked(world):
    public = {name for name in dir(holdfast.Memory) if not name.startswith("_")}
    users = {f"user.{name}" for name in vars(holdfast.User) if not name.startswith("_") and name != "id"}
    assert public | users | {"default_user"} == calls(world).keys() | NO_DATA.keys()


def test_a_sessions_verbs_are_the_facades_with_a_session_filled_in():
    own = {name for name in vars(holdfast.Session) if not name.startswith("_")}
    assert own - {"card", "id", "key", "user_id", "workspace", "to_dict", "close"} <= set(dir(holdfast.Memory))


def run(memory, verb, given):
    """Call a verb and use up what it returns."""
    arguments = {**given[0], **given[1]} if isinstance(given, tuple) else dict(given)
    if verb.startswith("user."):
        found = getattr(memory.user(arguments.pop("user", None) or "ana"), verb[5:])(**arguments)
    else:
        found = getattr(memory, verb)(**arguments)
    return "".join(found) if hasattr(found, "__next__") else found


def shown(found):
    """All that a result shows, as one text; what an entry of ours refers to is ours to say."""
    return json.dumps(_plain(found), default=repr, ensure_ascii=False)


def _plain(found):
    if isinstance(found, holdfast.Session):
        return _plain(found.card)
    if isinstance(found, holdfast.SearchResult):
        return [_plain(hit) | {"entry": _plain(hit.entry)} for hit in found.hits]
    if isinstance(found, holdfast.Context):
        return [found.text, *(_plain(item.entry) for item in found.items)]
    if hasattr(found, "to_dict"):
        return _plain(found.to_dict())
    if isinstance(found, dict):
        return {str(name): _plain(value) for name, value in found.items() if name not in ("references", "metrics")}
    if isinstance(found, str) and found.startswith("{"):
        return _plain(_documents(found))
    return [_plain(item) for item in found] if isinstance(found, (list, tuple)) else found


def _documents(text):
    """What an export says: one JSON document, or one a line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


SETTINGS = settings(
    max_examples=SCOPED_CALLS, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip


def test_a_principal_sees_and_changes_nothing_foreign(world):
    counted = Counter()

    @SETTINGS
    @given(data=st.data())
    def ask(data):
        verb = data.draw(st.sampled_from(sorted(calls(world))))
        given_to = data.draw(calls(world)[verb])
        caller = data.draw(st.sampled_from([PRINCIPAL, SHARING, NOBODY]))
        before = world.fingerprint()
        text, outcome = asked_by(world, caller, verb, given_to)
        counted[outcome] += 1
        if caller is SHARING and sees_everyone(verb, given_to):
            return  # with read:global another user may be named: the grant says so
        ids, marks = world.foreign(*ALLOWED[caller])
        assert not ids.intersection(IDS.findall(text)), (verb, given_to)
        assert not [mark for mark in marks if mark in text and mark not in repr(given_to)], (verb, given_to)
        assert world.fingerprint() == before, (verb, given_to)

    ask()
    assert counted["answered"] > SCOPED_CALLS / 4
    assert counted["refused"] > SCOPED_CALLS / 10


def asked_by(world, caller, verb, given_to):
    """What a caller gets to see, be it an answer or the words of a refusal (which may repeat the id that was asked)."""
    with holdfast.open(world.home, caller=caller) as memory:
        try:
            return shown(run(memory, verb, given_to)), "answered"
        except holdfast.HoldfastError as error:
            return "" if IDS.search(error.message) else error.message, "refused"


def sees_everyone(verb, given_to):
    """Whether the call is about others too: `verify` always is, and names what it finds wrong."""
    if verb == "verify":
        return True
    given_to = given_to[0] if isinstance(given_to, tuple) else given_to
    return given_to.get("user") not in (None, "ana") or bool(given_to.get("session") or given_to.get("session_id"))


@SETTINGS
@given(data=st.data())
def test_an_owner_who_names_nobody_sees_only_the_default_user(world, data):
    verb = data.draw(st.sampled_from(["search", "query", "context", "tags", "sessions", "stats", "export"]))
    given_to = data.draw(calls(world)[verb])
    parts = [dict(part) for part in (given_to if isinstance(given_to, tuple) else (given_to,))]
    for part in parts:
        part.pop("user", None)
        part.pop("session", None)
    with holdfast.open(world.home, user="ana") as memory:
        text = shown(run(memory, verb, tuple(parts) if len(parts) > 1 else parts[0]))
    ids, marks = world.foreign("main/ana", "main/global")
    assert not ids.intersection(IDS.findall(text)), (verb, given_to)
    assert not [mark for mark in marks if mark in text], (verb, given_to)


def test_a_principal_cannot_call_itself_somebody_else(world):
    with holdfast.open(world.home, user="ben", caller=PRINCIPAL) as memory, pytest.raises(holdfast.Denied):
        memory.search("harbour")


def test_an_agent_never_sees_another_agents_memory(world):
    everyone = holdfast.Caller(grants=ALL)
    others = {id for id, owner in world.owner.items() if owner.startswith("other/")}
    with holdfast.open(world.home, caller=everyone) as memory:
        for id in others:
            if id.startswith("mem_"):
                with pytest.raises(holdfast.NotFound):
                    memory.get(id)
        assert not others.intersection(IDS.findall(shown(memory.query(user="*", every=True, rank="recent"))))
        assert not others.intersection(IDS.findall(shown(memory.sessions(user="*"))))
