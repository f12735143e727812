import { randomBytes } from 'node:crypto';
import { collectBody, wholeSource } from '../../core/body.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Op, Remote } from '../../core/remote.ts';

/** A marker is a line; a longer file is none. */
const MOST_BYTES = 4096;

/** The content of the marker at `path`; `undefined` if there is no such file, `''` if it is too long to be one. */
export async function readMarker(
  remote: Remote,
  path: string,
  op: Op,
): Promise<string | undefined> {
  const entry = await remote.stat(path, op);
  if (entry?.kind !== 'file') return undefined;
  if (entry.size > MOST_BYTES) return '';
  const body = await remote.read(entry, undefined, op);
  return (await collectBody(body, op.signal)).toString('utf8').trim();
}

/** Writes a marker with a random value, and returns the value. Rejects with `already-exists` if there is one by now. */
export async function writeMarker(remote: Remote, path: string, op: Op): Promise<string> {
  const value = randomBytes(16).toString('hex');
  const isNew = remote.can.writesIfUnchanged && ({ replaces: 'nothing' } as const);
  await remote.write(wholeSource({ path, ...isNew }, Buffer.from(`${value}\n`)), op);
  if ((await readMarker(remote, path, op)) === value) return value;
  throw new SyncerError('bad-answer', `${path} does not hold what was written`, { path });
}
