-- Version 2 of cache.db.

-- Large objects that runs have written: the pieces of their contents, to find what a later content has in common with
-- them (src/caches/piece-notes.ts).
CREATE TABLE large_objects (
  store TEXT NOT NULL,       -- a hash of what identifies the server
  name BLOB NOT NULL,        -- bucket and key
  etag TEXT NOT NULL,
  size INTEGER NOT NULL,     -- in bytes
  used_day INTEGER NOT NULL, -- in days since the epoch
  misses INTEGER NOT NULL,   -- how many uploads in a row had nothing in common with what they replaced
  part_lengths BLOB,         -- in bytes, 32 bits each, the lowest byte first; NULL if the parts are not known
  part_md5s BLOB,
  cut_lengths BLOB,          -- likewise
  cut_sha256s BLOB,
  sum INTEGER NOT NULL,      -- CRC-32 of all the others but `used_day`
  PRIMARY KEY (name, store)
) STRICT;
CREATE INDEX large_objects_by_day ON large_objects (used_day);
