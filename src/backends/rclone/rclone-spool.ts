import { createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { bodyChunks } from '../../core/body.ts';
import { SyncerError } from '../../core/errors.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import type { FileEntry, Op, WriteSource } from '../../core/remote.ts';
import { contentCheck } from '../../hashes/content-hasher.ts';
import { loadSetTimes } from '../../system/set-times.ts';
import { type RcloneAccess, remotePath } from './rclone-access.ts';
import { copyFile } from './rclone-copy.ts';

let files = 0;

/** A new name in the directory of rclone. */
export const newSpoolName = (): string => `file${++files}`;

/**
 * Writes content that is no local file: it is kept in a file beside the socket of rclone first, because only a copy of a
 * file keeps its time and is proved. The file goes when it is copied, and with rclone.
 */
export async function writeBySpool(
  access: RcloneAccess,
  source: WriteSource,
  op: Op,
): Promise<FileEntry> {
  const to = remotePath(access, source.path);
  const folder = await access.rclone.folder();
  const name = newSpoolName();
  const spooled = join(folder, name);
  try {
    const size = await spool(source, spooled, op);
    const { metadata, modTime = modTimeFromMs(Date.now()) } = source;
    (await loadSetTimes())(spooled, modTime);
    const keepsMetadata = metadata !== undefined && access.features['WriteMetadata'] === true;
    const config = keepsMetadata ? { Metadata: true, MetadataSet: metadata } : undefined;
    const replaces = source.replaces ?? op.change?.replaces;
    const how = { verb: 'copyfile', size, modTime, config, replaces } as const;
    const target = { fs: access.fs, path: to };
    const { signal } = op;
    return await copyFile(access, { fs: folder, path: name }, target, how, { signal }, source.path);
  } catch (thrown) {
    op.signal.throwIfAborted();
    // It goes with the rclone whose directory it is in.
    if (existsSync(folder)) throw thrown;
    throw new SyncerError('network', 'rclone has ended', { path: source.path, cause: thrown });
  } finally {
    await rm(spooled, { force: true });
  }
}

/** Writes the content to a file, and proves it. Resolves to its size in bytes. */
async function spool(source: WriteSource, path: string, op: Op): Promise<number> {
  const check = contentCheck(source);
  const body = await source.open(undefined, op);
  try {
    await pipeline(
      async function* () {
        for await (const chunk of bodyChunks(body, op.signal)) {
          check.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(path, { mode: 0o644, flags: 'wx' }),
    );
  } catch (thrown) {
    op.signal.throwIfAborted();
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
    const why = `no space in the temporary directory for ${source.path}, which goes through a file there`;
    throw new SyncerError('no-space', `${why}: set TMPDIR to a directory with more`, {
      path: source.path,
      cause: thrown,
    });
  }
  return check.finish().size;
}
