import { ANY_LIES } from './any-lies.ts';
import type { GraphLies } from './graph-lie.ts';
import { ITEM_LIES } from './item-lies.ts';
import { LIST_LIES } from './list-lies.ts';
import { READ_LIES } from './read-lies.ts';
import { WRITE_LIES } from './write-lies.ts';

/** The lies of a Graph service, by the names that docs/proof.md has for them. */
export const GRAPH_LIES: GraphLies = {
  ...ANY_LIES,
  ...ITEM_LIES,
  ...LIST_LIES,
  ...WRITE_LIES,
  ...READ_LIES,
};
