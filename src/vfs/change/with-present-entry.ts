import { hasCode } from '../../core/errors.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';

/**
 * Runs a call that changes a file; where the remote says that the file is another one by now, once more with the file
 * that is there.
 */
export async function withPresentEntry<T>(
  remote: Remote,
  entry: FileEntry,
  op: Op,
  call: (entry: FileEntry) => Promise<T>,
): Promise<T> {
  try {
    return await call(entry);
  } catch (thrown) {
    if (!hasCode(thrown, 'source-changed', 'precondition-failed')) throw thrown;
    const present = await remote.stat(entry.path, op);
    if (present?.kind !== 'file') throw thrown;
    return call(present);
  }
}
