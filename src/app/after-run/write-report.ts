import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { partialPath } from '../../backends/local/partial-name.ts';
import { parseRemoteSpec } from '../../config/remote-spec.ts';
import type { Context } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import { ownMark } from '../../kit/owner-state.ts';
import type { RemoteOpener } from '../command.ts';
import { splitFileSpec } from '../remotes/file-or-directory.ts';

/** Opens remotes for reports: those of the run are closed, and its signal may be aborted. */
export type OpenRemotes = (signal: AbortSignal) => RemoteOpener;

/** The longest time for a report to a remote, in milliseconds. */
const MOST_MS = 60_000;

/**
 * Writes a report to a local file or to `remote:path`. It has its name only when it is whole. Rejects with the reason,
 * which names the target.
 */
export async function writeReport(
  target: string,
  text: string,
  open: OpenRemotes,
  { clock }: Pick<Context, 'clock'>,
): Promise<void> {
  const body = Buffer.from(text);
  try {
    if (parseRemoteSpec(target).name === '') await toFile(target, body);
    else await toRemote(target, body, open, clock.now());
  } catch (thrown) {
    const { code, message } = toSyncerError(thrown);
    throw new SyncerError(code, `cannot write the report to ${target}: ${message}`, {
      cause: thrown,
    });
  }
}

/** Whether a report is a page: its name says so. */
export function isPage(target: string): boolean {
  return /\.html?$/i.test(target);
}

async function toFile(target: string, body: Buffer): Promise<void> {
  const there = await stat(target).catch(() => undefined);
  // A pipe or a device has no other content to protect.
  if (there !== undefined && !there.isFile() && !there.isDirectory())
    return writeFile(target, body);
  const partial = partialPath(resolve(target), ownMark(), 'r');
  try {
    await writeFile(partial, body, { flag: 'wx', flush: true });
    await rename(partial, target);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
}

async function toRemote(
  target: string,
  body: Buffer,
  open: OpenRemotes,
  nowMs: number,
): Promise<void> {
  const signal = AbortSignal.timeout(MOST_MS);
  const remotes = open(signal);
  try {
    const { dir, leaf } = splitFileSpec(target);
    const remote = await remotes.openDir(dir);
    await remote.write(
      {
        path: leaf,
        size: body.length,
        modTime: modTimeFromMs(nowMs),
        mimeType: isPage(target) ? 'text/html; charset=utf-8' : 'application/json',
        seekable: true,
        open: async (range) =>
          range === undefined
            ? body
            : body.subarray(range.offset, range.offset + (range.length ?? body.length)),
      },
      { signal },
    );
  } catch (thrown) {
    throw signal.aborted ? new SyncerError('timed-out', 'it took too long') : thrown;
  } finally {
    await remotes.closeAll().catch(() => {});
  }
}
