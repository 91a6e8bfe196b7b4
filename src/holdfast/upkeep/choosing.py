"""Choosing: which entries a `forget` means, whatever an index shows or hides of them.

A Choice is what the caller said; `pick` reads the journals and names every entry that it covers:
visible, deleted and superseded ones, then what was made from them (facts and summaries, however far
removed, D26), and those of which only quarantine still has something (D40). A choice of a whole session,
user or workspace takes the journals themselves.
"""

from __future__ import annotations

import os

from ..errors import Invalid, NotFound
from ..guard import fields
from ..model.ids import GLOBAL, user_dir
from ..model.query import Filter, passes, tagged
from ..model.scope import whole
from ..model.value import Value
from ..recall import filters
from ..recall.missing import missing
from ..recall.times import moment
from .covering import covered, covers_line
from .holdings import holdings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..model.entry import Entry
    from ..model.scope import Scope
    from ..store import Store
    from .holdings import Holding, Holdings

DERIVED = ("fact", "summary")


class Choice(Value):
    """What shall be forgotten; everything that is given must hold."""

    ids: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    user: str | None = None  # with "*" for every user: their whole memory, unless something narrows it
    workspace: str | None = None
    key: str | None = None
    wanted: Filter = Filter()
    history: bool = False  # only the former words of these ids

    @property
    def narrows(self) -> bool:
        return bool(self.ids or self.key) or self.wanted.narrows


class Picked:
    """The entries that a choice covers, by journal."""

    def __init__(self) -> None:
        self.chosen: dict[str, dict[str, Holding]] = {}
        self.derived: dict[str, dict[str, Holding]] = {}
        self.remove: list[str] = []  # journals that go as a whole
        self.history: dict[str, list[str]] = {}  # entries that stay and lose their former words
        self.lost: dict[str, list[str]] = {}  # entries that no journal has any more
        self.unsure: list[str] = []  # files of quarantine that may be of what is chosen; nobody can tell

    @property
    def ids(self) -> list[str]:
        return sorted(id for held in self.chosen.values() for id in held)

    @property
    def derived_ids(self) -> list[str]:
        return sorted(id for held in self.derived.values() for id in held)

    @property
    def ids_by_journal(self) -> dict[str, list[str]]:
        kinds = (self.chosen, self.derived, self.lost)
        journals = sorted({*self.remove, *(name for kind in kinds for name in kind)})
        return {name: sorted({id for kind in kinds for id in kind.get(name, ())}) for name in journals}

    def take(self, journal: str, holding: Holding, derived: bool = False) -> None:
        kind = self.derived if derived else self.chosen
        kind.setdefault(journal, {})[holding.entry.id] = holding

    def has(self, id: str) -> bool:
        return any(id in held for kind in (self.chosen, self.derived, self.lost) for held in kind.values())


def choose(
    store: Store, scope: Scope, *, ids: Sequence[str] = (), session: str | None = None, user: str | None = None,
    workspace: str | None = None, topic: str | None = None, key: str | None = None,
    since: Any = None, until: Any = None, older_than: Any = None, history: bool = False,
) -> Choice:  # fmt: skip
    """What a caller said, checked; a session was resolved with the scope. Naming nothing is refused."""
    given = {"since": since, "until": until, "tags": None if topic is None else [topic]}
    wanted = _filter(store, {name: value for name, value in given.items() if value is not None})
    if older_than is not None:
        before = moment(older_than, store.clock.now(), store.settings["time.zone"], "older_than")
        wanted = wanted.replace(until=before if wanted.until is None else min(wanted.until, before))
    choice = Choice(
        ids=tuple(dict.fromkeys(fields.entry_id(id) for id in ids)), user=user,
        sessions=scope.sessions if session is not None else (),
        workspace=None if workspace is None else store.settings.workspace(fields.workspace(workspace)),
        key=None if key is None else fields.memory_key(key), wanted=wanted, history=history,
    )  # fmt: skip
    if not (choice.narrows or choice.sessions or choice.user or choice.workspace):
        raise Invalid("forget needs to know what: an id, session, user, workspace, topic or time", field="forget")
    return choice


def _filter(store: Store, given: dict[str, Any]) -> Filter:
    return filters.build(given, now=store.clock.now(), zone=store.settings["time.zone"])


def pick(store: Store, scope: Scope, choice: Choice) -> Picked:
    """Everything that the choice covers, read from the journals; NotFound for an id that never was."""
    behind = store.index.refresh(whole(store.agent), store.settings["index.wait_ms"])
    if not choice.ids:  # a session may go on in one that cannot be read
        store.require_readable(scope, "what is to be forgotten")
    picked = Picked()
    for journal in _journals(store, scope, choice):
        held = holdings(store.journal, whole(store.agent), journal)
        if held is None:
            continue
        if _whole(store, held, choice):
            picked.remove.append(journal)
        _pick_from(picked, held, scope, choice)
        if not choice.history:
            _add_summaries(picked, held)
    _pick_lost(picked, store, scope, choice)
    _check_known(store, scope, choice, picked, behind)
    if choice.history:
        picked.history = {journal: sorted(held) for journal, held in picked.chosen.items()}
        picked.chosen = {}
        return picked
    _add_derived(store, picked)
    return picked


def _journals(store: Store, scope: Scope, choice: Choice) -> list[str]:
    """Where to look: as few journals as the choice allows."""
    if choice.ids:
        places = store.index.locate(scope, choice.ids, every=True)
        late = store.index.lagging(scope) if len(places) < len(choice.ids) else ()
        return sorted({*(place.journal for place in places.values()), *late})
    if choice.sessions:
        return sorted(choice.sessions)
    if choice.key is not None and scope.user is not None:
        return [user_dir(scope.user)]
    known = [card.id for card in store.index.cards(scope)]  # one that cannot be read says itself that it is not
    return list(dict.fromkeys([*store.journal.journals(scope), *known]))


def _whole(store: Store, held: Holdings, choice: Choice) -> bool:
    """Whether the journal itself goes, with card and damaged lines."""
    if choice.narrows or choice.history:
        return False
    if held.journal == GLOBAL:
        return choice.user == "*" and choice.workspace is None
    card = store.journal.card(whole(store.agent), held.journal)
    places = {holding.entry.workspace for holding in held} | {card.workspace if card else None}
    return choice.workspace is None or places == {choice.workspace}


def _pick_from(picked: Picked, held: Holdings, scope: Scope, choice: Choice) -> None:
    whole_journal = held.journal in picked.remove
    for holding in held:
        if whole_journal or _covers(holding.entry, scope, choice):
            picked.take(held.journal, holding)
            _take_former(picked, held, holding)


def _pick_lost(picked: Picked, store: Store, scope: Scope, choice: Choice) -> None:
    """What only quarantine has; a journal that is gone with all its files goes as a whole once nothing of it stays."""
    for piece in missing(store.journal, store.index, scope):
        if piece["change"]:  # it goes with its entry
            continue
        covered = piece["journal"] not in picked.remove and _covers_lost(store, piece, choice)
        if covered and piece["entry"] is not None:
            picked.lost.setdefault(piece["journal"], []).append(piece["entry"])
        elif covered is None or covered:
            picked.unsure.append(os.path.relpath(piece["file"], store.home))
    for journal, ids in picked.lost.items():
        pieces = store.journal.quarantined(whole(store.agent), journal)
        gone = store.journal.size(whole(store.agent), journal) is None
        if gone and all(piece["entries"] and {*piece["entries"]} <= {*ids} for piece in pieces):
            picked.remove.append(journal)


def _covers_lost(store: Store, piece: dict[str, Any], choice: Choice) -> bool | None:
    """Whether the choice means it; None where too little of it is known to tell."""
    if choice.history:
        return False
    if choice.ids and piece["entry"] not in choice.ids:
        return False
    card = store.journal.card(whole(store.agent), piece["journal"])
    owner = piece["user_id"] or (card.user_id if card else None)
    named = choice.user in ("*", owner) or piece["journal"] in choice.sessions
    if not (named or (choice.user is None and not choice.sessions)):
        return False
    if choice.workspace is not None and (card is None or card.workspace != choice.workspace):
        return False
    if choice.key is not None:
        return None if owner is not None and piece["journal"] == user_dir(owner) else False
    return _passes_lost(piece, choice.wanted)


def _passes_lost(piece: dict[str, Any], wanted: Filter) -> bool | None:
    """By time and tags, which is all that a choice narrows by; None where it cannot be read."""
    time, tags = piece["time"], piece["tags"]
    timed = wanted.since is not None or wanted.until is not None
    early = time is not None and wanted.since is not None and time < wanted.since
    late = time is not None and wanted.until is not None and time >= wanted.until
    other = tags is not None and not all(tagged(tags, topic) for topic in wanted.tags_all)
    if early or late or other:
        return False
    return None if (timed and time is None) or (wanted.tags_all and tags is None) else True


def _covers(entry: Entry, scope: Scope, choice: Choice) -> bool:
    return (
        scope.sees(entry.scope, entry.user_id, entry.session_id, entry.workspace)
        and (not choice.ids or entry.id in choice.ids)
        and (choice.key is None or entry.key == choice.key)
        and (choice.workspace is None or entry.workspace == choice.workspace)
        and (entry.scope != "global" or choice.user in (None, "*"))
        and passes(entry, choice.wanted)
    )


def _take_former(picked: Picked, held: Holdings, newest: Holding) -> None:
    """Former values of a key go with it, or the last of them would be shown again."""
    if newest.entry.key is None or newest.superseded:
        return
    for holding in held:
        if holding.entry.key == newest.entry.key and holding.superseded:
            picked.take(held.journal, holding)


def _check_known(store: Store, scope: Scope, choice: Choice, picked: Picked, behind: int) -> None:
    """An id that was forgotten before is no error: there is nothing left to do."""
    missing = [id for id in choice.ids if not picked.has(id)]
    gone = store.reader.buried(scope, missing) if missing else {}
    for id in missing:
        if id not in gone:
            store.absent(behind, scope)
            raise NotFound(f"no entry {id} in this scope; nothing was forgotten", id=id)


def _add_derived(store: Store, picked: Picked) -> None:
    """Facts and summaries made from what goes, those that name it, and what was made from those."""
    scope = whole(store.agent)
    reached = {*picked.ids, *picked.derived_ids}
    frontier = sorted(reached)
    untold = _untold(store) if frontier else []
    while frontier:
        makers = {id: journal for id, journal in _made_from(store, frontier, untold).items() if id not in reached}
        reached |= makers.keys()
        for id, journal in sorted(makers.items()):
            held = holdings(store.journal, scope, journal)
            if held is not None and id in held.by_id:
                picked.take(journal, held.by_id[id], derived=True)
        frontier = sorted(makers)


def _made_from(store: Store, ids: Sequence[str], untold: Sequence[tuple[Entry, set[str]]]) -> dict[str, str]:
    """What was made from these, with the journal of each."""
    scope, wanted = whole(store.agent), set(ids)
    sources = sorted({source for source, _ in store.index.references(scope, ids, inbound=True)})
    visible = [entry for entry in store.reader.entries(scope, sources).values() if entry.type in DERIVED]
    made = [entry for entry in visible if wanted.intersection(entry.references)]
    made += [entry for entry, origins in untold if wanted & origins]
    places = store.index.locate(scope, [entry.id for entry in made], every=True)
    return {entry.id: places[entry.id].journal if entry.id in places else _journal_of(entry) for entry in made}


def _journal_of(entry: Entry) -> str:
    return entry.session_id or (user_dir(entry.user_id) if entry.user_id is not None else GLOBAL)


def _untold(store: Store) -> list[tuple[Entry, set[str]]]:
    """What came from which ids where no index tells: in summaries that name them, in what is deleted, in what the
    index has not seen."""
    scope = whole(store.agent)
    behind = store.index.lagging(scope)
    hidden = store.reader.all(scope, Filter(types=DERIVED, hidden=True), behind)  # its words are still there
    late = store.reader.unindexed(scope, behind) if behind else ()
    found = [(entry, {*entry.references, *covered(entry)}) for entry in (*hidden, *late) if entry.type in DERIVED]
    found += [(entry, covered(entry)) for entry in store.reader.all(scope, Filter(types=("summary",)), behind)]
    return [(entry, origins) for entry, origins in found if origins]


def _add_summaries(picked: Picked, held: Holdings) -> None:
    """Summaries that cover a range of their session in which something goes (D26)."""
    if held.journal in picked.remove or held.journal not in picked.chosen:
        return
    seqs = [holding.entry.seq for holding in picked.chosen[held.journal].values()]
    for holding in held:
        if covers_line(holding.entry, seqs) and not picked.has(holding.entry.id):
            picked.take(held.journal, holding, derived=True)
