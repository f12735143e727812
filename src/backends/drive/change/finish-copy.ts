import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { saysMissing } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { Address } from '../items/address.ts';
import { isSameId } from '../items/check-item.ts';
import type { GraphItem } from '../items/graph-item.ts';
import { tellFile } from '../items/tell-entry.ts';
import type { DriveStore } from '../store.ts';
import { deleteItem } from './remove.ts';
import { setTime } from './set-mod-time.ts';

/** A copy of which the service says that it is made. */
export interface MadeCopy {
  /** Where it is: a name in a folder. */
  readonly address: Address;
  /** Nothing else can have its name. */
  readonly hasOwnName: boolean;
  /** Its id, as the service told it. */
  readonly toldId?: string;
  /** When the service was asked to make it, by its own clock. */
  readonly begunMs?: number;
}

/** The service's clocks may differ by so much, in milliseconds. */
const CLOCKS_MS = 5000;

/** The time of a file whose own was lost, so that no run takes it for another file of that size: 1 January 1980. */
const NO_TIME = 315_532_800_000_000_000n;

/**
 * Gives a copy the time of its file, and looks whether it is the copy: what was at the place before may be there still,
 * whatever the service says. A copy of other content is removed (`source-changed`). Rejects with `bad-answer` where it is
 * no copy.
 */
export async function finishCopy(
  store: DriveStore,
  copy: MadeCopy,
  file: FileEntry,
  path: string,
  op: Op,
): Promise<GraphItem> {
  const { address } = copy;
  const asked = { doing: 'copy', about: file.path };
  const item = await setTime(store, address, file, op).catch((thrown) => {
    if (!saysMissing(thrown)) throw thrown;
    throw badAnswer(asked, 'the service says that it did, and there is no copy');
  });
  const content = compare(await tellFile(store, item, path, op), file);
  const isTold = copy.hasOwnName || (copy.toldId !== undefined && isSameId(item.id, copy.toldId));
  if (content === 'same' || (content === 'unknown' && isTold)) return item;
  const self = { driveId: address.driveId, id: item.id ?? '', rest: '' };
  if (content === 'other' && isTold && isNew(item, copy)) {
    const { eTag } = item;
    await deleteItem(store, self, path, op, eTag === undefined ? {} : { 'if-match': eTag });
    throw new SyncerError('source-changed', `${file.path} changed while it was copied`, { path });
  }
  await setTime(store, self, { path, modTime: NO_TIME }, op).catch(() => {});
  throw badAnswer(asked, 'the service says that it did, and something else is there');
}

/** Whether an item was made by this copy. */
function isNew({ createdDateTime = '' }: GraphItem, { hasOwnName, begunMs }: MadeCopy): boolean {
  return (
    hasOwnName || (begunMs !== undefined && Date.parse(createdDateTime) >= begunMs - CLOCKS_MS)
  );
}

/** Compares a copy with its file, as a listing told it: `unknown` where no hash says it. */
function compare(there: FileEntry, file: FileEntry): 'same' | 'other' | 'unknown' {
  if (there.isRewritten === true) return 'unknown';
  if (there.size !== file.size) return 'other';
  const both = Object.entries(there.hashes ?? {}).flatMap(([name, value]) => {
    const known = file.hashes?.[name as 'quickxor'];
    return known === undefined ? [] : [known === value];
  });
  if (both.includes(false)) return 'other';
  return both.length > 0 ? 'same' : 'unknown';
}
