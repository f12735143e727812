import { hasCode, SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op, WriteSource } from '../../core/remote.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import { sameContent } from './same-content.ts';
import { hashOfCached, type UploadRules, uploadSource } from './upload-source.ts';

/** Uploads run through this one function, whatever happens to the file meanwhile. */
export interface UploadParts {
  readonly kit: ContentsKit;
  readonly rules: UploadRules;
  /** The remote has it. */
  uploaded(path: string, entry: FileEntry): void;
}

/**
 * Uploads a cached file as it is now: all of one version or nothing. Resolves when the remote has it and the journal
 * knows. A file that was changed meanwhile stays pending. Rejects with what the remote says.
 */
export async function uploadCached(
  { kit, rules, uploaded }: UploadParts,
  file: CachedFile,
  op: Op,
): Promise<void> {
  if (!(await found(kit, file))) return;
  try {
    await file.commit();
    const { path, edition } = file;
    if (path === undefined || !file.isDirty) return;
    await file.complete(op);
    const there = file.isRecovered ? await arrivedBefore(kit, file, path, op) : undefined;
    op.signal.throwIfAborted();
    if (file.edition !== edition) throw changed(path);
    file.isUncertain = true;
    const source = uploadSource(file, path, rules);
    const entry = there ?? (await kit.remote.write(source, op));
    await checkSize(kit, source, entry, op);
    file.isUncertain = false;
    if (file.edition === edition) {
      const kept = file.uploaded(entry);
      // At once: it does not count as pending any more, and in between nobody would know what it is like.
      uploaded(path, entry);
      await kept;
    } else {
      // What is there has to be removed or renamed with the file.
      file.base = entry;
      uploaded(path, entry);
    }
    const message = 'Uploaded from the cache';
    kit.context.emit({ type: 'log', level: 'info', path, message });
  } finally {
    await file.release();
  }
}

/** Opens it; `false` where its bytes are lost, which is told. */
async function found({ context }: ContentsKit, file: CachedFile): Promise<boolean> {
  try {
    await file.acquire();
    return true;
  } catch (thrown) {
    if (!hasCode(thrown, 'corrupted')) throw thrown;
    const path = file.path ?? '';
    const message = `Cannot be uploaded: ${thrown.message}`;
    context.emit({ type: 'log', level: 'error', path, message, error: thrown });
    await file.discard();
    return false;
  }
}

/**
 * What the remote has, where that is the file already: only the word of it was lost when the mount ended. What waited
 * may also be older than what others have written since: it wins, as with rclone, but not in silence.
 */
async function arrivedBefore(
  { remote, context }: ContentsKit,
  file: CachedFile,
  path: string,
  op: Op,
): Promise<FileEntry | undefined> {
  const now = await remote.stat(path, op);
  if (now?.kind !== 'file' || now.isWrong === true) return undefined;
  if (file.base !== undefined && sameContent(file.base, now)) return undefined;
  if (now.size === file.data.size && now.modTime === file.modTime && (await hasHash(file, now))) {
    return now;
  }
  const message =
    'Changed on the remote while its upload waited: the file of the mount replaces it';
  context.emit({ type: 'log', level: 'notice', path, message });
  return undefined;
}

async function hasHash(file: CachedFile, { hashes = {} }: FileEntry): Promise<boolean> {
  const [first] = Object.entries(hashes) as [HashName, string][];
  return first !== undefined && first[1] === (await hashOfCached(file, first[0]));
}

async function checkSize(
  { remote }: ContentsKit,
  { path, size }: WriteSource,
  entry: FileEntry,
  op: Op,
): Promise<void> {
  if (entry.size < 0 || entry.size === size || entry.isRewritten === true) return;
  await remote.can.takeBack?.(entry, undefined, op);
  const text = `corrupted on transfer: sizes differ ${size} vs ${entry.size}`;
  throw new SyncerError('corrupted', text, { path });
}

function changed(path: string): SyncerError {
  return new SyncerError('source-changed', 'changed while it was uploaded', { path });
}
