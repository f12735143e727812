-- Version 1 of cache.db. Times are in milliseconds since the epoch where a column ends in `_ms`.

-- Modification times that listings do not have: a page of a directory, with records sorted by name (time-format.ts).
-- With row ids, because a page is many times as large as what SQLite keeps in one place of an index.
CREATE TABLE times (
  directory BLOB NOT NULL, -- a hash of server, bucket and path
  first BLOB NOT NULL,     -- the name of the first record, in bytes that sort as listings do
  sum INTEGER NOT NULL,    -- the CRC-32 of the directory and the records
  records BLOB NOT NULL,
  PRIMARY KEY (directory, first)
) STRICT;

-- The directories in `times`: those that were not used for longest go first.
CREATE TABLE time_directories (
  id BLOB PRIMARY KEY,
  used_day INTEGER NOT NULL, -- in days since the epoch
  bytes INTEGER NOT NULL     -- what its pages take
) STRICT, WITHOUT ROWID;
CREATE INDEX time_directories_by_day ON time_directories (used_day);

-- The hashes that runs have computed: a row for each file.
CREATE TABLE hashes (
  store TEXT NOT NULL,      -- `disk`, or a hash of what identifies a server
  name BLOB NOT NULL,       -- the path below the root of its disk or server
  read_ms INTEGER NOT NULL, -- when the content was read
  run_id TEXT NOT NULL,     -- the run that read it
  record TEXT NOT NULL,     -- the rest as JSON (hash-cache.ts)
  sum INTEGER NOT NULL,     -- the CRC-32 of the three before
  PRIMARY KEY (store, name)
) STRICT, WITHOUT ROWID;

-- When something was last searched for what is too old.
CREATE TABLE upkeep (
  task TEXT PRIMARY KEY,
  done_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The directories in which runs have changed something, from their journals: to find the runs of a path.
CREATE TABLE changed_dirs (
  store TEXT NOT NULL, -- `disk`, or what identifies a server
  dir BLOB NOT NULL,   -- its path below the root of its disk or server
  run TEXT NOT NULL,
  is_whole INTEGER NOT NULL, -- 1 if it was deleted or moved with what was below it
  PRIMARY KEY (store, dir, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX changed_dirs_by_run ON changed_dirs (run);

-- The runs of which all directories are in `changed_dirs`.
CREATE TABLE indexed_runs (
  run TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
