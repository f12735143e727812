import type { Entry, Op } from '../../../core/remote.ts';
import { contentOf } from '../items/graph-item.ts';
import { tellEntry } from '../items/tell-entry.ts';
import type { DriveStore } from '../store.ts';
import { isShown } from './entries-of.ts';

/** The entry at a path; `undefined` where there is none. */
export async function statPath(
  store: DriveStore,
  path: string,
  op: Op,
): Promise<Entry | undefined> {
  op.signal.throwIfAborted();
  const item = await store.folders.look(store.toService(path), op);
  if (item === undefined || !isShown(store, item)) return undefined;
  const rules = await store.entryRules(op);
  const driveId = item.parentReference?.driveId ?? rules.driveId;
  const entry = tellEntry(store, item, path, { ...rules, driveId });
  const isFolder = contentOf(item).folder !== undefined;
  // The store may spell the name otherwise; what was asked for is the path by which it is known.
  return isFolder || entry.kind === 'file' ? entry : undefined;
}
