"""Histories: entries of every kind, random filters, and a life of random changes for the index contract.

Everything comes from a seeded Random, so that a failure can be repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.entry import ROLES, TYPES
from ..model.moment import HOUR_MS, millis
from ..model.query import Filter
from ..model.record import fold
from ..model.scope import Scope
from .workbench import AGENT, ALL, ANA, BEN, OTHER, SESSION

if TYPE_CHECKING:
    from random import Random

    from ..model.entry import Entry
    from .workbench import Workbench

QUESTIONS = (
    '"', "'", '""" OR 1=1', "plain AND", "NOT plain", "NEAR(a b)", "text:plain", "{text}: x", "a OR", "(", ")))", "*",
    "**", "?", "plain*?*", "-plain", "^plain", "+", "%", "_", "\\", "--", "; DROP TABLE x", "\x00plain", "a" * 500,
    "[a-z]*", "ï¼ˆ", "🎉", "\u202eplain", "col : x", "{", "}", "a.b.c", "'; --", "\t\n", "x" * 100 + "*", "日" * 50,
)  # fmt: skip
_TAGS = ("security", "security.auth", "security.auth.oauth", "security2", "ops", "ops.deploy", "personal")
WORDS = ("common", "oauth", "database", "deploy", "migration", "zebra", "認証方式", "editor", "coffee", "invoice")
_AUTHORS = ("Ana", "Ben", "Zoe")
_PROVENANCE = ("user", "agent", "tool:grep", "tool:grep:deep", "tool:web", "web", "import:chat")


def varied(backend: Workbench, random: Random, count: int) -> list[Entry]:
    """Entries that differ in every field a filter can ask for, of two users and in every scope."""
    places = [
        (backend.session(SESSION), "ana"), (backend.session(OTHER, user="ben"), "ben"),
        (backend.user("ana"), "ana"), (backend.user("ben"), "ben"), (backend.shared(), "ana"),
    ]  # fmt: skip
    return [_varied(backend, random, *random.choice(places)) for _ in range(count)]


def _varied(backend: Workbench, random: Random, journal: str, user: str) -> Entry:
    backend.clock.advance(random.choice((0, 1, HOUR_MS)))
    return backend.add(
        "common " + " ".join(random.choices(WORDS, k=3)), journal, user, type=random.choice(TYPES),
        content={
            "text": "common " + random.choice(WORDS),
            **random.choice(({}, {"role": random.choice(ROLES)}, {"author": random.choice(_AUTHORS)})),
        },
        tags=tuple(random.sample(_TAGS, random.randrange(4))), importance=random.choice((0.0, 0.25, 0.5, 1.0)),
        workspace=random.choice((None, "/a", "/b")), provenance=random.choice(_PROVENANCE),
        pinned=random.random() < 0.3, sensitive=random.random() < 0.3,
    )  # fmt: skip


def random_scope(random: Random) -> Scope:
    """Any scope: all users or one, narrowed or not."""
    scope = random.choice((ALL, ANA, BEN, ANA.replace(shared=False), Scope(agent=AGENT, user="nobody")))
    if random.random() < 0.3:
        scope = scope.replace(sessions=random.choice(((SESSION,), (OTHER,), (SESSION, OTHER))))
    if random.random() < 0.3:
        scope = scope.replace(workspace=random.choice(("/a", "/b", "/none")), loose=random.random() < 0.5)
    return scope


def random_filter(random: Random, entries: list[Entry]) -> Filter:
    """A filter with about two of its fields set, to values that occur."""
    times = sorted(millis(entry.timestamp) for entry in entries)
    choices: dict[str, Any] = {
        "types": tuple(random.sample(TYPES, 2)), "tags_all": (random.choice(_TAGS),),
        "tags_any": tuple(random.sample(_TAGS, 2)), "tags_none": (random.choice(_TAGS),),
        "since": random.choice(times), "until": random.choice(times), "min_importance": random.choice((0.25, 0.5)),
        "scopes": (random.choice(("session", "user", "global")),), "roles": (random.choice(ROLES),),
        "authors": (random.choice(_AUTHORS),),
        "provenance": (random.choice(("user", "tool", "tool:grep", "import")),),
        "ids": tuple(entry.id for entry in random.sample(entries, min(5, len(entries)))),
        "pinned": random.random() < 0.5, "sensitive": random.random() < 0.5,
    }  # fmt: skip
    names = random.sample(sorted(choices), random.choice((0, 1, 1, 2, 2, 3)))
    return Filter(**{name: choices[name] for name in names})


def live(backend: Workbench, random: Random, steps: int) -> None:
    """A life of adds, amendments, deletions, undeletions and rewrites in three journals."""
    backend.session(SESSION)
    backend.session(OTHER, user="ben")
    own = backend.user("ana")
    for _ in range(steps):
        journal, user = random.choice(((SESSION, "ana"), (SESSION, "ana"), (OTHER, "ben"), (own, "ana")))
        held = list(fold(backend.journal.replay(ALL, journal).lines).values())
        act = random.choice(("add", "add", "add", "amend", "bury", "undelete", "rewrite", "look"))
        if act == "add" or not held:
            key = {"type": "preference", "key": random.choice(("editor", "shell"))} if journal == own else {}
            text = " ".join(random.choices(WORDS, k=4))
            backend.add(text, journal, user, tags=tuple(random.sample(_TAGS, 2)), **key)
        elif act == "amend":
            changes = {"text": " ".join(random.choices(WORDS, k=3)), "tags": random.sample(_TAGS, 1), "pinned": True}
            name = random.choice(sorted(changes))
            backend.journal.amend(ALL, journal, random.choice(held).id, user, {name: changes[name]})
        elif act in ("bury", "undelete"):
            backend.bury(random.choice(held), reason="user" if act == "bury" else "undelete", journal=journal)
        elif act == "rewrite":
            gone = random.choice(held).id
            backend.journal.rewrite(ALL, journal, lambda entry, gone=gone: None if entry.id == gone else entry)  # type: ignore[misc]
        else:
            backend.level()


def answers(backend: Workbench) -> dict[str, Any]:
    """What an index says to a set of questions: equal before and after a rebuild."""
    index = backend.level()
    scopes = {"all": ALL, "ana": ANA, "ben": BEN}
    found: dict[str, Any] = {}
    for name, scope in scopes.items():
        found[name] = {order: backend.ids(scope, order=order) for order in ("time", "oldest", "importance")}
        found[name]["hidden"] = backend.ids(scope, Filter(hidden=True))
        found[name]["superseded"] = backend.ids(scope, Filter(superseded=True))
        found[name]["tags"] = index.tags(scope)
        found[name]["counts"] = index.counts(scope)
        found[name]["cards"] = [card.to_dict() for card in index.cards(scope)]
        for word in WORDS:
            found[name][word] = backend.find(f"{word} coffee", scope)
    found["rarity"] = index.rarity(ALL, WORDS)
    found["buried"] = sorted(index.buried(ALL, found["all"]["hidden"]))
    return found
