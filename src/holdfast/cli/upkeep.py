"""Upkeep: `sync`, `reindex` and `compact`, each a verb of the facade with a line about what it did."""

from __future__ import annotations

import click

from . import figures, screen
from .everywhere import FAILED, OK, Call, Verb, pass_call
from .progress import Bar


@click.command(cls=Verb)
@pass_call
def sync(call: Call) -> int:
    """Bring the index level with the journals.

    Needed only after somebody changed journals behind Holdfast's back, such as a file synchroniser, or to
    give vectors to many new entries at once; searches do both little by little.

    \b
    holdfast sync
    holdfast sync --json
    """
    with call.memory() as memory:
        report = memory.sync()
    if call.as_json:
        screen.data(report)
    else:
        found = figures.count(report["changed"], "journal")
        screen.line(f"{found} had changed" if report["changed"] else "everything was level")
    if report["behind"]:
        screen.warn(f"{figures.count(report['behind'], 'journal')} still behind; another process may be at work")
    if report["without_vector"]:
        lacking = figures.count(report["without_vector"], "entry")
        screen.warn(f"{lacking} without vector: {report['reason'] or 'another process may be at work'}")
    return FAILED if report["behind"] else OK


@click.command(cls=Verb)
@click.option("--embedder", metavar="NAME", help="Make all vectors anew with this one: builtin, minilm, onnx, none.")
@pass_call
def reindex(call: Call, embedder: str | None) -> int:
    """Build the index anew from the journals.

    The old index answers until the new one is complete. Nothing is lost if it is stopped. Vectors of
    unchanged texts are kept, unless another embedder is named.

    \b
    holdfast reindex
    holdfast reindex --embedder minilm
    holdfast verify || holdfast reindex
    """
    with call.memory() as memory, Bar("reindexing") as bar:
        report = memory.reindex(embedder=embedder, progress=bar)
    if call.as_json:
        screen.data(report)
    else:
        found = f"{figures.count(report['entries'], 'entry')} of {figures.count(report['journals'], 'journal')}"
        screen.line(f"the index was built anew as {report['generation']}: {found}, {figures.size(report['bytes'])}")
    return OK


@click.command(cls=Verb)
@click.argument("session", required=False)
@pass_call
def compact(call: Call, session: str | None) -> int:
    """Make room: erase what was deleted, fold what was amended.

    Of one SESSION (id or key), or of all that the user has. Deleted entries can then no longer be
    undeleted. Conversation, events and artifacts that have faded go only from a session that is nearly full;
    everything else, and what is pinned or imported, stays. What cannot be read is left as it is and named, and
    the exit code is 1.

    \b
    holdfast compact
    holdfast compact login
    """
    with call.memory() as memory:
        report = memory.compact(session, user=call.user)
    if call.as_json:
        screen.data(report)
    else:
        freed = figures.size(report["bytes_before"] - report["bytes_after"])
        gone = figures.count(report["entries_before"] - report["entries_after"], "entry")
        screen.line(f"{gone} erased, {freed} freed in {figures.count(len(report['journals']), 'journal')}")
    if not report["erased"]:
        why = "somebody is reading or building it, or it cannot be written"
        screen.warn(f"the index may still hold what was erased: {why}; compact again later")
    for failure in report["failed"]:
        screen.warn(f"{failure.get('journal', 'a journal')} was left as it is: {failure['what']}")
    return FAILED if report["failed"] else OK
