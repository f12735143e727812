import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { Run } from '../../engine/run.ts';
import type { Invocation } from '../command.ts';
import { runAttempts } from '../transfer/run-attempts.ts';
import { nameFromDisposition, nameFromUrl } from './name-from-url.ts';
import { type OpenedUrl, openUrl, type UrlReader } from './open-url.ts';
import { storeUrl } from './store-url.ts';

/** The destination directory, and the file name unless the URL provides it. */
export interface UrlTarget {
  readonly remote: Remote;
  readonly name: string | undefined;
}

/** Copies a URL to a file, which appears when it is complete. */
export async function copyUrl(
  invocation: Invocation,
  reader: UrlReader,
  url: URL,
  target: UrlTarget,
): Promise<void> {
  const { flags, out } = invocation;
  let stored: string | undefined;
  await runAttempts(invocation, async (attempt) => {
    stored = (await storeOnce(invocation, attempt, reader, url, target)) ?? stored;
  });
  if (flags['print-filename'] && stored !== undefined) await out.write(`${stored}\n`);
}

/** One attempt. Resolves to the path of the file; `undefined` if it may not be written. */
export async function storeOnce(
  invocation: Invocation,
  attempt: Run,
  reader: UrlReader,
  url: URL,
  { remote, name }: UrlTarget,
): Promise<string | undefined> {
  const { flags } = invocation;
  const opened = await openUrl(reader, url, attempt.op.signal);
  try {
    const path = name ?? fileName(opened, flags['header-filename']);
    if (flags['no-clobber']) await refuseExisting(remote, path, attempt.op);
    return (await storeUrl(invocation, attempt, remote, path, opened)) ? path : undefined;
  } finally {
    opened.body.destroy();
  }
}

function fileName({ url, headers }: OpenedUrl, byHeader: boolean): string {
  const name = byHeader ? nameFromDisposition(headers['content-disposition']) : nameFromUrl(url);
  if (name !== undefined) return name;
  const where = byHeader ? 'the Content-Disposition header' : 'the URL';
  throw new SyncerError('other', `CopyURL failed: there is no file name in ${where}`);
}

async function refuseExisting(remote: Remote, path: string, op: Parameters<Remote['stat']>[1]) {
  if ((await remote.stat(path, op))?.kind !== 'file') return;
  throw new SyncerError('already-exists', `CopyURL failed: ${path} already exists`, { path });
}
