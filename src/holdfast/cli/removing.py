"""Removing that can be undone: `delete` hides, `undelete` shows again."""

from __future__ import annotations

import click

from ..errors import Invalid
from ..model.ids import OLDER_ID
from . import entries, figures, screen
from .everywhere import FAILED, NOTHING, OK, Call, Verb, pass_call


@click.command(cls=Verb)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@pass_call
def delete(call: Call, ids: tuple[str, ...]) -> int:
    """Hide entries at once; undelete shows them again.

    The words stay on disk until the next compaction. To erase them now, use `holdfast forget`.

    \b
    holdfast delete mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB
    holdfast query --tag draft --json | jq -r '.[].id' | xargs holdfast delete
    """
    for id in ids:
        if not OLDER_ID.match(id):
            raise Invalid(
                f"{id[:40]!r} is not an entry id (mem_ and letters and digits); nothing was deleted", field="id"
            )
    with call.memory() as memory:
        done = {id: memory.delete(id) for id in dict.fromkeys(ids)}
    hidden = [id for id, was_there in done.items() if was_there]
    missing = [id for id, was_there in done.items() if not was_there]
    if call.as_json:
        screen.data({"deleted": hidden, "missing": missing})
    for id in () if call.as_json else hidden:
        screen.line(f"{id} is hidden; until compaction `holdfast undelete {id}` shows it again")
    for id in missing:
        screen.note(f"no entry {id} here")
    return OK if not missing else FAILED if hidden else NOTHING


@click.command(cls=Verb)
@click.argument("id")
@pass_call
def undelete(call: Call, id: str) -> int:
    """Show a deleted entry again.

    \b
    holdfast undelete mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB
    holdfast list --deleted                       what there is to undelete
    """
    with call.memory() as memory:
        entry = memory.undelete(id)
        zone = figures.zone_of(memory)
    if call.as_json:
        screen.data(entry.to_dict())
    else:
        entries.listed(entry, zone)
    return OK
