import { collectBody, wholeSource } from '../../core/body.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { jsonObject } from '../../core/json-object.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';

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
  const source = wholeSource({ path: OWN_NAMES.lock, replaces }, content);
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

/** Who holds a remote lock: the content of `.syncer-lock`. */
export interface LeaseRecord {
  readonly id: string;
  readonly host: string;
  /** The command line without secrets. */
  readonly command: string;
  /** Counts the holders. */
  readonly generation: number;
  /** Counts the renewals, so that each changes the file. */
  readonly beat: number;
  /** Its run is over. */
  readonly isReleased: boolean;
}

/** A record as the text of its file. */
export function formatLease(record: LeaseRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** The record in the text of a file; `undefined` if it is none. */
export function parseLease(text: string): LeaseRecord | undefined {
  const record = jsonObject<Partial<Record<keyof LeaseRecord, unknown>>>(text);
  if (record === undefined) return undefined;
  const { id, host, command, generation, beat, isReleased } = record;
  const isRecord =
    [id, host, command].every((value) => typeof value === 'string') &&
    [generation, beat].every((value) => Number.isSafeInteger(value)) &&
    typeof isReleased === 'boolean';
  return isRecord ? (record as LeaseRecord) : undefined;
}

/** Frees a remote from the lock of a run. Rejects with `file-not-found` if that run does not hold it. */
export async function freeLease(remote: LeaseRemote, id: string, op: Op): Promise<void> {
  refuseLease(remote);
  const found = await readLease(remote, op);
  if (found === undefined || found === 'moving' || found.record.isReleased) {
    throw new SyncerError('file-not-found', `${remote.title} is not locked`);
  }
  const { record, file } = found;
  if (record.id !== id) {
    const text = `run ${id} does not hold the lock of ${remote.title}: run ${record.id} on ${record.host} does`;
    throw new SyncerError('file-not-found', text);
  }
  const released = { ...record, beat: record.beat + 1, isReleased: true };
  await writeLease(remote, released, file, op);
}
