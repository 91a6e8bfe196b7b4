"""Health: `status`, `stats` and `verify`, with what needs attention first."""

from __future__ import annotations

from typing import Any

import click

from . import figures, screen
from .everywhere import FAILED, OK, Call, Verb, pass_call
from .progress import Bar


@click.command(cls=Verb)
@pass_call
def status(call: Call) -> int:
    """Say how this home is doing: warnings, disk use, index.

    \b
    holdfast status
    holdfast status --json | jq .disk
    """
    with call.memory() as memory:
        report = memory.status()
    if call.as_json:
        screen.data(report)
    else:
        _print_status(report)
    return OK


def _print_status(report: dict[str, Any]) -> None:
    concerns = [*report["degraded"], *report["warnings"]]
    for concern in concerns:
        screen.line(("! ", "bold red"), concern)
    if not concerns:
        screen.line(("all is well", "green"))
    screen.line("")
    counts, index = report["counts"], report["index"]
    level = f"behind by {figures.count(report['behind'], 'journal')}" if report["behind"] else "level with the journals"
    screen.facts((
        ("home", report["home"]),
        ("agent", report["agent"]),
        ("memory", _amount(counts)),
        ("span", _span(counts)),
        ("disk", _disk(report["disk"])),
        ("index", f"generation {index['generation']}, {level}"),
        ("damage", _damage(report["corruption"])),
    ))  # fmt: skip


def _amount(counts: dict[str, Any]) -> str:
    extra = [f"{counts[name]:,} {name}" for name in ("pinned", "deleted", "superseded") if counts[name]]
    held = f"{figures.count(counts['entries'], 'entry')} in {figures.count(counts['sessions'], 'session')}"
    return ", ".join((held, *extra))


def _span(counts: dict[str, Any]) -> str:
    return f"{counts['oldest'][:10]} to {counts['newest'][:10]}" if counts.get("oldest") else ""


def _disk(used: dict[str, int]) -> str:
    """The total, then what takes most of it."""
    kinds = sorted((kind for kind in used if kind != "total" and used[kind]), key=lambda kind: -used[kind])
    return f"{figures.size(used['total'])}: " + ", ".join(f"{kind} {figures.size(used[kind])}" for kind in kinds)


def _damage(found: dict[str, int]) -> str:
    if not (found["damaged_lines"] or found["quarantined"]):
        return ""
    lines = figures.count(found["damaged_lines"], "damaged line")
    return f"{lines}, {figures.count(found['quarantined'], 'piece')} in quarantine; `holdfast verify` names them"


@click.command(cls=Verb)
@click.option("--session", metavar="ID|KEY", help="Of one session, with its card.")
@pass_call
def stats(call: Call, session: str | None) -> int:
    """Count entries by type, their sizes, and what is damaged.

    \b
    holdfast stats
    holdfast stats --session login
    holdfast stats --user '*' --json
    """
    with call.memory() as memory:
        report = memory.stats(user=call.user, session=session)
    if report["degraded"] and not call.as_json:
        screen.warn(f"these counts may not be whole: {report['degraded']}")
    if call.as_json:
        screen.data(report)
    elif "session_id" in report:
        _print_session(report)
    else:
        _print_counts(report)
    return OK


def _print_counts(counts: dict[str, Any]) -> None:
    screen.facts((
        ("memory", _amount(counts)),
        ("types", _listed(counts["types"])),
        ("tags", f"{counts['tags']:,}"),
        ("size", figures.size(counts["bytes"])),
        ("span", _span(counts)),
        ("damage", figures.count(counts["damaged"], "damaged line") if counts["damaged"] else ""),
    ))  # fmt: skip


def _print_session(card: dict[str, Any]) -> None:
    extra = [f"{card[name]:,} {name}" for name in ("deleted", "superseded", "amendments") if card[name]]
    found = card["corruption"]
    screen.facts((
        ("session", f"{card.get('key') or card['session_id']} ({card['session_id']})"),
        ("title", card.get("title") or ""),
        ("user", card.get("user_id") or ""),
        ("workspace", card.get("workspace") or ""),
        ("memory", ", ".join((figures.count(card["total_entries"], "entry"), *extra))),
        ("types", _listed(card["statistics"])),
        ("size", figures.size(sum(card["bytes"].values()))),
        ("created", card["created_at"]),
        ("last used", card.get("last_accessed") or ""),
        ("ended", card.get("ended_at") or ""),
        ("damage", _damage(found)),
    ))  # fmt: skip


def _listed(counts: dict[str, int]) -> str:
    """12 decisions, 1 note: the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(figures.count(number, name.removesuffix("s")) for name, number in ordered if number)


@click.command(cls=Verb)
@pass_call
def verify(call: Call) -> int:
    """Check every line of every journal, and the index against them.

    Names file and line of what is damaged; exit code 1 if anything needs attention. It changes nothing but the
    index: rows and vectors there that are wrong are made again.

    \b
    holdfast verify
    holdfast verify --json | jq '.problems[]'
    """
    with call.memory() as memory, Bar("verifying") as bar:
        report = memory.verify(progress=bar)
    if call.as_json:
        screen.data(report)
    else:
        _print_findings(report)
    return OK if report["ok"] else FAILED


def _print_findings(report: dict[str, Any]) -> None:
    for problem in report["problems"]:
        screen.line(("! ", "bold red"), _finding(problem))
    for note in report["notes"]:
        screen.line(("· ", "dim"), _finding(note))
    looked = f"{figures.count(report['journals'], 'journal')}, {figures.count(report['lines'], 'line')} checked"
    problems = figures.count(len(report["problems"]), "problem")
    screen.line(("all is well: " if report["ok"] else f"{problems}: ", "bold"), looked)


def _finding(found: dict[str, Any]) -> str:
    """agents/main/sessions/…/memory.jsonl:17: what is wrong there"""
    place = str(found.get("file") or found.get("journal") or "")
    if "line" in found:
        place += f":{found['line']}"
    subject = f" ({found['id']})" if "id" in found else ""
    return f"{place}: {found['what']}{subject}" if place else f"{found['what']}{subject}"
