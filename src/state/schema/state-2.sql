-- Version 2 of state.db.

-- Places and remotes that stand first on the home screen.
CREATE TABLE pins (
  path BLOB PRIMARY KEY,     -- as commands take it
  pinned_ms INTEGER NOT NULL -- in milliseconds since the epoch
) STRICT, WITHOUT ROWID;
