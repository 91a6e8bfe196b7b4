"""Adding: `add`, one entry from the command line or many from JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import HoldfastError, Invalid
from ..model.entry import ROLES, SCOPES, TYPES
from . import reading, screen
from .everywhere import OK, Call, Verb, pass_call
from .filters import complete_type, was_given

if TYPE_CHECKING:
    from holdfast import Entry


@click.command(cls=Verb)
@click.argument("text", nargs=-1)
@click.option("--jsonl", metavar="FILE|-", help="Add every line of a file, each a JSON object, all or none.")
@click.option(
    "--type", metavar="TYPE", shell_complete=complete_type, help=f"{', '.join(TYPES)}; found out if not given."
)
@click.option("--role", type=click.Choice(ROLES), help="Who said it.")
@click.option("--author", metavar="NAME", help="The speaker's name.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; a dot makes a hierarchy. Repeatable.")
@click.option("--importance", type=float, metavar="0..1", help="How much it matters; 0.5 if not given.")
@click.option("--rationale", metavar="TEXT", help="Why, for a decision.")
@click.option("--alternative", "alternatives", multiple=True, metavar="TEXT", help="What was not chosen. Repeatable.")
@click.option("--session", metavar="ID|KEY", help="The session; a new key begins one. `default` if not given.")
@click.option("--scope", type=click.Choice(SCOPES), help="For this session, the user, or everyone.")
@click.option("--workspace", metavar="DIR", help="The workspace it belongs to, such as `.`.")
@click.option("--reference", "references", multiple=True, metavar="ID", help="An entry it refers to. Repeatable.")
@click.option("--key", metavar="KEY", help="The key of a preference, with --scope user.")
@click.option("--pin", "pinned", is_flag=True, help="Keep it for good, and find it first.")
@click.option("--sensitive", is_flag=True, help="Never put it into a context.")
@click.option("--tool", metavar="NAME", help="The tool it came from.")
@click.option("--path", metavar="PATH", help="The file it is about.")
@click.option("--provenance", metavar="WHO", help="user, agent, web, file, tool:NAME or import:WHAT.")
@click.option("--metadata", metavar="JSON", help="More about it, as a JSON object.")
@click.option("--timestamp", metavar="TIME", help="When it happened, with zone: 2026-01-10T14:23:45Z.")
@click.option("--id", "id", metavar="ID", help="Its id, to make a repeat harmless.")
@pass_call
def add(call: Call, /, text: tuple[str, ...], jsonl: str | None, **given: Any) -> int:
    """Remember something: a note, a decision, a message.

    Prints the id. What looks like a password or key is replaced before it is written anywhere.

    \b
    holdfast add "Backups run at 3 am" --tag ops.backup
    holdfast add "Use the code flow" --type decision --rationale "Safest on a server" --importance 0.9
    git log -1 --format=%B | holdfast add - --type event --workspace .
    holdfast add --jsonl chat.jsonl          {"text": "…", "role": "user", "session": "chat-7"}
    """
    fields = {name: value for name, value in given.items() if was_given(value)}
    if jsonl is not None:
        return _add_lines(call, text, jsonl, fields)
    said = reading.words(text)
    if said is None or not (text or said.strip()):
        raise click.UsageError("there is no text to remember; give it as an argument, or `-` to read stdin")
    if "metadata" in fields:
        fields["metadata"] = reading.json_object(fields["metadata"], "metadata")
    with call.memory() as memory:
        entry = memory.add(said, **fields, **call.named_user)
    _warn(entry)
    if call.as_json:
        screen.data(reply(entry))
    else:
        screen.line(entry.id)
    return OK


def _add_lines(call: Call, text: tuple[str, ...], path: str, fields: dict[str, Any]) -> int:
    if text or fields:
        raise click.UsageError("with --jsonl every line says its own fields; leave out the text and other options")
    items = {place: {**call.named_user, **item} for place, item in reading.objects(path).items()}
    with call.memory() as memory:
        try:
            added = memory.add_many(list(items.values()))
        except HoldfastError as error:
            raise _placed(error, list(items)) from None
    for entry in added:
        _warn(entry)
    if call.as_json:
        screen.data([reply(entry) for entry in added])
    else:
        for entry in added:
            screen.line(entry.id)
    return OK


def _placed(error: HoldfastError, places: list[str]) -> HoldfastError:
    """The same, naming the line in place of the number that the facade knows it by."""
    only = len(places) == 1 and isinstance(error, Invalid)
    number = error.details.get("item", 0 if only else None)
    if not isinstance(number, int):
        return error
    said = error.message.removeprefix(f"items[{number}]: ")
    return type(error)(f"{places[number]}: {said}", **{**error.details, "item": number})


def reply(entry: Entry) -> dict[str, Any]:
    """The entry as stored, and what its writer should know: fields withheld, bytes not yet on the medium."""
    told: dict[str, Any] = {"withheld": list(entry.withheld)} if entry.withheld else {}
    return {**entry.to_dict(), **told, **({} if entry.durable else {"durable": False})}


def _warn(entry: Entry) -> None:
    if entry.withheld:
        screen.warn(f"{entry.id}: not stored, since it could not be checked for secrets: {', '.join(entry.withheld)}")
