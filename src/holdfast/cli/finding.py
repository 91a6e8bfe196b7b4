"""Finding: `search` by words, `query` by exact filters, `context` as an agent would get it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import entries, figures, reading, screen
from .everywhere import NOTHING, OK, Call, Verb, pass_call
from .filters import filters, narrowed, was_given

if TYPE_CHECKING:
    from datetime import tzinfo

    from holdfast import Counted, Entry, Listed, Memory, SearchResult


@click.command(cls=Verb)
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--rank", type=click.Choice(["match", "relevance", "recent", "importance"]), default="match", show_default=True,
    help="What counts most.",
)  # fmt: skip
@click.option("--min-score", type=float, metavar="0..1", help="Leave out hits that score less.")
@click.option("--explain", is_flag=True, help="Show every factor of each score, and how it was found.")
@filters
@pass_call
def search(call: Call, /, words: tuple[str, ...], explain: bool, **given: Any) -> int:
    """Find entries by words, best first.

    Ask as you would ask a colleague: one word of the question is enough for a hit, rare words count more.
    `deploy*` finds what begins with it, "last Tuesday" what is of that day. The order says how well an entry
    matches, the score how well the question is answered at all: below 0.32 nothing is handed to an agent.

    \b
    holdfast search "how do we log in?"
    holdfast search oauth --type decision --since 2w
    holdfast search 'deploy*' --tag ops --not-tag obsolete --limit 20
    holdfast search "login flow" --explain
    holdfast search -- "-1 degrees"          behind `--` a text may begin with a dash
    holdfast search oauth --json | jq '.hits[0].snippet'
    """
    question = reading.asked(words)
    with call.memory() as memory:
        found = memory.search(question, **narrowed(call.user, given))
        zone = figures.zone_of(memory)
        otherwise = "" if found.hits or call.as_json else _nothing(memory, call.user, found.degraded, given["offset"])
    if call.as_json:
        screen.data(found.to_dict())
    else:
        _print_hits(found, zone, explain, given["offset"])
        if otherwise:
            screen.note(otherwise)
    return OK if found.hits else NOTHING


def _nothing(memory: Memory, user: str | None, degraded: str | None, before: int) -> str:
    """What to say where there is no hit; where nothing is remembered at all, home or user may be mistyped."""
    if before:
        return f"no more than {figures.count(before, 'hit')} matched"
    if degraded or memory.query(user=user, rank="recent", limit=1):
        return "nothing matches"
    whose = "for anybody" if user == "*" else f"for user {user or memory.default_user}"
    return f"nothing is remembered {whose} in {memory.home} yet; `holdfast add` remembers something"


def _print_hits(found: SearchResult, zone: tzinfo | None, explain: bool, before: int) -> None:
    if found.degraded:
        screen.warn(f"this answer may not be whole: {found.degraded}")
    for number, hit in enumerate(found.hits, before + 1):
        if number > before + 1:
            screen.line("")
        entries.hit(number, hit, zone, explain=explain)
    if explain:
        lacking = found.degraded or "nothing is missing"
        screen.note(f"{figures.count(len(found), 'hit')}, mode {found.mode}, {figures.took(found.took_ms)}; {lacking}")


@click.command(cls=Verb)
@click.option("--references", multiple=True, metavar="ID", help="What these entries refer to, and what refers to them.")
@click.option("--max-depth", type=int, default=1, metavar="N", help="How many references to follow in a row.")
@click.option(
    "--rank", type=click.Choice(["relevance", "recent", "oldest", "importance"]), default="relevance",
    show_default=True, help="What comes first.",
)  # fmt: skip
@filters
@pass_call
def query(call: Call, /, references: tuple[str, ...], **given: Any) -> int:
    """List entries by exact filters: type, tag, time, references.

    An entry passes or it does not; nothing is guessed. A tag stands for those below it as well:
    `security` finds `security.login`.

    \b
    holdfast query --type decision --since 2w
    holdfast query --tag security --not-tag deprecated --min-importance 0.7
    holdfast query --references mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB --max-depth 2
    holdfast query --session login --rank oldest --limit 50 --offset 50
    """
    with call.memory() as memory:
        found = memory.query(references=list(references) or None, **narrowed(call.user, given))
        zone = figures.zone_of(memory)
    for id in found.dangling:
        screen.warn(f"{id} is referred to or asked for, and is not there")
    return show(call, found, zone, "no entry passes these filters")


def lacking(found: Listed[Any] | Counted) -> None:
    """Say on stderr what kept a list from being whole, also beside JSON, which is the bare list."""
    if found.degraded:
        screen.warn(f"this list may not be whole: {found.degraded}")


def show(call: Call, found: Listed[Entry], zone: tzinfo | None, otherwise: str) -> int:
    """Print a list of entries, or say that there is none."""
    lacking(found)
    if call.as_json:
        screen.data([entry.to_dict() for entry in found])
    else:
        for entry in found:
            entries.listed(entry, zone)
        if not found:
            screen.note(otherwise)
    return OK if found else NOTHING


@click.command(cls=Verb)
@click.argument("prompt", nargs=-1)
@click.option("--session", metavar="ID|KEY", help="As for this session.")
@click.option("--workspace", metavar="DIR", help="As for this workspace.")
@click.option("--budget", type=int, metavar="TOKENS", help="Most tokens of the whole block.")
@click.option("--limit", type=int, metavar="N", help="Most recalled entries in it.")
@pass_call
def context(call: Call, /, prompt: tuple[str, ...], **given: Any) -> int:
    """Print the block that an agent would be given for a prompt.

    It holds the user's memories, pinned entries and the best hits, quoted, within a budget of tokens.
    Entries that came from tools or the web, and sensitive ones, are not in it.

    \b
    holdfast context "what did we decide about login?"
    holdfast context "fix the deploy" --budget 300 --workspace .
    cat task.md | holdfast context -
    holdfast context --json | jq .tokens
    """
    asked = {name: value for name, value in given.items() if was_given(value)}
    said = reading.asked(prompt)
    with call.memory() as memory:
        found = memory.context(said, user=call.user, **asked)
    if call.as_json:
        screen.data(found.to_dict())
    else:
        if found.degraded:
            screen.warn(f"this context may not be whole: {found.degraded}")
        if found.text:
            screen.line(found.text)
        else:
            screen.note("nothing to say: no memory, pin or hit fits")
    return OK if found.text else NOTHING
