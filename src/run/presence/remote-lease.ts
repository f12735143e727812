import { Readable } from 'node:stream';
import { alike, around } from '../../core/around.ts';
import { bodyChunks, collectBody, wholeSource } from '../../core/body.ts';
import { type Clock, type Context, linkedAbort, stopwatch } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { jsonObject } from '../../core/json-object.ts';
import { membersOf } from '../../core/members.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { Body, FileEntry, Op, Remote, WriteSource } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';

/** How often a holder renews its lock, in milliseconds. */
const RENEW_MS = 15_000;
/** So long after the start of the last renewal a holder may change something, in milliseconds. */
const HELD_MS = 45_000;
/**
 * Another run takes a lock that it has seen unchanged for so long, by its own clock, in milliseconds: no two clocks are
 * compared, and what the old holder sent last has time to arrive.
 */
const LEFT_MS = 75_000;
/** How often a run that waits looks, and how soon a renewal that failed is tried again, in milliseconds. */
const [LOOK_MS, AGAIN_MS] = [5_000, 3_000];

/**
 * Takes the lock of a remote. A lock that its holder has left is taken over when it was seen unchanged for long enough.
 * Rejects with `locked` if another run renews it and `waitMs` are over, with `unsupported` if the remote can hold none.
 */
export async function takeLease(
  remote: LeaseRemote,
  holder: Pick<LeaseRecord, 'id' | 'host' | 'command'>,
  { signal, clock }: Pick<Context, 'signal' | 'clock'>,
  { waitMs, onWait }: { readonly waitMs: number; readonly onWait: (holder: LeaseRecord) => void },
): Promise<RemoteLease> {
  refuseLease(remote);
  const op = { signal };
  const startMs = clock.monotonic();
  let seen: { readonly file: FoundLease['file']; readonly sinceMs: number } | undefined;
  let renews = false;
  let isTold = false;
  for (;;) {
    const found = await readLease(remote, op);
    if (found !== 'moving') {
      if (found !== undefined && found.file.etag !== seen?.file.etag) {
        renews = seen !== undefined;
        seen = { file: found.file, sinceMs: clock.monotonic() };
      }
      const isLeft = seen !== undefined && clock.monotonic() - seen.sinceMs >= LEFT_MS;
      if (found === undefined || found.record.isReleased || isLeft) {
        const since = stopwatch(clock);
        const generation = (found?.record.generation ?? 0) + 1;
        const record = { ...holder, generation, beat: 0, isReleased: false };
        const held = await replaced(remote, record, found?.file ?? 'nothing', op);
        if (held !== undefined) {
          await proveConditions(remote, held, op);
          return holdLease(remote, held, since, clock);
        }
        seen = undefined;
      } else {
        if (renews && clock.monotonic() - startMs >= waitMs) {
          const { id, host, command } = found.record;
          const text = `${remote.title} is locked by run ${id} on ${host}: ${command}`;
          const advice = `nothing was changed; wait for it with --lock-wait 10m, or free it with "syncer unlock REMOTE: ${id}"`;
          throw new SyncerError('locked', text, { advice });
        }
        if (!isTold) onWait(found.record);
        isTold = true;
      }
    }
    await clock.sleep(LOOK_MS, signal);
  }
}

/** Writes a record; `undefined` if another one is there. A response may have been lost: then ours is. */
async function replaced(
  remote: LeaseRemote,
  record: LeaseRecord,
  replaces: FoundLease['file'] | 'nothing',
  op: Op,
): Promise<FoundLease | undefined> {
  try {
    return await writeLease(remote, record, replaces, op);
  } catch (thrown) {
    if (!hasCode(thrown, 'precondition-failed')) throw thrown;
    const now = await readLease(remote, op);
    if (now === undefined || now === 'moving') return undefined;
    return JSON.stringify(now.record) === JSON.stringify(record) ? now : undefined;
  }
}

/** A lock on a remote, renewed until it is released or lost. */
export type RemoteLease = ReturnType<typeof holdLease>;

/** @param began how long ago it was taken, in milliseconds */
function holdLease(remote: LeaseRemote, taken: FoundLease, began: () => number, clock: Clock) {
  /** As it was renewed last, and how long ago that began, in milliseconds. */
  let [held, since] = [taken, began];
  const [lost, over] = [new AbortController(), new AbortController()];
  const lose = (why: string) => {
    const text = `lost the lock of ${remote.title}: ${why}; nothing is changed any more`;
    lost.abort(new SyncerError('locked', text, { advice: 'run the same command again' }));
  };
  /** Aborts `lost` if so much time has passed that it could be: called before every request. */
  const look = () => {
    if (since() >= HELD_MS) lose('it could not be renewed in time');
  };
  /** Whether it is renewed. After a failure the next renewal, which is another one, is due sooner. */
  const renew = async () => {
    const { record, file } = held;
    const begun = stopwatch(clock);
    const late = new AbortController();
    const limit = linkedAbort(over.signal);
    const timer = clock.sleep(HELD_MS - since(), late.signal);
    timer.then(
      () => limit.abort(new SyncerError('timed-out', 'the renewal took too long')),
      () => {},
    );
    try {
      const next = { ...record, beat: record.beat + 1 };
      const renewed = await replaced(remote, next, file, { signal: limit.signal });
      if (renewed === undefined) lose('another run has taken it');
      else [held, since] = [renewed, begun];
      return true;
    } catch {
      over.signal.throwIfAborted();
      return false;
    } finally {
      late.abort();
    }
  };
  const renewAll = async () => {
    for (let pauseMs = RENEW_MS; !lost.signal.aborted; ) {
      const left = HELD_MS - since();
      await clock.sleep(Math.max(1, Math.min(pauseMs, left)), over.signal);
      if (since() >= HELD_MS) return lose('it could not be renewed in time');
      pauseMs = (await renew()) ? RENEW_MS : AGAIN_MS;
    }
  };
  const renewing = renewAll().catch(() => {});
  return {
    /** Aborted with `locked` when it is lost: nothing may be changed any more. */
    lost: lost.signal,
    look,
    /** Throws `locked` if it is lost or could be: called before every change. */
    check() {
      look();
      lost.signal.throwIfAborted();
    },
    /**
     * Never rejects: a lock that cannot be released is left to itself, and another run takes it later. Aborts `lost` if
     * another run has it already.
     */
    async release(op: Op) {
      over.abort();
      await renewing;
      if (lost.signal.aborted) return;
      const { record, file } = held;
      const released = { ...record, beat: record.beat + 1, isReleased: true };
      try {
        if ((await replaced(remote, released, file, op)) !== undefined) return;
        // The response of the last renewal may have been lost.
        const now = await readLease(remote, op);
        if (now === undefined || now === 'moving') return;
        const { id, generation } = now.record;
        if (id !== record.id || generation !== record.generation)
          return lose('another run has taken it');
        await writeLease(remote, released, now.file, op);
      } catch {}
    },
  };
}

/**
 * The remote while a lock is held on it: nothing is changed once the lock is lost, or could be because the process stood
 * still. That includes a file that is being written: a process that goes on after a stop would complete it before any
 * timer.
 */
export function heldRemote(remote: Remote, lease: Pick<RemoteLease, 'check'>): Remote {
  const checked =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      lease.check();
      return call(...args);
    };
  return around(remote, 'lock', {
    ...alike(membersOf('says', 'lists', 'reads'), 'passes'),
    ...alike(membersOf('changes'), checked),
    write: (write) =>
      checked((source, op) =>
        write({ ...source, open: (...args) => checkedBody(source, lease, ...args) }, op),
      ),
  });
}

/** The content of a source, which ends with an error once the lock is lost. */
async function checkedBody(
  source: WriteSource,
  lease: Pick<RemoteLease, 'check'>,
  ...[range, op]: Parameters<WriteSource['open']>
): Promise<Body> {
  const body = await source.open(range, op);
  lease.check();
  if (Buffer.isBuffer(body)) return body;
  const chunks = async function* () {
    for await (const chunk of bodyChunks(body, op.signal)) {
      lease.check();
      yield chunk;
    }
    lease.check();
  };
  // Each chunk is checked before it is asked for again.
  return Readable.from(chunks(), { objectMode: true, highWaterMark: 1 });
}

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
async function writeLease(
  remote: LeaseRemote,
  record: LeaseRecord,
  replaces: FileEntry | 'nothing',
  op: Op,
): Promise<FoundLease> {
  const content = Buffer.from(`${JSON.stringify(record)}\n`);
  const source = wholeSource({ path: OWN_NAMES.lock, replaces }, content);
  return { record, file: await remote.write(source, op) };
}

/**
 * Tries whether the server heeds conditions, on a lock that is held here. Rejects with `unsupported` if it does not: a
 * lock that others can replace is none.
 */
async function proveConditions(remote: LeaseRemote, held: FoundLease, op: Op): Promise<void> {
  const { record, file } = held;
  // Of the same form.
  const { etag = '', contentTag: _, ...rest } = file;
  const other = { ...rest, etag: etag.replace(/[0-9a-z]/gi, '0') };
  for (const replaces of ['nothing', other] as const) {
    try {
      await writeLease(remote, record, replaces, op);
    } catch (thrown) {
      if (hasCode(thrown, 'precondition-failed')) continue;
      const released = { ...record, beat: record.beat + 1, isReleased: true };
      await replaced(remote, released, file, op).catch(() => {});
      throw thrown;
    }
    await deleteOne(remote, file, op);
    throw noConditions(remote, 'its server ignores the conditions of writes');
  }
}

/** Rejects what cannot hold a lock. */
export function refuseLease({ traits, can, title }: LeaseRemote): void {
  if (traits.onDisk) {
    const text = `--lock-remote is not for local directories: ${title}`;
    throw new SyncerError('unsupported', text, { advice: 'use --lock' });
  }
  if (can.writesIfUnchanged !== true)
    throw noConditions({ title }, 'it has no writes with conditions');
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

/** The record in the text of a file; `undefined` if it is none. */
export function parseLease(text: string): LeaseRecord | undefined {
  const record = jsonObject<Partial<Record<keyof LeaseRecord, unknown>>>(text);
  if (record === undefined) return undefined;
  const { id, host, command, generation, beat, isReleased } = record;
  const isRecord =
    [id, host, command].every((value) => typeof value === 'string') &&
    [generation, beat].every(Number.isSafeInteger) &&
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
