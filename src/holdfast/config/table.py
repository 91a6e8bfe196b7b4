"""The table of settings: every name, its kind, default, range and meaning, in one place.

The reader, the errors, the command line and `docs/reference/settings.md` all draw from these rows; a
default stands nowhere else. A row says who may set it (scope), what a workspace's own file may do to
it (direction) and which points of the specification it answers. Defaults of the seeds that are no
settings, or that are set otherwise here, are in `omitted.py` with the reason.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KIB, MIB, GIB = 1024, 1024**2, 1024**3

# What a row with one of these is waiting for; it is parsed and checked already.
RECENT = "Takes effect when a context may hold recent messages."
FILES = "Takes effect when memory files and transcripts are indexed."
PROVIDERS = "Takes effect with remote embedders."
RETENTION = "Takes effect with `prune`."
DISTIL = "Takes effect with summaries and facts."
HOOKS = "Takes effect with the agent hooks."
SERVICE = "Takes effect with the HTTP service."


# Values that a file may hold, since a later version wrote it, and that nobody can set before that version.
LATER = {"embedder.provider": ("gguf", "ollama", "openai", "gemini", "compatible", "auto-remote")}


class Row:
    """One setting. `allowed` is (least, most) for numbers, the choices for choices, else empty.

    `scope`: home (one value for all), agent (an agent's table may differ), session (a session's card
    may differ too). `direction`: what `.holdfast.toml` may do: never, off, smaller.
    """

    __slots__ = ("about", "allowed", "default", "direction", "items", "kind", "name", "scope", "since")

    name: str
    kind: str
    default: Any
    allowed: tuple[Any, ...]
    scope: str
    direction: str
    items: str
    about: str
    since: str

    def __init__(self, cells: tuple[Any, ...]) -> None:
        self.name, self.kind, self.default, self.allowed, self.scope, self.direction = cells[:6]
        self.items, self.about, self.since = cells[6:] if len(cells) == 9 else (*cells[6:], "")

    @property
    def section(self) -> str:
        """The TOML table it stands in; empty for the two names at the top."""
        return self.name.partition(".")[0] if "." in self.name else ""

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "HOLDFAST_" + self.name.replace(".", "_").upper()


# fmt: off
_ROWS: tuple[tuple[Any, ...], ...] = (
    # name, kind, default, allowed, scope, direction, items, about[, since]
    ("user", "user", "local", (), "agent", "never", "P030 D1",
     "Whose memory is meant when a call names no user."),
    ("agent", "agent", "main", (), "home", "never", "U86 D3",
     "The agent whose memory is opened when a call names none."),
    ("time.zone", "zone", "", (), "agent", "never", "D43",
     "IANA zone for `yesterday`, dates in questions and display; empty is the system's, and storage is always UTC."),

    ("journal.session_bytes", "int", 10 * MIB, (64 * KIB, GIB), "agent", "never", "A125 A009 A098 A141",
     "Most bytes that a journal and its tombstones may take together."),
    ("journal.entry_bytes", "int", MIB, (KIB, 64 * MIB), "agent", "never", "A173 A147",
     "Most bytes that one entry may take."),
    ("journal.lock_ms", "int", 5000, (0, 600_000), "agent", "never", "A066 A126 G037",
     "How long a writer waits for a journal's lock, retries included, before it gives up with `Locked`."),
    ("journal.retries", "int", 3, (0, 20), "agent", "never", "A113 A116 A126",
     "How often a failed disk operation is tried again within that wait."),
    ("journal.backoff_ms", "int", 100, (1, 10_000), "agent", "never", "A070 A126",
     "Pause before the first retry; it doubles each time."),
    ("journal.durability", "choice", "durable", ("durable", "relaxed"), "agent", "never", "A120 A128 F065",
     "`durable` answers after the bytes are on the medium, `relaxed` before, and says so."),
    ("journal.relaxed_ms", "int", 200, (1, 1000), "agent", "never", "F066 A128",
     "With relaxed durability, the longest time before written bytes are synced."),

    ("compaction.auto", "bool", True, (), "session", "never", "A125 A131",
     "Whether a journal near its limit is compacted without being asked."),
    ("compaction.threshold", "float", 0.9, (0.1, 1.0), "session", "never", "A096 A125 A131",
     "Share of `journal.session_bytes` from which compaction is due."),
    ("compaction.target", "float", 0.7, (0.05, 0.95), "agent", "never", "A099 D11",
     "Share of `journal.session_bytes` down to which compaction removes what matters least."),
    ("compaction.min_relevance", "float", 0.05, (0.0, 1.0), "agent", "never", "A100",
     "Conversation, events and artifacts less relevant than this, decay without floor, go first."),
    ("compaction.metadata_days", "int", 30, (0, 36_500), "agent", "never", "A101",
     "Entries older than this lose verbose metadata when compaction needs room."),

    ("decay.enabled", "bool", True, (), "session", "never", "A127 A130 A034",
     "Whether relevance falls with age."),
    ("decay.half_life_hours", "float", 168.0, (0.1, 876_000.0), "session", "never", "A034 A122 A130 A085",
     "Half-life of types that have no row of their own."),
    ("decay.conversation_hours", "float", 168.0, (0.1, 876_000.0), "session", "never", "A087 A127",
     "Half-life of conversation."),
    ("decay.finding_hours", "float", 336.0, (0.1, 876_000.0), "session", "never", "A089 A127",
     "Half-life of findings."),
    ("decay.decision_hours", "float", 720.0, (0.1, 876_000.0), "session", "never", "A088 A127",
     "Half-life of decisions."),
    ("decay.floor", "float", 0.1, (0.0, 1.0), "session", "never", "A081 A086 A127 A130",
     "What decay never falls below in ranking."),
    ("decay.recency_boost", "float", 1.5, (1.0, 3.0), "agent", "never", "A081 A198",
     "Factor for what was made or recalled just now; it falls to 1 over `decay.recency_hours`."),
    ("decay.recency_hours", "float", 24.0, (0.1, 8760.0), "agent", "never", "A198",
     "How long the recency boost lasts."),

    ("index.path", "template", "", (), "home", "never", "G078 G164 G165 G199",
     "Directory of the indexes, absolute and with `{agent}`, a folder for each home in it; empty: each in its home."),
    ("index.wait_ms", "int", 2000, (1, 60_000), "agent", "never", "D13",
     "How long a search waits for the index to catch up before it answers and says it is behind."),
    ("index.compare_minutes", "int", 10, (1, 1440), "agent", "never", "D12",
     "How often a long-lived process compares every journal with the index."),

    ("recall.limit", "int", 6, (1, 200), "agent", "smaller", "G150 G160",
     "Hits of a search that names no limit."),
    ("recall.min_score", "float", 0.0, (0.0, 1.0), "agent", "never", "G150 G161 D19",
     "Hits with a lower score are left out."),
    ("recall.candidates", "int", 4, (1, 20), "agent", "never", "G123 G150",
     "Keyword candidates for each of the first 25 hits (16 among more than 5,000 texts); more pages go on by words."),
    ("recall.snippet_chars", "int", 700, (40, 10_000), "agent", "smaller", "G130",
     "Longest snippet of a hit, in characters."),
    ("recall.influence", "float", 0.15, (0.0, 0.5), "agent", "never", "A079 D19",
     "The most that importance, decay and recency together may take from a score when ranking by match."),
    ("recall.pin_boost", "float", 1.25, (1.0, 5.0), "agent", "never", "F074",
     "Factor for pinned entries."),
    ("recall.workspace_boost", "float", 1.1, (1.0, 5.0), "agent", "never", "F074",
     "Factor for entries of the workspace that is asked from."),
    ("recall.cross_workspace", "bool", False, (), "agent", "off", "F087",
     "Whether agents may search other workspaces of the user than their own."),
    ("recall.vectors", "bool", True, (), "agent", "off", "G078 G150 G156 G162 G199",
     "Whether search uses vectors beside keywords."),
    ("recall.vector_weight", "float", 0.47, (0.0, 1.0), "agent", "never", "G121 G150 G162",
     "Weight of the vector side; weights apply over the sides that ran."),
    ("recall.text_weight", "float", 0.53, (0.0, 1.0), "agent", "never", "G122 G150 G162",
     "Weight of the keyword side."),
    ("query.limit", "int", 10, (1, 200), "agent", "smaller", "A083",
     "Entries of a query that names no limit."),

    ("context.inject", "bool", True, (), "agent", "off", "G135 F071 F090",
     "Whether an agent is given context; switched off, a context is empty and says so."),
    ("context.budget", "int", 800, (0, 100_000), "agent", "smaller", "F036 F070 G132 G135",
     "Most tokens of a context block."),
    ("context.full_budget", "int", 4000, (0, 1_000_000), "agent", "smaller", "P032 P046",
     "Most tokens when recent messages of the session are asked for as well.", RECENT),
    ("context.min_score", "float", 0.32, (0.0, 1.0), "agent", "never", "G132 G135 D19",
     "Recalled items with a lower score are not put into a context."),
    ("context.facts", "int", 5, (0, 200), "agent", "smaller", "F035 G132 G135",
     "Seats kept for facts, decisions and other lasting entries."),
    ("context.snippets", "int", 3, (0, 200), "agent", "smaller", "F035",
     "Seats kept for snippets of conversation."),
    ("context.user_memories", "bool", True, (), "agent", "off", "P045",
     "Whether a context begins with what the user asked to be remembered."),
    ("context.memories", "int", 50, (0, 1000), "agent", "smaller", "P034 P047",
     "Most user memories in a context."),
    ("context.messages", "int", 20, (0, 1000), "agent", "smaller", "P033 P047",
     "Most recent messages in a context that asks for them.", RECENT),
    ("context.summary", "bool", True, (), "agent", "off", "P035",
     "Whether a summary stands in for messages that were left out.", RECENT),

    ("cache.entries", "int", 100, (0, 100_000), "agent", "never", "A117 A128",
     "Entries kept parsed in memory; checked against the index before use."),
    ("quota.home_bytes", "int", 0, (0, 1024 * GIB), "home", "never", "A060",
     "Most bytes of the journals of all agents of the home; 0 is no quota."),
    ("quota.user_bytes", "int", 0, (0, 1024 * GIB), "agent", "never", "A060",
     "Most bytes of one user's journals; 0 is no quota."),
    ("quota.user_keys", "int", 1000, (1, 100_000), "agent", "never", "D37",
     "Most keys that one user may have remembered."),
    ("log.level", "choice", "off", ("off", "debug", "info", "warn", "error"), "home", "never", "A186 A187 A188 A189",
     "From which level on JSON lines are logged; they never hold remembered text."),
    ("log.file", "path", "", (), "home", "never", "A190",
     "File that log lines are appended to; empty is standard error."),

    ("embedder.provider", "choice", "auto",
     ("auto", "builtin", "minilm", "onnx", "gguf", "ollama", "openai", "gemini", "compatible", "auto-remote", "none"),
     "home", "never", "G076 G154 G199",
     "Who makes vectors; `auto` never leaves the machine, and only naming a remote one makes it used."),
    ("embedder.model", "text", "", (), "home", "never", "G077 G110 G111 G112 G199",
     "Model of the provider, for `minilm` and `onnx` a directory; empty is the provider's own default."),
    ("embedder.url", "url", "", (), "home", "never", "U40",
     "Endpoint of a `compatible` provider, or another address of a named one.", PROVIDERS),
    ("embedder.fallback", "choice", "none", ("none", "builtin", "minilm", "gguf", "ollama", "openai", "gemini"),
     "home", "never", "G146 U02",
     "Provider used when the first one fails; none, since another model means embedding all anew.", PROVIDERS),
    ("embedder.remote_timeout_ms", "int", 60_000, (100, 3_600_000), "home", "never", "G125",
     "How long a question's vector may take from a remote provider.", PROVIDERS),
    ("embedder.local_timeout_ms", "int", 300_000, (100, 3_600_000), "home", "never", "G126",
     "How long a model on this machine may take to load or to make vectors when no search waits for it."),
    ("embedder.cache", "bool", True, (), "home", "never", "G079 G151 G163",
     "Whether vectors of costly embedders are kept for texts that come again."),
    ("embedder.cache_entries", "int", 50_000, (1, 100_000_000), "home", "never", "G024 G079 G151 U02",
     "Most vectors in that cache; the longest unused go first."),
    ("embedder.cache_bytes", "int", 256 * MIB, (MIB, 1024 * GIB), "home", "never", "U74",
     "Most bytes of that cache."),
    ("embedder.batch", "bool", False, (), "home", "off", "U02",
     "Whether a provider's batch jobs are used for large backlogs.", PROVIDERS),
    ("embedder.batch_wait", "bool", True, (), "home", "never", "U02",
     "Whether a sync waits for its batch jobs; otherwise they are fetched by a later one.", PROVIDERS),
    ("embedder.batch_concurrency", "int", 2, (1, 64), "home", "never", "U02",
     "Batch jobs under way at the same time.", PROVIDERS),
    ("embedder.batch_poll_ms", "int", 2000, (100, 600_000), "home", "never", "U02 G173",
     "Pause between two looks at a batch job.", PROVIDERS),
    ("embedder.batch_timeout_minutes", "int", 60, (1, 10_080), "home", "never", "U02 G173",
     "How long a batch job may take before single requests are used instead.", PROVIDERS),
    ("embedder.batch_failures", "int", 2, (1, 100), "home", "never", "G177",
     "Failures in a row after which batch jobs are given up for the process.", PROVIDERS),
    ("chunking.tokens", "int", 160, (32, 8192), "home", "never", "G140 G148 G157",
     "Most tokens of a chunk; an entry that is no longer stays whole. A change takes effect with the next `sync`."),
    ("chunking.overlap", "int", 32, (0, 8191), "home", "never", "G140 G148 G157",
     "Tokens that a chunk shares with the one before it, at most half a chunk."),

    ("sync.sources", "choices", ("memory",), ("memory", "sessions"), "agent", "never", "G077 G155 G199 U02",
     "What is indexed besides journals: memory files, and transcripts (`sessions`) only when named.", FILES),
    ("sync.on_session_start", "bool", True, (), "agent", "off", "G080 G149 G158",
     "Whether changed sources are indexed when a session starts.", FILES),
    ("sync.on_search", "bool", True, (), "agent", "off", "G080 G149 G158",
     "Whether changed sources are indexed before a search.", FILES),
    ("sync.watch", "bool", True, (), "agent", "off", "G080 G149 G158",
     "Whether a long-lived process watches the sources.", FILES),
    ("sync.watch_debounce_ms", "int", 1500, (10, 600_000), "agent", "never", "G080 G149 G159",
     "How long a watched file must be quiet before it is indexed.", FILES),
    ("sync.interval_minutes", "int", 0, (0, 10_080), "agent", "never", "G080 G149 U02",
     "How often a long-lived process looks at all sources; 0 is never.", FILES),
    ("sync.delta_bytes", "int", 100_000, (0, GIB), "agent", "never", "G049 G081 G149 U02",
     "Growth of a transcript, in bytes, from which it is indexed; 0 is any growth.", FILES),
    ("sync.delta_messages", "int", 50, (0, 1_000_000), "agent", "never", "G050 G081 G149 U02",
     "Growth of a transcript, in messages, from which it is indexed; 0 is any growth.", FILES),
    ("sync.delta_debounce_ms", "int", 5000, (0, 600_000), "agent", "never", "G051",
     "How long growth of transcripts is collected before it is looked at.", FILES),
    ("sync.outside_workspace", "bool", False, (), "agent", "off", "F055",
     "Whether sources outside the workspace may be indexed.", FILES),
    ("learn.similarity", "float", 0.8, (0.5, 1.0), "agent", "never", "G055 G056",
     "Word overlap from which a learning counts as one that is already there.", FILES),

    ("retention.armed", "bool", False, (), "home", "never", "D32",
     "Whether retention may remove anything; nothing goes before somebody agreed to it once.", RETENTION),
    ("retention.days", "int", 90, (0, 36_500), "agent", "never", "P002 P043 F017",
     "Age at which conversation, events and artifacts expire; 0 keeps them for good.", RETENTION),
    ("retention.interval_seconds", "int", 3600, (60, 604_800), "home", "never", "P044",
     "How often retention runs in a long-lived process.", RETENTION),
    ("retention.hook_hours", "int", 48, (1, 876_000), "agent", "never", "G019",
     "Age at which sessions with a key `hook:…` expire.", RETENTION),
    ("retention.hook_sessions", "int", 500, (1, 1_000_000), "agent", "never", "G020",
     "Most sessions with a key `hook:…`; the oldest go first.", RETENTION),

    ("distil.summaries", "bool", True, (), "agent", "off", "P048 F084",
     "Whether long sessions are summarised.", DISTIL),
    ("distil.facts", "bool", True, (), "agent", "off", "F051",
     "Whether facts are taken from ended sessions.", DISTIL),
    ("distil.trigger_tokens", "int", 8000, (500, 10_000_000), "agent", "never", "P036",
     "Session history from which a summary is made.", DISTIL),
    ("distil.keep_messages", "int", 10, (0, 1000), "agent", "never", "P037 G137",
     "Last messages that stay word for word beside a summary.", DISTIL),
    ("distil.input_tokens", "int", 2000, (100, 1_000_000), "agent", "smaller", "F046",
     "Most tokens read at once to find facts.", DISTIL),
    ("distil.bullets", "int", 10, (1, 100), "agent", "smaller", "F047",
     "Most facts taken from one session.", DISTIL),
    ("distil.bullet_words", "int", 40, (5, 500), "agent", "smaller", "F047",
     "Most words of a fact.", DISTIL),
    ("distil.deadline_ms", "int", 1000, (100, 600_000), "agent", "never", "F069",
     "How long a language model may take for facts before the rules are used instead.", DISTIL),
    ("completer.provider", "choice", "none", ("none", "anthropic", "openai", "ollama", "compatible"), "home", "never",
     "F045 F052", "Language model for summaries and facts; `none` uses rules and no network.", DISTIL),
    ("completer.model", "text", "", (), "home", "never", "F045",
     "Model of the completer; empty is the provider's small one (Haiku for `anthropic`).", DISTIL),
    ("completer.url", "url", "", (), "home", "never", "F045",
     "Endpoint of a `compatible` completer, or another address of a named one.", DISTIL),

    ("hooks.capture", "bool", True, (), "agent", "off", "F001 F071",
     "Whether agent hooks record what happens.", HOOKS),
    ("hooks.deadline_ms", "int", 300, (10, 10_000), "agent", "smaller", "F070",
     "Time after which a hook ends without context, so that it never holds up the agent.", HOOKS),
    ("hooks.index_wait_ms", "int", 50, (1, 5000), "agent", "smaller", "F070 D13",
     "How long a hook waits for the index to catch up.", HOOKS),
    ("service.port", "int", 8733, (1, 65_535), "home", "never", "F031",
     "Port of the service; it listens on this machine only.", SERVICE),
    ("service.limit", "int", 20, (1, 200), "agent", "never", "F024",
     "Hits of an HTTP search that names no limit.", SERVICE),
)
# fmt: on

TABLE: tuple[Row, ...] = tuple(map(Row, _ROWS))
BY_NAME: dict[str, Row] = {row.name: row for row in TABLE}
DEFAULTS: dict[str, Any] = {row.name: row.default for row in TABLE}
