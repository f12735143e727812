import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { hasStatus, saysMissing } from '../client/graph-error.ts';
import type { DriveStore } from '../drive-store.ts';
import { hasSameTag, onlyIfSame } from '../items/compare-content.ts';
import type { ItemAddress } from '../items/item-address.ts';
import { addressOf } from '../items/tell-entry.ts';

/** What a request to write requires of the file that is there. */
export interface WriteCondition {
  /** `fail`: none may be there. */
  readonly conflict: 'replace' | 'fail';
  readonly headers: Readonly<Record<string, string>>;
}

const ANY: WriteCondition = { conflict: 'replace', headers: {} };

/**
 * Writes at an address, or in the file that `source.replaces` names if it is still as listed. The service also gives a
 * file another ETag without touching its content: if the tag of the content proves that, the write is tried again.
 */
export async function writeIfUnchanged(
  store: DriveStore,
  source: WriteSource,
  address: ItemAddress,
  op: Op,
  write: (address: ItemAddress, condition: WriteCondition) => Promise<FileEntry>,
): Promise<FileEntry> {
  const { replaces, path, seekable } = source;
  if (replaces === undefined) return write(address, ANY);
  if (replaces === 'nothing') return write(address, { ...ANY, conflict: 'fail' });
  if (replaces.etag === undefined) {
    throw new SyncerError('unsupported', `cannot write ${path} only if it is unchanged: no ETag`);
  }
  const item = await addressOf(store, replaces, op);
  const change = (headers: WriteCondition['headers']) => write(item, { ...ANY, headers });
  if (seekable) return onlyIfSame(store, replaces, op, change, hasSameTag);
  return change({ 'if-match': replaces.etag });
}

/** The error of a write whose condition does not hold; otherwise what was thrown. */
export function conditionFailed({ replaces, path }: WriteSource, thrown: unknown): unknown {
  const isFailed =
    replaces === 'nothing' ? hasStatus(thrown, 409) : hasStatus(thrown, 412) || saysMissing(thrown);
  if (replaces === undefined || !isFailed) return thrown;
  const what = replaces === 'nothing' ? 'another file is there' : 'it was changed or deleted';
  const text = `cannot write ${path}: ${what}`;
  return new SyncerError('precondition-failed', text, { path, cause: thrown });
}
