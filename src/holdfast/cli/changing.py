"""Changing: `remember` a preference, `amend` an entry, `pin` and `unpin` it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import reading, screen
from .adding import reply
from .everywhere import Call, Verb, pass_call
from .filters import was_given

if TYPE_CHECKING:
    from holdfast import Entry


def _answer(call: Call, entry: Entry, said: str) -> None:
    if call.as_json:
        screen.data(reply(entry))
    else:
        screen.line(said)


@click.command(cls=Verb)
@click.argument("key")
@click.argument("value", nargs=-1)
@click.option("--importance", type=float, metavar="0..1", help="How much it matters.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag. Repeatable.")
@pass_call
def remember(call: Call, /, key: str, value: tuple[str, ...], **given: Any) -> None:
    """Set a lasting preference of the user by its key.

    It holds in every session, and every context begins with it. A new value takes the place of the old
    one; `holdfast forget --key KEY` erases it with its history.

    \b
    holdfast remember editor vim
    holdfast remember answer_style "short, with the reason first"
    holdfast remember editor helix --user ana
    """
    said = reading.words(value)
    if said is None:
        raise click.UsageError("there is no value; give it after the key, or `-` to read stdin")
    with call.memory() as memory:
        user = memory.user(call.user if call.user is not None else memory.default_user)
        entry = user.remember(key, said, **{name: each for name, each in given.items() if was_given(each)})
    _answer(call, entry, f"{key} is remembered for {user.id}")


@click.command(cls=Verb)
@click.argument("id")
@click.option("--text", metavar="TEXT", help="New words; the old ones stay in the history until compaction.")
@click.option("--importance", type=float, metavar="0..1", help="How much it matters.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="The new tags, all of them. Repeatable.")
@click.option("--no-tags", is_flag=True, help="No tags at all.")
@click.option("--pinned/--not-pinned", default=None, help="Keep it for good, or not.")
@click.option("--sensitive/--not-sensitive", default=None, help="Never put it into a context, or do.")
@pass_call
def amend(call: Call, /, id: str, tags: tuple[str, ...], no_tags: bool, **given: Any) -> None:
    """Change importance, tags, marks or text of an entry.

    \b
    holdfast amend mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB --importance 0.9
    holdfast amend mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB --tag ops --tag ops.backup
    holdfast amend mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB --text "Backups run at 4 am" --sensitive
    """
    if tags and no_tags:
        raise click.UsageError("--tag and --no-tags contradict each other")
    changes = {name: value for name, value in given.items() if value is not None}
    if tags or no_tags:
        changes["tags"] = list(tags)
    if not changes:
        raise click.UsageError("there is nothing to change; name at least one option")
    with call.memory() as memory:
        entry = memory.amend(id, **changes)
    _answer(call, entry, f"{entry.id} now has {', '.join(f'new {name}' for name in changes)}")


@click.command(cls=Verb)
@click.argument("id")
@pass_call
def pin(call: Call, id: str) -> None:
    """Keep an entry beyond every retention, and find it first.

    \b
    holdfast pin mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB
    holdfast pin "$(holdfast add 'The vault is at vault.internal')"
    """
    with call.memory() as memory:
        entry = memory.pin(id)
    _answer(call, entry, f"{entry.id} is pinned")


@click.command(cls=Verb)
@click.argument("id")
@pass_call
def unpin(call: Call, id: str) -> None:
    """Take the pin from an entry.

    \b
    holdfast unpin mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB
    holdfast query --pinned                       what is pinned
    """
    with call.memory() as memory:
        entry = memory.unpin(id)
    _answer(call, entry, f"{entry.id} is no longer pinned")
