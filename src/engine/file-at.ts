import { hasCode } from '../core/errors.ts';
import { asSeen } from '../core/mod-time.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';

/** What looks at a file. */
export interface Looking {
  readonly op: Op;
  /** As in `RunSetup`. */
  readonly useServerModTime?: boolean;
}

/** The file at a path now; a directory that does not exist has none. */
export async function fileAt(
  run: Looking,
  remote: Remote,
  path: string,
): Promise<FileEntry | undefined> {
  try {
    const entry = await remote.stat(path, run.op);
    return entry?.kind === 'file' ? asSeen(entry, run.useServerModTime) : undefined;
  } catch (thrown) {
    const codes = ['file-not-found', 'directory-not-found', 'bucket-not-found'] as const;
    if (hasCode(thrown, ...codes, 'not-a-directory')) return undefined;
    throw thrown;
  }
}

/** Whether a path still has the file that was listed, or nothing, as far as both entries show. */
export async function isAsListed(
  run: Looking,
  remote: Remote,
  path: string,
  listed: FileEntry | undefined,
): Promise<boolean> {
  return isFileOf(listed, await fileAt(run, remote, path));
}

/** Whether the file that is there now is the listed one, as far as both entries show; `undefined` is no file. */
export function isFileOf(listed: FileEntry | undefined, now: FileEntry | undefined): boolean {
  if (now === undefined || listed === undefined) return now === listed;
  const tags = [now.contentTag ?? now.etag, listed.contentTag ?? listed.etag];
  if (tags[0] !== undefined && tags[1] !== undefined) return tags[0] === tags[1];
  const [time, before] = [now.modTime, listed.modTime];
  const isSameTime = time === undefined || before === undefined || time === before;
  return isSameTime && now.size === listed.size;
}
