import { hasCode } from '../core/errors.ts';
import { asSeen } from '../core/mod-time.ts';
import type { Entry, FileEntry, Op, Remote } from '../core/remote.ts';

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
  const entry = await entryAt(run, remote, path);
  return entry?.kind === 'file' ? asSeen(entry, run.useServerModTime) : undefined;
}

/** The file or directory at a path now. */
export async function entryAt(
  run: Pick<Looking, 'op'>,
  remote: Remote,
  path: string,
): Promise<Entry | undefined> {
  try {
    return await remote.stat(path, run.op);
  } catch (thrown) {
    const codes = ['file-not-found', 'directory-not-found', 'bucket-not-found'] as const;
    if (hasCode(thrown, ...codes, 'not-a-directory')) return undefined;
    throw thrown;
  }
}
