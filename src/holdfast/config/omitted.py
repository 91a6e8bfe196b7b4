"""Defaults of the seeds that are no settings, or that are set otherwise here, each with the reason.

Loaded by the documentation and the tests only. An item may stand here and in the table as well, when
it names several things and only some of them can be set. Together they cover every default of the
five source documents; a test holds them to it.
"""

from __future__ import annotations

_HOME = "Where the home lies decides which config.toml is read: `HOLDFAST_HOME` or an argument says it, never the file."
_FIXED = "Part of the file format: a home must mean the same to every process, whatever its settings."
_TARGET = "A speed to reach, measured by the benchmark; nothing to set."
_MODES = "Directories are 0700 and files 0600, locks too, whatever the umask: privacy is not optional."
_NO_THEFT = "Locks are freed by the kernel when their owner dies and are never taken by age from a live one."

NOT_SETTINGS: dict[str, str] = {
    "G002": _HOME,
    "G008": _HOME,
    "G037": "Session cards are written under their journal's lock, so there is one wait, `journal.lock_ms`.",
    "G038": _NO_THEFT,
    "G039": _NO_THEFT,
    "G078": "No extension path: vectors are searched with NumPy, and many Pythons cannot load SQLite extensions.",
    "G082": "What is cached is checked against the index's version, so it cannot be stale and needs no expiry.",
    "G145": "Memory that is not wanted is not opened; capture, injection and vectors have switches of their own.",
    "G147": "Which store is opened follows from what is given to `open`: a path, or later an address.",
    "G152": "Settings need no path of their own: `[agents.<name>.<section>]` overrides `[section]` field by field.",
    "G153": "Memory that is not wanted is not opened; capture, injection and vectors have switches of their own.",
    "G155": "No experimental flag: transcripts are indexed when `sync.sources` names `sessions`, and status says so.",
    "G199": "No extension path: vectors are searched with NumPy, and many Pythons cannot load SQLite extensions.",
    "P001": _HOME,
    "P040": _HOME,
    "P041": "There is no conversation database beside the journals; the index lies where `index.path` says.",
    "P042": "There is no sessions.json; each session has its own card, and `holdfast import` reads the old file.",
    "P066": _FIXED,
    "F013": _HOME,
    "F054": "Redaction cannot be switched off: promise 5 would depend on a line in a file.",
    "F057": "Sensitive entries are never injected unasked; clear the mark of an entry to have it injected.",
    "F065": _TARGET,
    "F067": _TARGET,
    "F068": "Results are at most 200 and answered in milliseconds; export and timelines are streamed always.",
    "F070": "The added 50 ms is a speed to reach, measured by the benchmark; the budget and the deadline are settings.",
    "F077": "The session of a write that names none has the key `default`; it is part of the format.",
    "A021": "The file is config.toml in the home: TOML has comments, and they survive `holdfast config set`.",
    "A090": "Preferences, facts and pinned entries never decay: what the user told us to keep does not fade.",
    "A092": "Decay is computed when a question is asked, so there is nothing to update each hour.",
    "A122": _HOME,
    "A124": "Settings have no version: unknown names are refused, and rows are added without changing others.",
    "A125": _HOME,
    "A127": "Decay is computed when a question is asked, so there is no update interval.",
    "A128": "The index is SQLite, cached by its own pages; a write that returned is never waiting for an interval.",
    "A129": "Checksums cannot be switched off: promise 3 rests on them. SHA-256 is part of the file format.",
    "A153": _TARGET,
    "A154": _TARGET,
    "A155": _TARGET,
    "A156": _TARGET,
    "A167": _MODES,
    "A168": _MODES,
    "A169": _MODES,
}

_BLEND = "Half and half found more evidence on real conversations: R@10 79.6 where 0.7 to 0.3 gave 61.9."
_SCORE = "Scores are absolute here: a quarter of the evidence that keywords find on real conversations is below 0.35."

OTHER_DEFAULTS: dict[str, str] = {
    "G121": _BLEND,
    "G122": _BLEND,
    "G132": "One budget for the whole block, the 800 tokens of F036; the score is measured on another scale (G161).",
    "G135": "One budget for the whole block, the 800 tokens of F036; the score is measured on another scale (G161).",
    "G155": "`memory` alone: transcripts hold what others said, so they are indexed when the user names them.",
    "G161": _SCORE,
    "G162": _BLEND,
    "F045": "No model by default: rules need no network. With `anthropic` an empty model is its current Haiku.",
    "F066": "200 ms, and only with relaxed durability: a write that returned is durable by default.",
}
