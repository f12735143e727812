import { collectBody } from '../../core/body.ts';
import { deleteOne } from '../../core/deleting.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { formatLease, type LeaseRecord, parseLease } from './lease-record.ts';

/** What a lock needs of the remote at whose root it is. */
export type LeaseRemote = Pick<
  Remote,
  'stat' | 'read' | 'write' | 'delete' | 'title' | 'traits' | 'can'
>;

/** A record, and the file that holds it. */
export interface FoundLease {
  readonly record: LeaseRecord;
  readonly file: FileEntry;
}

/** The lock of a remote; `undefined` if there is none, `moving` if it was replaced while it was read. */
export async function readLease(
  remote: LeaseRemote,
  op: Op,
): Promise<FoundLease | 'moving' | undefined> {
  const file = await remote.stat(OWN_NAMES.lock, op);
  if (file === undefined) return undefined;
  if (file.kind !== 'file') throw noLock(remote, 'it is a directory');
  try {
    const body = await collectBody(await remote.read(file, undefined, op), op.signal);
    const record = parseLease(String(body));
    if (record === undefined) throw noLock(remote, 'its content is unknown');
    return { record, file };
  } catch (thrown) {
    if (hasCode(thrown, 'source-changed', 'precondition-failed', 'file-not-found')) return 'moving';
    throw thrown;
  }
}

/** Writes a record if the file is still what it was. Rejects with `precondition-failed` if it is not. */
export async function writeLease(
  remote: LeaseRemote,
  record: LeaseRecord,
  replaces: FileEntry | 'nothing',
  op: Op,
): Promise<FoundLease> {
  const content = Buffer.from(formatLease(record));
  const source = {
    path: OWN_NAMES.lock,
    size: content.length,
    seekable: true,
    replaces,
    open: async () => content,
  };
  return { record, file: await remote.write(source, op) };
}

/**
 * Tries whether the server heeds conditions, on a lock that is held here. Rejects with `unsupported` if it does not: a
 * lock that others can replace is none.
 */
export async function proveConditions(
  remote: LeaseRemote,
  held: FoundLease,
  op: Op,
): Promise<void> {
  const { record, file } = held;
  // Of the same form.
  const { etag = '', contentTag: _, ...rest } = file;
  const other = { ...rest, etag: etag.replace(/[0-9a-z]/gi, '0') };
  for (const replaces of ['nothing', other] as const) {
    try {
      await writeLease(remote, record, replaces, op);
    } catch (thrown) {
      if (hasCode(thrown, 'precondition-failed')) continue;
      throw thrown;
    }
    await deleteOne(remote, file, op);
    throw noConditions(remote, 'its server ignores the conditions of writes');
  }
}

/** Rejects what cannot hold a lock. */
export function refuseLease({ traits, can, title }: LeaseRemote): void {
  if (traits.onDisk) {
    throw new SyncerError('unsupported', `--lock-remote is not for local directories: ${title}`, {
      advice: 'use --lock',
    });
  }
  if (can.writesIfUnchanged !== true) {
    throw noConditions({ title }, 'it has no writes with conditions');
  }
}

function noConditions({ title }: Pick<Remote, 'title'>, why: string): SyncerError {
  const advice = 'use --lock for the runs of one machine';
  return new SyncerError('unsupported', `${title} cannot hold a lock: ${why}`, { advice });
}

function noLock({ title }: Pick<Remote, 'title'>, why: string): SyncerError {
  const text = `${OWN_NAMES.lock} of ${title} is not a lock of syncer: ${why}`;
  return new SyncerError('locked', text, { advice: 'delete it if nothing uses it' });
}
