"""The narrow waist: what a backend must do. Values in, values out.

Two ports carry the store: a Journal keeps the truth, an Index answers questions about it and can be
thrown away. Every method takes a Scope, first and without default: nothing is read or written
without saying whose it is. `holdfast.testing` holds the contract suites that each backend passes
whole. An Embedder gives vectors; Completer and Source are the seams of later stages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy import float32
    from numpy.typing import NDArray

    from .errors import StorageFailed
    from .model.batch import Batch
    from .model.card import Card
    from .model.entry import Amendment, Draft, Entry, Tombstone
    from .model.query import Filter, Label, Row, Words
    from .model.replay import Address, Mark, Replay, Rewritten, Size
    from .model.scope import Scope
    from .model.vector import Vector

    Keep = Callable[["Entry"], "Entry | None"]  # the entry as it shall stand, or None to drop it
    Progress = Callable[[int, int], None]  # done, total
    Known = Callable[[Sequence[Draft]], Mapping[str, Entry]]  # what of this is stored already, by id


class Clock(Protocol):
    """The only source of "now" for anything stored or ranked."""

    def now(self) -> int:
        """Epoch milliseconds."""


class Journal(Protocol):
    """The truth: append-only journals, one a session, user, and the agent's global one.

    `journal` is an id: `sess_…`, `u_…` or `global`. A method that returned has made its change
    durable (unless the store runs relaxed). Damage is reported in what is returned, never raised,
    except by `fetch`, which leaves damaged entries out. What cannot be read at all is StorageFailed (`unreadable`) to
    whoever asks for it, and nobody else; `journals` names it to who sees everybody's, and `fetch` leaves it out.
    """

    def create(self, scope: Scope, card: Card) -> Card:
        """Make an empty journal with its card; an existing one is left as it is and its card returned.

        A session that was forgotten, of which its own tombstone tells, is NotFound here and by `append`.
        """

    def card(self, scope: Scope, journal: str) -> Card | None:
        """The card, or None where there is no such journal."""

    def save_card(self, scope: Scope, card: Card) -> None:
        """Replace the card atomically, whatever it says now."""

    def change_card(self, scope: Scope, journal: str, change: Callable[[Card], Card]) -> Card:
        """The same with what `change` makes of the card that is there, while nobody else can change it."""

    def append(
        self, scope: Scope, journal: str, drafts: Sequence[Draft],
        known: Known | None = None,
    ) -> list[Entry]:  # fmt: skip
        """Append entries, one lock, one write, one sync; returns them in order with seq and checksum.

        `known` is asked under the lock which of those with chosen ids exist already (D33): these are returned as they
        are stored, and not written; it raises Invalid for an id that is used otherwise. Nobody else stores the same
        chosen id meanwhile, in whichever journal. The id of what was erased from this journal (`Tombstone.final`) is
        Invalid. Over the limit is SizeLimit.
        """

    def append_all(
        self, scope: Scope, batches: Sequence[Batch],
        known: Known | None = None,
    ) -> list[list[Entry]]:  # fmt: skip
        """The same for several journals, each batch in its own scope: all are written, or on an error none (D33).

        A journal that is to be made is not there either after an error. Where a disk fails and refuses to take back
        too, the error's `written` names the journals that were written.
        """

    def measure(self, scope: Scope, drafts: Sequence[Draft]) -> int:
        """Bytes that these would take; SizeLimit (`kind="entry"`) if one alone is too large. Writes nothing."""

    def amend(self, scope: Scope, journal: str, target: str, by: str, changes: Mapping[str, Any]) -> Amendment:
        """Append an amendment line; NotFound, under the lock, for what was erased (`Tombstone.final`)."""

    def bury(self, scope: Scope, journal: str, tombstones: Sequence[Tombstone]) -> None:
        """Append tombstones (or their lifting); they are kept for good.

        An erasure (`Tombstone.final`) stands, whoever comes later: to lift it is NotFound, to mark it as merely deleted
        does nothing.
        """

    def replay(self, scope: Scope, journal: str, since: Mark | None = None, most: int | None = None) -> Replay:
        """The lines after a mark, or all of them when the mark no longer fits.

        A journal may hand out a piece of about `most` bytes, and `more` then says that others follow its mark.
        """

    def tombstones(self, scope: Scope, journal: str, offset: int = 0) -> tuple[list[Tombstone], int]:
        """Tombstones from a byte offset on, and the offset after them."""

    def fetch(self, scope: Scope, addresses: Iterable[Address]) -> dict[str, Entry]:
        """Entries at these addresses, each checked (id, checksum, scope); what fails is left out."""

    def rewrite(
        self, scope: Scope, journal: str, keep: Keep, *, drop_damaged: Callable[[bytes], bool] | None = None
    ) -> Rewritten:
        """Write the journal anew as a later generation with what `keep` returns; amendments are folded.

        Damaged lines go to quarantine, except those for which `drop_damaged` says yes.
        """

    def blank(self, scope: Scope, journal: str, ids: Collection[str]) -> int:
        """Erase entries and their amendments in place, where no rewrite fits on the disk (D42); how many lines."""

    def remove(self, scope: Scope, journal: str) -> None:
        """Remove entries and card for good; the tombstones stay."""

    def journals(self, scope: Scope) -> Iterator[str]:
        """Ids of all journals of the agent, in order."""

    def roster(self, scope: Scope) -> object:
        """The same as long as no session was made: so is what a key means that one session has."""

    def size(self, scope: Scope, journal: str) -> Size | None:
        """Sizes and times of the journal's files by stat; None where it does not exist."""

    def owner(self, scope: Scope, journal: str) -> str | None:
        """Whose it is, also where not all of it can be read; None where nothing that can be read tells."""

    def when_idle(self, scope: Scope, journal: str, act: Callable[[], None]) -> bool:
        """Run `act` while no writer is in this journal; False, at once, if one is."""

    def quarantine(self, scope: Scope, journal: str, pieces: Sequence[tuple[int, bytes]]) -> int:
        """Keep damaged pieces (offset, bytes) as found, each once; returns how many were new."""

    def quarantined(self, scope: Scope, journal: str | None = None) -> list[dict[str, Any]]:
        """What lies in quarantine: journal, offset, hash, bytes, file, and what else a piece tells.

        Of what an index still knew (D40) `lost`, the id of an entry whose line is gone, and `user_id`; None for a
        damaged line. Of both `entries`, the ids that can be read; `time` and `tags`, None where they cannot; `sealed`,
        whether it was ever written to its end; `header`, whether it was the first line of its journal; `amends`,
        whether it only changed the entry; `trouble`, why it cannot be read at all.
        """

    def release(self, scope: Scope, journal: str, matches: Callable[[bytes], bool]) -> int:
        """Erase the quarantined pieces of a journal for which `matches` says yes."""

    def inspect(self, scope: Scope, journal: str, replay: Replay | None = None) -> list[dict[str, Any]]:
        """Every damaged place in the journal's files: file, line (1-based; 0: the whole file), offset, bytes, what.

        Whoever has just read all of it hands that over: it need not be read twice.
        """

    def close(self) -> None:
        """Sync what is relaxed and let go of every handle."""


class Index(Protocol):
    """What answers questions: derived from journals, disposable, never the only home of anything."""

    def announce(self, scope: Scope, journal: str) -> None:
        """A writer is about to change this journal: look at it before the next answer (D12)."""

    def follow(self, scope: Scope, lines: int) -> None:
        """So many lines were just written: index them, or leave them to the next writer or answer."""

    def refresh(self, scope: Scope, wait_ms: int) -> int:
        """Catch up with what was announced; returns how many journals are still behind.

        Of those only such as may hold something of the scope, and it waits for no other; one of which nobody can tell
        whose it is may. With `wait_ms=0` it does not wait for another writer of the index, who does the work instead,
        and counts them all.
        """

    def lagging(self, scope: Scope) -> Mapping[str, Mark | None]:
        """Those that were still behind when this thread last waited for `refresh`, with how far each was read.

        Of them those that may hold something of the scope.
        """

    def compare(self, scope: Scope) -> int:
        """Look at every journal, announced or not; returns how many had changed unannounced."""

    def sweep(self, scope: Scope) -> None:
        """Take away what a build that was killed has left, unless somebody is building; `compare` does so too."""

    def scour(self, scope: Scope, wait_ms: int) -> bool:
        """Leave no byte in any file of the index of what journals no longer hold.

        False where some of it may be left: somebody reads, writes or builds there, each of whom is waited for no longer
        than so, or the disk refuses.
        """

    def unreadable(self, scope: Scope) -> Mapping[str, StorageFailed]:
        """Journals that could not be read when this process last tried, with what the disk said.

        Of them those that may hold something of the scope. What the index had of them stays as it was, they are behind
        nobody's answer, and `refresh` takes them up as soon as they can be read.
        """

    def rebuild(
        self, scope: Scope, progress: Progress | None = None, embedder: Embedder | None = None, vectors: bool = True
    ) -> None:
        """Build a new generation from the journals beside the old one, which serves until the flip.

        Vectors that still hold are taken over, unless `vectors` is False: then the new generation has none. With an
        embedder, all vectors are of that one before the flip.
        """

    def suspect(self, scope: Scope, journal: str) -> None:
        """Entries of this journal did not read back: re-read it whole on the next refresh."""

    def rows(
        self, scope: Scope, wanted: Filter, order: str = "time", limit: int | None = None, offset: int = 0
    ) -> list[Row]:
        """Entries that pass: `oldest` first, newest first (`time`), by `importance` and then so, or in `any` order."""

    def match(self, scope: Scope, wanted: Filter, words: Words, limit: int) -> list[Row]:
        """The best keyword candidates that pass, with BM25 score and, of not too many, their text; best first."""

    def extent(self, scope: Scope) -> int:
        """About how many texts a user's memory holds, and what is shared with it; hardly ever fewer than there are."""

    def near(self, scope: Scope, wanted: Filter, vector: Vector, limit: int) -> list[Row]:
        """Those that pass with the nearest vectors, nearest first, with `cosine`; none for a vector of another kind."""

    def backlog(self, scope: Scope) -> tuple[int, int]:
        """How many entries wait for a vector, of how many visible ones; (0, 0) when none does."""

    def not_taken(self, scope: Scope) -> int:
        """How many of those that wait do so because the embedder did not take their text."""

    def embed(self, scope: Scope, embedder: Embedder, budget_ms: int | None, first: int = 4) -> int:
        """Give vectors to what has none, last written first, within a budget; returns how many still wait.

        A text that was not taken keeps no other from its turn; without a budget it is tried again.
        The `first` texts at once show how fast the embedder is; more follow as that allows. ProviderFailed if the
        vectors here are of another embedder: only a rebuild changes that.
        """

    def embedded_by(self, scope: Scope) -> str | None:
        """The identity of the embedder whose vectors are here; None before the first."""

    def dimensions(self, scope: Scope) -> int | None:
        """How many numbers each vector here has; None before the first."""

    def unsound(self, scope: Scope) -> list[tuple[str | None, str]]:
        """Vectors that are not what was stored: the entry, None where it is of none, and what is wrong."""

    def make_sound(self, scope: Scope, wait_ms: int) -> bool:
        """Take those out, so that their texts wait for others; False where somebody writes all the while."""

    def describe(self, scope: Scope, rows: Sequence[Row]) -> None:
        """Fill in the text of these rows, of a long one the piece that matches."""

    def look_back(self, scope: Scope, rows: Sequence[Row]) -> None:
        """Fill in which entries stand before these in their journal, and whether they ask."""

    def following(self, scope: Scope, wanted: Filter, rows: Sequence[Row]) -> list[Row]:
        """The entries that stand right after these in their journal, those that pass, in any order."""

    def when_recalled(self, scope: Scope, rows: Sequence[Row]) -> None:
        """Fill in when these rows were last recalled."""

    def authors(self, scope: Scope, most: int) -> list[str]:
        """Names of those who speak in this scope, in order; at most so many."""

    def mentions(self, scope: Scope, author: str) -> tuple[int, int, float]:
        """How often what an author is called stands in their own words, and in those of the others they speak with; and
        the share of the author in what is said beside these, within five turns. Of very many some will do."""

    def rarity(self, scope: Scope, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """Number of searchable entries, and in how many each term occurs, whosever they are.

        It is none for a term that no entry of the scope holds, or next to none: where thousands elsewhere hold a word,
        an index may count it as known.
        """

    def begun(self, scope: Scope, terms: Sequence[str]) -> dict[str, list[str]]:
        """For each of these words a few longer ones of the scope; in alphabetical order, and only as stems.

        Which are of the scope it tells as `rarity` does.
        """

    def stems(self, text: str) -> list[str]:
        """The tokens under which this text is found, in order."""

    def names(self, scope: Scope) -> str:
        """The words that the index's own files are made of: tables, columns and the like."""

    def locate(self, scope: Scope, ids: Sequence[str], every: bool = False) -> dict[str, Address]:
        """Where these entries lie; unknown ids and those out of scope are left out, hidden ones too unless `every`."""

    def labels(self, scope: Scope, ids: Sequence[str]) -> dict[str, Label]:
        """What these are filed under, hidden ones included."""

    def buried(self, scope: Scope, ids: Sequence[str]) -> dict[str, Tombstone]:
        """The standing tombstones of these ids."""

    def references(self, scope: Scope, ids: Sequence[str], inbound: bool) -> list[tuple[str, str]]:
        """Edges (from, to) that leave these ids, or that point at them."""

    def same_text(self, scope: Scope, ids: Sequence[str]) -> list[str]:
        """Other visible entries with exactly the text of one of these."""

    def contains(self, scope: Scope, fragment: str) -> bool:
        """Whether any remaining entry (any user's) holds this fragment, ignoring case.

        Deleted entries remain; those with a tombstone of `forget` do not, even while they are being erased.
        """

    def cards(
        self,
        scope: Scope,
        journal: str | None = None,
        key: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Card]:
        """Cards of sessions in scope, last used first, with live counts."""

    def sessions(self, scope: Scope, ids: Sequence[str]) -> dict[str, tuple[str | None, Mapping[str, Any]]]:
        """Key and decay overrides of these sessions: what ranking and display need of them."""

    def under_key(self, scope: Scope, key: str) -> list[str]:
        """Ids of the sessions with this key, last used first: one, or a chain that go on from each other (D11)."""

    def tags(self, scope: Scope) -> dict[str, int]:
        """How often each tag is used."""

    def counts(self, scope: Scope) -> dict[str, Any]:
        """Entries by type, sessions, users, bytes, damaged and hidden counts."""

    def damaged(self, scope: Scope, journals: Sequence[str]) -> int:
        """How many damaged lines these journals have."""

    def recall(self, scope: Scope, ids: Sequence[str], time: int) -> None:
        """A person or agent recalled these entries (D35); kept at most once an hour for each."""

    def erase(self, scope: Scope, journals: Sequence[str], ids: Sequence[str], former: Sequence[str] = ()) -> None:
        """Take these entries out of every table, the cache and every other generation, physically.

        Those in `former` stay; what was made of words that they once had goes likewise.
        """

    def version(self, scope: Scope) -> int:
        """Changes whenever any process changed the index: for caches of parsed entries."""

    def status(self, scope: Scope) -> dict[str, Any]:
        """Generation, path, bytes, rows, journals behind, damage found, last rebuild."""

    def close(self) -> None:
        """Write down what is pending and let go of every handle."""


class Embedder(Protocol):
    """Texts to unit vectors; `identity` is provider/model/whatever else changes the numbers."""

    identity: str
    dimensions: int
    floor: float  # a cosine up to this counts for nothing: at most that of texts on different things (D19)
    costly: bool  # whether its vectors are worth a cache

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[float32]:
        """One row of length 1 for each text, or of zeros where there is nothing to read."""

    def known(self, text: str) -> float:
        """The share of a text's words that the vectors were made for, 0 to 1."""


class Lexicon(Protocol):
    """What an embedder may be besides: one who knows words, and which mean the same. Asked only where it has this."""

    def is_word(self, term: str) -> bool:
        """Whether there is such a word, in lower case; a rare one may not be known."""

    def alike(self, terms: Sequence[str], texts: Sequence[str]) -> NDArray[float32]:
        """A row a text: how far its likest word means the same as each term; 0 is another thing, 1 the same."""


class Completer(Protocol):
    """A language model for summaries and facts; never on the user's path."""

    def complete(self, prompt: str, max_tokens: int, deadline_ms: int) -> str:
        """The model's answer, or ProviderFailed."""


class Source(Protocol):
    """What the index reads besides journals: memory files and foreign transcripts."""

    def files(self, scope: Scope) -> Iterator[str]:
        """Paths that this source would have indexed."""
