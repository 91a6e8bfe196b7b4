"""Forgetting: `forget` shows its plan, asks, erases, and prints the receipt.

Nothing is erased without a yes: typed at a terminal, or given as `--yes`. A user is never erased because
`--user` said whose memory is meant: that takes `--everything`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from . import entries, figures, screen
from .everywhere import FAILED, NOTHING, OK, Call, Verb, pass_call
from .filters import was_given

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast import Memory, Receipt

SHOWN = 10  # entries of a plan; the rest is counted


@click.command(cls=Verb)
@click.argument("ids", nargs=-1, metavar="[ID...]")
@click.option("--topic", metavar="TAG", help="Everything with this tag or one below it.")
@click.option("--session", metavar="ID|KEY", help="A whole session.")
@click.option("--workspace", metavar="DIR", help="Everything of a workspace.")
@click.option("--key", metavar="KEY", help="A preference of the user, with its history.")
@click.option("--since", metavar="TIME", help="From then on.")
@click.option("--until", metavar="TIME", help="Before then.")
@click.option("--older-than", metavar="AGE", help="Older than 90d, 2w, …")
@click.option("--history", is_flag=True, help="Only the former words of these ids; the entries stay.")
@click.option("--everything", is_flag=True, help="All that is remembered of the user.")
@click.option("--dry-run", is_flag=True, help="Only show the plan.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@pass_call
def forget(call: Call, /, ids: tuple[str, ...], dry_run: bool, yes: bool, **given: Any) -> int:
    """Erase for good, from every file, and print a receipt.

    Shows what would go and asks first. Afterwards no file below the home holds the words, and importing
    an older export does not bring them back. To hide something for now, use `holdfast delete`.

    \b
    holdfast forget mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB
    holdfast forget --topic personal --dry-run
    holdfast forget --session login --yes --json
    holdfast forget --older-than 90d --user ana
    """
    chosen = {name: value for name, value in given.items() if was_given(value)}
    if not (ids or chosen):
        raise click.UsageError(
            "say what to forget: an ID, or one of --topic --session --workspace --key --older-than …"
        )
    if not (yes or dry_run or sys.stdin.isatty()):
        raise click.UsageError("nobody can be asked here; look at it with --dry-run, then give --yes")
    with call.memory() as memory:
        erase = _eraser(call, memory, ids, chosen)
        plan = erase(dry_run=True)
        if dry_run or not plan.journals:
            return _planned(call, memory, plan)
        if not yes:
            _print_plan(memory, plan, to_stderr=call.as_json)
            if not click.confirm("Erase this for good?", default=False, err=True):
                screen.note("nothing was erased")
                return FAILED
        receipt = erase(dry_run=False)
    return _done(call, receipt)


def _eraser(call: Call, memory: Memory, ids: tuple[str, ...], chosen: dict[str, Any]) -> Callable[..., Receipt]:
    """The one call that plans and erases, so that both mean the same."""
    key = chosen.pop("key", None)
    everything = chosen.pop("everything", False)
    if key is not None:
        if ids or chosen or everything:
            raise click.UsageError("--key names one preference; leave out the other choices")
        user = memory.user(call.user if call.user is not None else memory.default_user)
        return lambda dry_run: user.forget(key, dry_run=dry_run)
    if everything and (ids or chosen):
        raise click.UsageError("--everything leaves nothing to choose; leave out the other choices")
    whose = call.user or (memory.default_user if everything else None)
    return lambda dry_run: memory.forget(list(ids) or None, user=whose, dry_run=dry_run, **chosen)


def _planned(call: Call, memory: Memory, plan: Receipt) -> int:
    if call.as_json:
        screen.data(plan.to_dict())
    else:
        _print_plan(memory, plan)
    return OK if plan.journals else NOTHING


def _print_plan(memory: Memory, plan: Receipt, *, to_stderr: bool = False) -> None:
    """What would go: entries, their former words, or journals in which there is nothing."""
    say = screen.note if to_stderr else screen.line
    if not plan.journals:
        screen.note("there is nothing to forget")
    elif plan.entries:
        made = f", and {figures.count(len(plan.derived), 'entry')} made from them" if plan.derived else ""
        say(f"This would erase {figures.count(len(plan.entries), 'entry')}{made}, for good:")
        _print_entries(memory, plan.entries, say)
    elif plan.history:
        say(f"This would erase the former words of {figures.count(len(plan.history), 'entry')}, for good, and keep:")
        _print_entries(memory, plan.history, say)
    else:
        say(f"This would erase {figures.count(len(plan.journals), 'journal')} without entries, for good.")
    if plan.same_text:
        say(f"The same words stay in {figures.count(len(plan.same_text), 'other entry', 'other entries')}:")
        for id in plan.same_text[:SHOWN]:
            say(f"  {id}")


def _print_entries(memory: Memory, ids: tuple[str, ...], say: Callable[[str], None]) -> None:
    """The first few; entries that are hidden already have no words to show, only their number."""
    shown = memory.query(ids=list(ids[:SHOWN]), user="*", rank="oldest", limit=SHOWN)
    for entry in shown:
        say(f"  {figures.when(entry.timestamp, figures.zone_of(memory))}  {entry.type}: {entries.brief(entry)}")
    if len(ids) > len(shown):
        say(f"  … and {len(ids) - len(shown):,} more")


def _done(call: Call, receipt: Receipt) -> int:
    """The receipt; what is not clean is a failure, whatever was erased."""
    if call.as_json:
        screen.data(receipt.to_dict())
    else:
        print_receipt(receipt)
    for place in receipt.residue:
        screen.warn(f"still found in {place}")
    return OK if receipt.clean else FAILED


def print_receipt(receipt: Receipt) -> None:
    """What was done and how it was checked."""
    checked = receipt.checked
    erased = figures.count(receipt.count, "entry")
    screen.line(("forgotten: ", "bold"), f"{erased} from {figures.count(len(receipt.journals), 'journal')}")
    looked = f"searched {figures.count(checked.get('files', 0), 'file')} ({figures.size(checked.get('bytes', 0))})"
    found = "nothing was found" if receipt.clean else f"found in {figures.count(len(receipt.residue), 'place')}"
    screen.line(("checked:   ", "bold"), f"{looked} for the words; {found}")
    for file in receipt.originals:
        screen.line(("original:  ", "bold"), f"{file} is not ours and still holds it")
    if receipt.same_text:
        left = figures.count(len(receipt.same_text), "other entry", "other entries")
        screen.line(("left:      ", "bold"), f"{left} with the same words: {' '.join(receipt.same_text)}")
    screen.line(("receipt:   ", "bold"), f"{receipt.id}, {receipt.timestamp}")
