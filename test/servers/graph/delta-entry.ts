import type { Tombstone } from './drive.ts';
import type { DriveItem } from './drive-item.ts';

/** One entry of an enumeration: an item as it is, an item under an old name, or what was deleted. */
export type DeltaEntry =
  | { readonly item: DriveItem; readonly stale: boolean }
  | { readonly gone: Tombstone };
