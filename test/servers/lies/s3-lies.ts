import { ANY_LIES } from './any-lies.ts';
import type { Lies } from './lie.ts';
import { LIST_LIES } from './list-lies.ts';
import { LIST_PAGE_LIES } from './list-page-lies.ts';
import { PART_COPY_LIES } from './part-copy-lies.ts';
import { READ_LIES } from './read-lies.ts';
import { REMOVE_LIES } from './remove-lies.ts';
import { WRITE_LIES } from './write-lies.ts';

/** The lies of an S3 store, by the names that docs/proof.md has for them. */
export const S3_LIES: Lies = {
  ...ANY_LIES,
  ...WRITE_LIES,
  ...PART_COPY_LIES,
  ...REMOVE_LIES,
  ...READ_LIES,
  ...LIST_LIES,
  ...LIST_PAGE_LIES,
};
