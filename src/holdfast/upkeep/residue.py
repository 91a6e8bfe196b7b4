"""Residue: proof that nothing is left, by a byte search of every file below the home (D15, D24).

The search runs in a process of its own (`scan`). What it finds is residue unless something that
remains holds it too: another entry, a card, or the names that our own formats are made of. Files that
people write themselves (LEARNINGS.md, config.toml) are theirs: a forgotten text that stands in one is
named as an original, never changed. Other agents' folders are other memories and are left alone.
"""

from __future__ import annotations

import json
import os
import sys

from ..disk import REAL, read_file
from ..model.card import Card
from ..model.entry import REASONS, ROLES, SCOPES, TYPES, Amendment, Entry, Tombstone
from ..model.ids import user_dir
from ..model.query import Filter, Words
from ..model.scope import whole
from ..text.content import searchable_text
from . import scan
from .fragments import said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..store import Store
    from .fragments import Fragments

_LONGEST_S = 3_600  # of the search of all files: a child that another thread forks may keep its pipe open for good
_FEW = 500  # entries with a word: so many are matched and ranked faster than the next that has it is come across
ENTRIES = "memory.jsonl"
AUTHORED = ("LEARNINGS.md", "config.toml", ".holdfast.toml")
# Names that stand in journals, cards and state besides the fields of values; an index answers for its own.
_OTHER_NAMES = (
    "journal generation next_seq salvaged_from_index rebuilt language verbosity custom threshold auto_compact"
    " half_life_hours min_decay_factor type_specific decay_enabled holdfast"
)


class Residue:
    """What a search found that must not be there, and what it looked at."""

    __slots__ = ("checked", "files", "originals")

    def __init__(self, files: Iterable[str], originals: Iterable[str], checked: dict[str, Any]) -> None:
        self.files, self.originals, self.checked = tuple(sorted(files)), tuple(sorted(originals)), checked


def search(store: Store, fragments: Fragments, lost: str = "") -> Residue:
    """Look for these fragments in every file of the store; `lost` is what lost entries say, which stays as they do."""
    wanted = fragments.all
    answer = _scan(_roots(store), wanted)
    held = _Held(store, fragments, lost)
    residue, originals = set(answer["unreadable"]), set[str]()
    for name, numbers in answer["found"].items():
        if os.path.basename(name) in AUTHORED:
            originals.update(name for number in numbers if wanted[number] in fragments.passages)
        elif not all(held(wanted[number]) or held.formerly(wanted[number], name) for number in numbers):
            residue.add(name)
    checked = {
        "files": answer["files"], "bytes": answer["bytes"], "texts": fragments.texts, "words": fragments.words,
        "fragments": len(wanted), "encodings": list(scan.ENCODINGS),
    }  # fmt: skip
    return Residue(residue, originals, checked)


class _Held:
    """Whether something that remains holds a fragment; each is asked about once."""

    def __init__(self, store: Store, fragments: Fragments, lost: str) -> None:
        self._store, self._fragments, self._scope = store, fragments, whole(store.agent)
        self._lost = lost
        self._known: dict[str, bool] = {}
        self._histories: dict[str, str] = {}  # journal's file -> all that its good lines say
        self._names: str | None = None

    def __call__(self, fragment: str) -> bool:
        if fragment not in self._known:
            self._known[fragment] = self._ask(fragment)
        return self._known[fragment]

    def _ask(self, fragment: str) -> bool:
        """The cheapest answer first: `contains` may have to look at every entry."""
        if fragment.lower() in self.names:
            return True
        if fragment.lower() in self._lost and fragment not in self._fragments.sentences:
            return True  # a word is anybody's; the forgotten text itself is not, wherever it stands
        words = sorted(self._fragments.tails.get(fragment, ()))
        _, rarity = self._store.index.rarity(self._scope, words) if words else (0, {})
        if fragment in self._fragments.stemmed and any(rarity.values()):
            return True  # a stem stands in the index while any word with that stem remains, however it is spelt
        rare = [word for word in words if 0 < rarity[word] <= _FEW]
        return any(self._spoken(word, fragment) for word in rare) or self._store.index.contains(self._scope, fragment)

    def formerly(self, fragment: str, file: str) -> bool:
        """Whether an entry that stays said this before it was amended: its history is its own, not residue (D24)."""
        if os.path.basename(file) != ENTRIES:
            return False
        if file not in self._histories:
            journal = os.path.basename(os.path.dirname(file))
            lines = self._store.journal.replay(self._scope, journal).lines
            staying = [record for line in lines if (record := line.record) and not self._fragments.tells_of(record)]
            self._histories[file] = "\n".join(text for record in staying for text in said(record)).lower()
        return fragment.lower() in self._histories[file]

    def _spoken(self, word: str, fragment: str) -> bool:
        """Whether one of the entries found by the word says it in just this form."""
        rows = self._store.index.match(self._scope, Filter(), Words(terms=(word.lower(),)), 3)
        found = self._store.reader.entries(self._scope, [row.id for row in rows]).values()
        return any(fragment.lower() in searchable_text(entry.content).lower() for entry in found)

    @property
    def names(self) -> str:
        """All names that our files are made of, and all cards: read only if something was found."""
        if self._names is None:
            own = (self._store.index.names(self._scope), self._store.embedding.names())
            self._names = "\n".join([*_format_names(), *own, *_cards(self._store)]).lower()
        return self._names


def _format_names() -> list[str]:
    fields = [name for value in (Entry, Amendment, Tombstone, Card) for name in value._fields]
    return [*fields, *TYPES, *SCOPES, *ROLES, *REASONS, _OTHER_NAMES]


def _cards(store: Store) -> list[str]:
    """Cards say whose and where, and stay with their sessions; a title says what, and is cleared (`forget`)."""
    scope = whole(store.agent)
    cards = store.index.cards(scope)
    users = {card.user_id for card in cards if card.user_id is not None}
    cards += [card for user in users if (card := store.journal.card(scope, user_dir(user)))]
    return [json.dumps(card.replace(title=None).to_dict(), ensure_ascii=False) for card in cards]


def _roots(store: Store) -> list[dict[str, Any]]:
    """The home without other agents, and the index where it lies elsewhere."""
    agents = os.path.join(store.home, "agents")
    others = [name for name in _names(agents) if name != store.agent]
    own = os.path.join("agents", store.agent)
    skip = [*(os.path.join("agents", name) for name in others), os.path.join(own, "locks")]
    skip.append("ballast")  # reserved space that nobody ever writes to: 4 MiB of zeros cost a second
    skip += [os.path.join(own, "index", name) for name in ("index.lock", "build.lock")]
    roots: list[dict[str, Any]] = [{"root": store.home, "skip": skip, "prefix": ""}]
    path = store.index.status(whole(store.agent)).get("path")
    if path and os.path.relpath(path, store.home).startswith(os.pardir):
        elsewhere = os.path.dirname(os.path.dirname(path))
        roots.append({"root": elsewhere, "skip": ["index.lock", "build.lock"], "prefix": elsewhere + os.sep})
    return roots


def _names(directory: str) -> list[str]:
    try:
        return sorted(REAL.listdir(directory))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _scan(roots: list[dict[str, Any]], fragments: list[str]) -> dict[str, Any]:
    """The answer of the other process; where none can be started, everything counts as unread."""
    import subprocess

    if not sys.executable:  # an interpreter inside another program may not know where it came from
        return _unsearched("no interpreter is known")
    job = json.dumps({"roots": roots, "fragments": fragments, "path": sys.path})
    try:
        source = read_file(REAL, scan.__file__).decode()
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", source], input=job, capture_output=True, text=True, check=True,
            timeout=_LONGEST_S,
        )  # fmt: skip
        answer = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return _unsearched(type(error).__name__)
    return dict(answer)


def _unsearched(why: str) -> dict[str, Any]:
    return {"files": 0, "bytes": 0, "found": {}, "unreadable": [f"not searched: {why}"]}
