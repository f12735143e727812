import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from './database.ts';

/** A file of `schema/`. The build replaces this module by one that contains them. */
const sql = (name: string) => readFileSync(join(import.meta.dirname, 'schema', name), 'utf8');

/** What must not be lost: in the state directory. */
export const STATE: Schema = {
  file: 'state.db',
  title: 'the state of syncer',
  steps: [sql('state-1.sql'), sql('state-2.sql')],
};

/** What can be learned again: in the cache directory, and deleted at any time. */
export const CACHE: Schema = {
  file: 'cache.db',
  title: 'the cache of syncer',
  mayBeLost: true,
  steps: [sql('cache-1.sql'), sql('cache-2.sql')],
};
