import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { saysMissing } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { ItemAddress } from '../items/address.ts';
import { isSameId } from '../items/check-item.ts';
import { compareContent } from '../items/compare-content.ts';
import type { GraphItem } from '../items/graph-item.ts';
import { tellFile } from '../items/tell-entry.ts';
import { NO_TIME } from '../items/times.ts';
import type { DriveStore } from '../store.ts';
import { setTime } from './set-mod-time.ts';

/** A copy of which the service says that it is made. */
export interface MadeCopy {
  /** Where it is: a name in a folder. */
  readonly address: ItemAddress;
  /** Nothing else can have its name. */
  readonly hasOwnName: boolean;
  /** Its id, as the service told it. */
  readonly toldId?: string;
  /** When the service was asked to make it, by its own clock. */
  readonly begunMs?: number;
}

/** The service's clocks may differ by so much, in milliseconds. */
const CLOCKS_MS = 5000;

/**
 * Gives a copy the time of its file, and looks whether it is the copy: what was at the place before may be there still,
 * whatever the service says. Rejects with `source-changed` where the copy holds other content, and with `bad-answer` where
 * it is no copy; what is wrong under the name that the copy was to have goes with the error (`SyncerError.wrong`).
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
    throw badAnswer(asked, 'the service reports success, but there is no copy');
  });
  const there = await tellFile(store, item, path, op);
  const content = compareContent(there, file);
  const isTold = copy.hasOwnName || (copy.toldId !== undefined && isSameId(item.id, copy.toldId));
  if (content === 'same' || (content === 'unknown' && isTold)) return item;
  const self = { driveId: address.driveId, id: item.id ?? '', rest: '' };
  if (content === 'other' && isTold && isNew(item, copy)) {
    throw new SyncerError('source-changed', `${file.path} changed while it was copied`, {
      path,
      ...(copy.hasOwnName ? {} : { wrong: { ...there, ...store.client.toldAt() } }),
    });
  }
  const { code, message } = badAnswer(
    asked,
    'the service reports success, but another file is there',
  );
  const isTimed = await setTime(store, self, { path, modTime: NO_TIME }, op).catch(() => undefined);
  // Without an etag it is not taken for a file that was written here.
  const { etag: _etag, ...foreign } = there;
  throw new SyncerError(code, message, { path, ...(isTimed ? {} : { wrong: foreign }) });
}

/** Whether an item was made by this copy. */
function isNew({ createdDateTime = '' }: GraphItem, { hasOwnName, begunMs }: MadeCopy): boolean {
  return (
    hasOwnName || (begunMs !== undefined && Date.parse(createdDateTime) >= begunMs - CLOCKS_MS)
  );
}
