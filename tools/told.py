"""What the reference pages say that no code says: what a command prints as JSON, what fields and filters mean.

`docs.py` looks every command, field and filter up here, so a new one without a row stops the pages from being made;
`tests/docs` compares the names in `PRINTS` with what the commands print.
"""

from __future__ import annotations

# What a command prints with --json. The names in backticks before the first colon are those of its object.
PRINTS = {
    "demo": "`days`, `stored`, `search`, `context`, `forget`, `rebuild`: what each step of the story did.",
    "add": (
        "the [entry](../format.md#entry) as stored, with `withheld` and `durable` where something was kept out or "
        "is not synced yet; with `--jsonl` a list of them."
    ),
    "remember": "the entry.",
    "amend": "the entry as it is now.",
    "pin": "the entry.",
    "unpin": "the entry.",
    "search": (
        "`hits`, `mode`, `degraded`, `took_ms`: a [hit](python.md#hit) has no text but its `snippet`; `mode` is "
        "`hybrid`, or `keyword` where no vectors were used."
    ),
    "query": "a list of entries.",
    "context": "`id`, `text`, `tokens`, `degraded`, `items`: the block, and the hits that it quotes.",
    "get": "the entry.",
    "list": "a list of entries.",
    "memories": "a list of entries, each with its `key`; with KEY one entry.",
    "sessions": "a list of [cards](../format.md#card) with live counts.",
    "timeline": "a list of entries, oldest first.",
    "tags": "an object: how many entries have each tag.",
    "delete": "`deleted`, `missing`: ids.",
    "undelete": "the entry.",
    "forget": "the [receipt](python.md#receipt); with `--dry-run` the plan, in the same form.",
    "export": "one document with `cards` and `entries`; with `-o` the object `path`, `lines`, `bytes` of the file.",
    "import": (
        "`added`, `skipped_existing`, `skipped_forgotten`, `conflicts`, `sessions`, `damaged`, `complete`: ids "
        "that differ from what is stored, new sessions, lines that were left out (`line`, `problem`), and whether "
        "the file was whole."
    ),
    "status": (
        "`home`, `agent`, `disk`, `counts`, `index`, `behind`, `degraded`, `unreadable`, `corruption`, "
        "`unfinished_forget`, `warnings`: all is well where `degraded` and `warnings` are empty; `disk` is bytes "
        "by kind, `index` what `reindex` prints."
    ),
    "stats": (
        "`entries`, `types`, `bytes`, `sessions`, `deleted`, `superseded`, `pinned`, `oldest`, `newest`, "
        "`damaged`, `tags`, `metrics`, `degraded`: counters and durations of `metrics` are those of this process; "
        "with `--session` the card with `bytes`, `deleted`, `superseded`, `amendments`, `corruption`."
    ),
    "verify": (
        "`ok`, `journals`, `lines`, `entries`, `problems`, `notes`: each of the last two says `what` and, where "
        "it can, `file`, `line`, `journal`, `id`; only problems need somebody."
    ),
    "sync": (
        "`changed`, `behind`, `without_vector`, `reason`: journals that had changed and that are still behind, "
        "entries that wait for a vector, and why."
    ),
    "reindex": (
        "`generation`, `path`, `entries`, `journals`, `damaged`, `built_at`, `embedder`, `vectors`, "
        "`without_vector`, `refused`, `bytes`, `behind`, `rebuilt`, `trouble`: the new index; `built_at` is in "
        "epoch milliseconds, `refused` counts texts that the embedder did not take."
    ),
    "compact": (
        "`entries_before`, `entries_after`, `bytes_before`, `bytes_after`, `erased`, `journals`, `failed`: "
        "`erased` says whether the index's own files hold nothing of it any more; `journals` has a report each "
        "(`journal`, counts, `dropped` by reason, `folded`, `stripped`, `damaged`, `took_ms`), `failed` those "
        "left as they are (`what`, `error`, `journal`)."
    ),
    "config": (
        "`name`, `value`, `origin`, `default`, `allowed`, `about`, `since`, `scope`, `workspace`, `variable`, "
        "`items`: of `list` a list of these, of `explain` one; of the others what they looked up or changed."
    ),
    "completion": "`shell`, `script`.",
}

# What `add` and `add_many` take.
MEANINGS = {
    "text": "The words. All other fields may be left out.",
    "role": "`user`, `assistant`, `system` or `tool`: who said it.",
    "author": "The speaker's name.",
    "kind": "What sort of event it is, such as `tool_result`.",
    "tool_call_id": "Which call it belongs to.",
    "decision": "The words of a decision, in place of `text`.",
    "rationale": "Why it was decided so.",
    "alternatives": "What was not chosen, a list.",
    "content": "All of the above as one object, with whatever else belongs there; every text in it is searched.",
    "type": (
        "One of the nine types of the [format](../format.md#entry); found out from the other fields if not given."
    ),
    "importance": "0.0 to 1.0; 0.5 if not given.",
    "tags": "A list; `security` covers `security.login`.",
    "references": "Ids of entries that it refers to.",
    "key": "Of a user's preference; see `User.remember`.",
    "tool": "The tool that it came from; it is then never injected unasked.",
    "path": "The file that it is about.",
    "metadata": "A JSON object of yours; it is kept, not searched.",
    "provenance": "`user`, `agent`, `file`, `web`, `tool:<name>` or `import:<what>`; by role and tool if not given.",
    "sensitive": "Never put it into a context.",
    "pinned": "Never evict it, and have it in every context.",
    "timestamp": "When it happened, if not now: ISO 8601 with a zone, a `datetime` with one, or epoch milliseconds.",
    "id": "An id of yours, so that a repeated call changes nothing.",
    "session": "Id or key; an unknown key begins a session. The session `default` if not given.",
    "user": "Whose memory it is; that of the handle if not given.",
    "scope": "`session`, `user` (all sessions of the user) or `global` (all users of the agent).",
    "workspace": "A directory; the git repository around it counts.",
}

# What `search` and `query` narrow by.
FILTERS = {
    "types": "Any of these types.",
    "tags": 'All of these, or tags below them; or `{"include": […], "any": […], "exclude": […]}`.',
    "since": "From then on: ISO 8601, `2026-01-10`, `2w`, `last day`, `yesterday`, a `datetime`.",
    "until": "Before then.",
    "min_importance": "At least as important.",
    "scopes": "`session`, `user`, `global`.",
    "provenance": "`user`, `agent`, `file`, `web`, `tool`, `import`, or whole ones such as `tool:grep`.",
    "roles": "Who spoke.",
    "pinned": "True or False.",
    "sensitive": "True or False.",
    "ids": "Only these entries.",
    "keys": "Only what is kept under these keys.",
    "hidden": "True: deleted entries that can be undeleted (`query`).",
}
