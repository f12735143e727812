-- Version 1 of state.db. Times are in milliseconds since the epoch where a column ends in `_ms`.

-- Two directories that bisync keeps equal.
CREATE TABLE pairs (
  id INTEGER PRIMARY KEY,
  places TEXT NOT NULL UNIQUE, -- a JSON array: server and path, or the real path on a disk, of both
  roots TEXT,                  -- the same with inodes, when the last run ended
  ended_ms INTEGER,            -- NULL before the first run has ended
  deleted TEXT,                -- what runs have deleted last: a JSON array of paths and sizes
  owner TEXT,                  -- the mark of the process whose run has the pair, its machine and boot; NULL if none
  machine TEXT,
  boot TEXT,
  seen_ms INTEGER              -- the last sign of life of the owner
) STRICT;

-- What both sides of a pair had when they last agreed: a row for some 1,000 files of a directory, at least one for
-- each directory.
CREATE TABLE agreed (
  pair INTEGER NOT NULL,
  dir BLOB NOT NULL,           -- the path on the first side
  first BLOB NOT NULL,         -- no file of the page is before this name
  files INTEGER NOT NULL,      -- how many
  other_names INTEGER NOT NULL, -- 1 if one of them has another path on the second side
  sum INTEGER NOT NULL,        -- CRC-32 of the page
  page BLOB NOT NULL,          -- a JSON array of names and marks (commands/bisync/two-way/agreed-files.ts), long ones in zstd
  PRIMARY KEY (pair, dir, first)
) STRICT, WITHOUT ROWID;

-- What `--guard` remembers of two places that are synced, whichever is the source.
CREATE TABLE guard_pairs (
  a BLOB NOT NULL,       -- the name of the place that comes first in the order of bytes
  b BLOB NOT NULL,
  sources TEXT NOT NULL, -- of the last good runs, newest first: `a` or `b` for each
  device_a TEXT,         -- the file system that a was on in the last good run from it; NULL if it is not known
  device_b TEXT,
  PRIMARY KEY (a, b)
) STRICT, WITHOUT ROWID;

-- The value in the marker of a place.
CREATE TABLE guard_markers (
  place BLOB PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What a remote said when it was asked last, as JSON. A name may stand for another remote today: the JSON says for which.
CREATE TABLE remotes_said (
  name TEXT PRIMARY KEY,
  said TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A run: of syncer, or of the program in `program`. Its row appears when the run is listed for others, when its journal
-- begins, or at its end, whichever is first. One without `ended_ms` goes on or was interrupted; its process says which.
CREATE TABLE runs (
  -- In the order of their ends; of runs without one, of their begins.
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  program TEXT,
  -- JSON, without secrets.
  words TEXT NOT NULL,
  -- The working directory, in bytes; empty if it was deleted.
  dir BLOB NOT NULL,
  began_ms INTEGER NOT NULL,
  -- The process: until the end.
  mark TEXT,
  pid INTEGER,
  host TEXT,
  -- What others see and lock while it goes on: paths of sockets in bytes, the places that it changes as JSON.
  is_listed INTEGER NOT NULL DEFAULT 0,
  socket BLOB,
  control BLOB,
  places TEXT,
  is_locked INTEGER NOT NULL DEFAULT 0,
  -- The end: its exit code, counters and last error, and what its journal sums up, as JSON.
  ended_ms INTEGER,
  result TEXT,
  sum TEXT
) STRICT;
CREATE INDEX runs_without_end ON runs (number) WHERE ended_ms IS NULL;

-- What must not be forgotten of single files: failed writes (src/caches/proof-observer.ts), and what scrub found suspect;
-- and what a probe has shown of a bucket (src/run/remotes/transfer-records.ts).
CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- of no earlier note: another process may erase by it later
  kind TEXT NOT NULL,                   -- `failed-proof`, `suspect` or `part-copies`
  store TEXT NOT NULL,                  -- what identifies the server or disk
  path BLOB NOT NULL,                   -- below its root
  note TEXT NOT NULL,                   -- the rest, as JSON
  sum INTEGER NOT NULL                  -- CRC-32 of path and note
) STRICT;
CREATE INDEX notes_of_stores ON notes (kind, store);

-- The finished ranges of names of a run with `--checkpoint`.
CREATE TABLE checkpoints (
  key TEXT PRIMARY KEY,      -- the same for runs that copy and delete the same files
  owner TEXT NOT NULL,       -- the mark of the process that records, or the last one that did
  begun_ms INTEGER NOT NULL, -- when the run began that made it
  ledger TEXT NOT NULL,      -- as JSON (src/run/ranges/checkpoint.ts)
  sum INTEGER NOT NULL       -- CRC-32 of key and ledger
) STRICT, WITHOUT ROWID;

-- Unfinished uploads and downloads of large files, which the next run resumes.
CREATE TABLE uploads (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- of no earlier one: who lost it may still change it
  kind TEXT NOT NULL,                   -- `upload` or `download`
  store TEXT NOT NULL,                  -- the server or drive, `disk` for downloads
  path BLOB NOT NULL,                   -- below its root
  head TEXT NOT NULL,                   -- the rest of `UploadHead` as JSON; it may have a secret
  owner TEXT,                           -- the mark of the process that has it, with machine and boot; NULL: none
  machine TEXT NOT NULL,
  boot TEXT NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_of_paths ON uploads (kind, store, path);

-- What is stored of them.
CREATE TABLE upload_parts (
  upload INTEGER NOT NULL,
  number INTEGER NOT NULL,
  size INTEGER NOT NULL, -- in bytes
  etag TEXT NOT NULL,
  md5 TEXT NOT NULL,
  crc32 INTEGER,
  added_ms INTEGER NOT NULL,
  PRIMARY KEY (upload, number)
) STRICT, WITHOUT ROWID;
