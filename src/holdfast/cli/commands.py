"""The table of commands: name, module, summary, in the groups in which people look for them.

`holdfast` and `holdfast --help` print from here, so that neither imports a command. A test compares each
summary with the command's own first line. A command of a later stage has no row.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One command: `module:function` below this package, and what it does in one line."""

    name: str
    place: str
    summary: str


GROUPS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    ("Start here", (
        Row("demo", "demo:demo", "Tell the story of one memory, on a throw-away home."),
    )),
    ("Remember", (
        Row("add", "adding:add", "Remember something: a note, a decision, a message."),
        Row("remember", "changing:remember", "Set a lasting preference of the user by its key."),
        Row("amend", "changing:amend", "Change importance, tags, marks or text of an entry."),
        Row("pin", "changing:pin", "Keep an entry beyond every retention, and find it first."),
        Row("unpin", "changing:unpin", "Take the pin from an entry."),
    )),
    ("Find", (
        Row("search", "finding:search", "Find entries by words, best first."),
        Row("query", "finding:query", "List entries by exact filters: type, tag, time, references."),
        Row("context", "finding:context", "Print the block that an agent would be given for a prompt."),
        Row("get", "browsing:get", "Show one entry whole."),
        Row("list", "browsing:list_entries", "List the newest entries."),
        Row("memories", "browsing:memories", "List what the user wants remembered, by key."),
        Row("sessions", "browsing:sessions", "List sessions, last used first."),
        Row("timeline", "browsing:timeline", "Read a session from its beginning, day by day."),
        Row("tags", "browsing:tags", "List tags and how often each is used."),
    )),
    ("Remove", (
        Row("delete", "removing:delete", "Hide entries at once; undelete shows them again."),
        Row("undelete", "removing:undelete", "Show a deleted entry again."),
        Row("forget", "forgetting:forget", "Erase for good, from every file, and print a receipt."),
    )),
    ("Move", (
        Row("export", "moving:export", "Write entries as JSON lines, to a file or to stdout."),
        Row("import", "moving:import_entries", "Read an export back; what is there already is skipped."),
    )),
    ("Look after it", (
        Row("status", "health:status", "Say how this home is doing: warnings, disk use, index."),
        Row("stats", "health:stats", "Count entries by type, their sizes, and what is damaged."),
        Row("verify", "health:verify", "Check every line of every journal, and the index against them."),
        Row("sync", "upkeep:sync", "Bring the index level with the journals."),
        Row("reindex", "upkeep:reindex", "Build the index anew from the journals."),
        Row("compact", "upkeep:compact", "Make room: erase what was deleted, fold what was amended."),
        Row("config", "configure:config", "See, explain and change settings."),
        Row("completion", "completion:completion", "Print the script that completes commands in your shell."),
    )),
)  # fmt: skip

ALIASES = {"show": "get"}
ROWS = {row.name: row for _heading, rows in GROUPS for row in rows}
