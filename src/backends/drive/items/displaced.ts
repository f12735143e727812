import type { ItemAddress } from './address.ts';
import type { GraphItem } from './graph-item.ts';

/** A file that makes room for another one. */
export interface Displaced {
  /** Of the remote. */
  readonly path: string;
  /** As it was before. */
  readonly item: GraphItem;
  readonly address: ItemAddress;
  /** Its name meanwhile. */
  readonly aside: string;
}
