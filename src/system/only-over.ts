import { wholeSource } from '../core/body.ts';
import type { ReplacedOnly } from '../core/change-details.ts';
import { hasCode, SyncerError } from '../core/errors.ts';
import type { FileEntry, Op, Remote, WriteSource } from '../core/remote.ts';
import { deleteOne } from '../core/remote-calls.ts';
import { joinPath, parentPath } from '../core/remote-path.ts';
import { isStillListed } from '../core/same-content.ts';
import { newTrialName } from './owner-state.ts';

/** Whether the servers of remotes have conditional writes, as far as that is known. */
const conditional = new WeakMap<Remote, boolean>();

/**
 * Writes a file over what may be replaced (`ChangeDetails.replacesOnly`) and nothing else, by a condition of the
 * request if the server has them; without that, over anything. Rejects with `precondition-failed` if something else is
 * there.
 */
export async function writeOnlyOver(
  remote: Remote,
  source: WriteSource,
  only: ReplacedOnly<FileEntry>,
  op: Op,
): Promise<FileEntry> {
  // A disk looks at the file when the new one is complete.
  if (remote.traits.onDisk) return remote.write(source, op);
  // What can be read only once is not sent for a trial.
  const mayAsk = source.seekable || (await hasConditions(remote, parentPath(source.path), op));
  if (mayAsk && remote.can.writesIfUnchanged === true && conditional.get(remote) !== false) {
    try {
      return await remote.write({ replaces: only.file, ...source }, op);
    } catch (thrown) {
      // A condition may need a right that the write itself does not.
      if (!source.seekable || !hasCode(thrown, 'unsupported', 'access-denied')) throw thrown;
    }
  }
  await assertThere(remote, source.path, only, op);
  const written = await remote.write(source, op);
  conditional.set(remote, false);
  return written;
}

/** Tries a conditional write in a directory, once. */
async function hasConditions(remote: Remote, dir: string, op: Op): Promise<boolean> {
  const known = conditional.get(remote);
  if (known !== undefined) return known;
  if (remote.can.writesIfUnchanged !== true) return false;
  const path = joinPath(dir, newTrialName());
  const trial = wholeSource({ path, replaces: 'nothing' }, Buffer.alloc(0));
  try {
    const file = await remote.write(trial, op);
    await deleteOne(remote, file, op);
  } catch (thrown) {
    if (!hasCode(thrown, 'unsupported')) throw thrown;
    conditional.set(remote, false);
    return false;
  }
  conditional.set(remote, true);
  return true;
}

/** Rejects with `precondition-failed` if what may be replaced is no longer there. */
export async function assertThere(
  remote: Remote,
  path: string,
  only: ReplacedOnly<FileEntry>,
  op: Op,
): Promise<void> {
  const found = await remote.stat(path, op);
  const now = found?.kind === 'file' ? found : undefined;
  if (isStillListed(only.file === 'nothing' ? undefined : only.file, now)) return;
  const text = `${path} changed during the transfer; left as it is`;
  throw new SyncerError('precondition-failed', text, { path });
}

/** Deletes a file if it is still the listed one, as far as the remote can say; otherwise rejects with `source-changed`. */
export function deleteUnchanged(remote: Remote, file: FileEntry, op: Op): Promise<void> {
  return deleteOne(remote, file, op, { ifUnchanged: true });
}
