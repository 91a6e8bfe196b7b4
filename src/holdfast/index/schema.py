"""The index's tables, views and version, as data.

Owns all DDL. `VERSION` is the number in the name of a generation (`v9-000017`): raise it when
anything here, the tokeniser or the meaning of a column changes, and the next open builds anew; not for an
index more or one with more columns, without which a generation is only slower.
The views give the tables of the seed documents to anyone with a SQL prompt.
"""

from __future__ import annotations

VERSION = 9
APPLICATION_ID = 0x686F6C64  # "hold"
VISIBLE, DELETED, SUPERSEDED = 0, 1, 2

TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row a file that was read, with how far; for a journal also its tombstones and card.
CREATE TABLE files(
  n INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'journal',
  hash TEXT NOT NULL,
  mtime INTEGER NOT NULL,
  size INTEGER NOT NULL,
  journal TEXT UNIQUE,
  generation INTEGER NOT NULL DEFAULT 0,
  line INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL DEFAULT 0,
  tail_offset INTEGER NOT NULL DEFAULT 0,
  inode INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  buried INTEGER NOT NULL DEFAULT 0,
  card_mtime INTEGER NOT NULL DEFAULT 0,
  damaged INTEGER NOT NULL DEFAULT 0,
  UNIQUE(source, path));

CREATE TABLE users(n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);

CREATE TABLE sessions(
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  key TEXT,
  user_id TEXT,
  workspace TEXT,
  channel TEXT,
  created INTEGER NOT NULL,
  ended INTEGER,
  decay TEXT,
  card TEXT NOT NULL);
CREATE INDEX sessions_by_key ON sessions(user_id, key);

CREATE TABLE entries(
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  file INTEGER NOT NULL REFERENCES files(n),
  seq INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  spans TEXT,
  checksum TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  scope TEXT NOT NULL,
  session_id TEXT,
  user_id TEXT,
  workspace TEXT,
  time INTEGER NOT NULL,
  type TEXT NOT NULL,
  importance REAL NOT NULL,
  pinned INTEGER NOT NULL,
  sensitive INTEGER NOT NULL,
  provenance TEXT NOT NULL,
  role TEXT,
  author TEXT,
  key TEXT,
  tool TEXT,
  path TEXT,
  tags TEXT NOT NULL,
  detail TEXT NOT NULL);
CREATE INDEX entries_by_file ON entries(file, time, seq);
CREATE INDEX entries_by_user ON entries(user_id, time);
-- What a context begins with: few rows that it would otherwise look for among all of a user's.
CREATE INDEX entries_pinned ON entries(user_id, time) WHERE pinned=1;
CREATE INDEX entries_preferred ON entries(user_id, time) WHERE type='preference';
CREATE INDEX entries_shared ON entries(scope) WHERE scope='global';
CREATE INDEX entries_by_order ON entries(file, seq);
CREATE INDEX entries_by_author ON entries(user_id, author, state, workspace) WHERE author IS NOT NULL;
CREATE INDEX entries_by_key ON entries(file, key) WHERE key IS NOT NULL;

CREATE TABLE entry_tags(tag TEXT, entry INTEGER, PRIMARY KEY(tag, entry)) WITHOUT ROWID;
CREATE INDEX entry_tags_by_entry ON entry_tags(entry);
CREATE TABLE entry_references(entry INTEGER, target TEXT, PRIMARY KEY(entry, target)) WITHOUT ROWID;
CREATE INDEX entry_references_by_target ON entry_references(target);

CREATE TABLE tombstones(
  id TEXT PRIMARY KEY, file INTEGER NOT NULL, timestamp TEXT NOT NULL, reason TEXT NOT NULL,
  digest TEXT, compacted_at TEXT) WITHOUT ROWID;

CREATE TABLE recalled(id TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;

-- Ordinal 0 is an entry's whole text. Of a long one the pieces from 1 on are searched in its place, and its
-- `stop` is NULL; `start` and `stop` count characters of the whole. `n` begins with the owner (`numbers`).
CREATE TABLE chunks(
  n INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL REFERENCES entries(n),
  ordinal INTEGER NOT NULL DEFAULT 0,
  start INTEGER NOT NULL DEFAULT 0,
  stop INTEGER,
  hash TEXT NOT NULL,
  text TEXT NOT NULL);
CREATE INDEX chunks_by_entry ON chunks(entry);

-- One vector a chunk, all of one embedder: another one means another generation.
CREATE TABLE embedders(n INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
CREATE TABLE vectors(
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  chunk INTEGER NOT NULL UNIQUE REFERENCES chunks(n),
  embedder INTEGER NOT NULL REFERENCES embedders(n),
  hash TEXT NOT NULL,
  data BLOB NOT NULL);
-- Owner and sign bits of 256 vectors in a row: a cold process looks at them all without reading a float.
CREATE TABLE vector_pages(
  page INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, owners BLOB NOT NULL, bits BLOB NOT NULL);
-- `refused` is when an embedder last did not take the text; 0: never asked, or said otherwise since.
CREATE TABLE backlog(chunk INTEGER PRIMARY KEY, refused INTEGER NOT NULL DEFAULT 0);

CREATE VIRTUAL TABLE chunks_fts USING fts5(
  text, tags, path, scope, content='', detail=full, tokenize='porter unicode61 remove_diacritics 2');
INSERT INTO chunks_fts(chunks_fts, rank) VALUES('secure-delete', 1);
-- What FTS5 gathers in memory before it writes a segment: a tenth less work for 10 MiB than with 1 MiB.
INSERT INTO chunks_fts(chunks_fts, rank) VALUES('hashsize', 4194304);
"""

VIEWS = """
CREATE VIEW messages AS
  SELECT e.id, e.session_id, e.role AS message_type, c.text AS content,
    json_extract(e.detail, '$.content.tool_call_id') AS tool_call_id,
    e.time AS created_at, e.seq AS seq_order, (length(c.text) + 3) / 4 AS token_estimate
  FROM entries e JOIN chunks c ON c.entry = e.n AND c.ordinal = 0
  WHERE e.type = 'conversation' AND e.state = 0;

CREATE VIEW user_memories AS
  SELECT e.id, e.user_id, e.key, c.text AS content,
    json_extract(e.detail, '$.metadata.session_id') AS source_session_id,
    (SELECT min(o.time) FROM entries o WHERE o.file = e.file AND o.key = e.key) AS created_at,
    e.time AS updated_at
  FROM entries e JOIN chunks c ON c.entry = e.n AND c.ordinal = 0
  WHERE e.key IS NOT NULL AND e.state = 0;

CREATE VIEW session_summaries AS
  SELECT e.session_id, c.text AS summary, json_extract(e.detail, '$.content.message_count') AS message_count,
    e.time AS created_at, e.time AS updated_at
  FROM entries e JOIN chunks c ON c.entry = e.n AND c.ordinal = 0
  WHERE e.type = 'summary' AND e.state = 0;

CREATE VIEW records AS
  SELECT e.id, e.time AS ts, e.type, e.session_id, e.workspace, e.tool, e.path, c.text AS content,
    e.tags, json_extract(e.detail, '$.metadata') AS metadata
  FROM entries e JOIN chunks c ON c.entry = e.n AND c.ordinal = 0
  WHERE e.type <> 'fact' AND e.state = 0;

CREATE VIEW facts AS
  SELECT e.id, e.time AS ts, e.session_id, e.workspace, c.text AS content,
    e.tags, json_extract(e.detail, '$.metadata') AS metadata
  FROM entries e JOIN chunks c ON c.entry = e.n AND c.ordinal = 0
  WHERE e.type = 'fact' AND e.state = 0;
"""

# Each connection makes its own when it first looks a word up.
VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, chunks_fts, row)"
