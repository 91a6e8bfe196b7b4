"""Browsing: entries, sessions, tags and preferences as they are, without a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import NotFound
from . import entries, figures, screen
from .everywhere import NOTHING, OK, Call, Verb, pass_call
from .filters import filters, narrowed
from .finding import lacking, show
from .visible import in_one_line

if TYPE_CHECKING:
    from datetime import tzinfo

    from holdfast import Entry, Memory, Session


@click.command(cls=Verb)
@click.argument("id")
@pass_call
def get(call: Call, id: str) -> int:
    """Show one entry whole.

    It is read from its journal and checked, never taken from the index. `holdfast show` is the same.

    \b
    holdfast get mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB
    holdfast get mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB --json | jq -r .content.text
    """
    with call.memory() as memory:
        entry = memory.get(id, user=call.user)
        zone, now = figures.zone_of(memory), memory.store.clock.now()
    if call.as_json:
        screen.data(entry.to_dict())
    else:
        entries.whole(entry, zone, now)
    return OK


@click.command("list", cls=Verb)
@click.option("--deleted", is_flag=True, help="Deleted entries that undelete can still bring back.")
@filters
@pass_call
def list_entries(call: Call, /, deleted: bool, **given: Any) -> int:
    """List the newest entries.

    \b
    holdfast list
    holdfast list --type decision --limit 50
    holdfast list --session login --since yesterday
    holdfast list --deleted                       what `undelete` can bring back
    """
    asked = narrowed(call.user, given)
    with call.memory() as memory:
        found = memory.query(rank="recent", hidden=deleted, **asked)
        zone = figures.zone_of(memory)
    otherwise = "nothing was deleted" if deleted else "nothing is remembered yet"
    if asked["offset"] or asked.keys() - {"user", "limit", "offset"}:
        otherwise = f"no {'deleted ' if deleted else ''}entry passes these filters"
    return show(call, found, zone, otherwise)


@click.command(cls=Verb)
@click.argument("key", required=False)
@pass_call
def memories(call: Call, key: str | None) -> int:
    """List what the user wants remembered, by key.

    With a KEY only its value is printed, for use in scripts.

    \b
    holdfast memories
    holdfast memories editor
    holdfast memories --user ana --json
    """
    with call.memory() as memory:
        user = memory.user(call.user if call.user is not None else memory.default_user)
        found = user.memories()
        if key is not None and all(entry.key != key for entry in found):
            memory.store.absent(found.behind, memory.scope(user=user.id))
    lacking(found)
    if key is not None:
        return _value(call, user.id, key, found)
    if call.as_json:
        screen.data([entry.to_dict() for entry in found])
    elif found:
        screen.table(("key", "value", "since"), [(str(e.key), in_one_line(e.text), e.timestamp[:10]) for e in found])
    else:
        screen.note(f"{user.id} wants nothing remembered yet; `holdfast remember KEY VALUE` begins")
    return OK if found else NOTHING


def _value(call: Call, user: str, key: str, found: list[Entry]) -> int:
    entry = next((entry for entry in found if entry.key == key), None)
    if entry is None:
        raise NotFound(f"{user} has no memory {key[:64]!r}; `holdfast memories` lists those there are", key=key[:64])
    if call.as_json:
        screen.data(entry.to_dict())
    else:
        screen.line(entry.text)
    return OK


@click.command(cls=Verb)
@click.option("--workspace", metavar="DIR", help="Of one workspace.")
@click.option("--limit", type=click.IntRange(min=1), default=20, metavar="N", help="At most so many.")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Leave out the first so many.")
@pass_call
def sessions(call: Call, workspace: str | None, limit: int, offset: int) -> int:
    """List sessions, last used first.

    \b
    holdfast sessions
    holdfast sessions --workspace . --limit 5
    holdfast sessions --user '*' --json
    """
    with call.memory() as memory:
        found = memory.sessions(user=call.user, workspace=workspace, limit=limit, offset=offset)
        zone = figures.zone_of(memory)
    lacking(found)
    if call.as_json:
        screen.data([session.to_dict() for session in found])
    elif found:
        headings = ("last used", ">entries", ">size", "key", "id", "title")
        screen.table(headings, [_row(session, zone) for session in found])
    else:
        screen.note("there are no sessions yet; `holdfast add` begins one")
    return OK if found else NOTHING


def _row(session: Session, zone: tzinfo | None) -> tuple[str, ...]:
    card = session.card
    used = figures.when(card.last_accessed or card.created_at, zone)
    title = card.title or ("ended" if card.ended_at else "")
    return used, f"{card.total_entries:,}", figures.size(card.total_size_bytes), session.key, session.id, title


@click.command(cls=Verb)
@click.argument("session", required=False)
@click.option("--since", metavar="TIME", help="From then on.")
@click.option("--until", metavar="TIME", help="Before then.")
@pass_call
def timeline(call: Call, session: str | None, since: str | None, until: str | None) -> int:
    """Read a session from its beginning, day by day.

    Without a SESSION (id or key) it is the one used last.

    \b
    holdfast timeline
    holdfast timeline login
    holdfast timeline sess_20260110_k3m9x2 --since yesterday
    """
    with call.memory() as memory:
        which = session or _latest(memory, call.user)
        found = memory.query(session=which, user=call.user, rank="oldest", every=True, since=since, until=until)
        zone = figures.zone_of(memory)
    lacking(found)
    if call.as_json:
        screen.data([entry.to_dict() for entry in found])
    else:
        _print_days(found, zone)
        if not found:
            screen.note(f"nothing is remembered of session {which} in that time")
    return OK if found else NOTHING


def _latest(memory: Memory, user: str | None) -> str:
    found = memory.sessions(user=user, limit=1)
    if not found:
        memory.store.absent(found.behind, memory.scope(user=user))
        raise NotFound("there are no sessions yet; `holdfast add` begins one")
    return found[0].id


def _print_days(found: list[Entry], zone: tzinfo | None) -> None:
    today = ""
    for entry in found:
        day = figures.day(entry.timestamp, zone)
        if day != today:
            screen.line("" if not today else "\n", (day, "bold"))
            today = day
        who = entry.author or entry.role or entry.content.get("kind") or entry.type
        screen.line((f"{figures.clock(entry.timestamp, zone)}  {who}: ", "dim"), entries.brief(entry), indent=2)


@click.command(cls=Verb)
@click.option("--session", metavar="ID|KEY", help="In one session.")
@click.option("--workspace", metavar="DIR", help="In one workspace.")
@pass_call
def tags(call: Call, session: str | None, workspace: str | None) -> int:
    """List tags and how often each is used.

    \b
    holdfast tags
    holdfast tags --session login --json
    """
    with call.memory() as memory:
        found = memory.tags(user=call.user, session=session, workspace=workspace)
    lacking(found)
    if call.as_json:
        screen.data(found)
    elif found:
        ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        screen.table((">entries", "tag"), [(f"{number:,}", tag) for tag, number in ordered])
    else:
        screen.note("no entry has a tag yet; `holdfast add --tag` gives one")
    return OK if found else NOTHING
