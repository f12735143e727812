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
        if (!('now' in held)) {
          await proveConditions(remote, held, op);
          return new RemoteLease(remote, held, since, clock);
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

/** What is there instead of a record that was to be written; `undefined`: no file. */
interface OtherLease {
  readonly now: FoundLease | 'moving' | undefined;
}

/** Writes a record over what was there; resolves to what is there now if that is another one, or gone. */
async function replaced(
  remote: LeaseRemote,
  record: LeaseRecord,
  replaces: FoundLease['file'] | 'nothing',
  op: Op,
): Promise<FoundLease | OtherLease> {
  try {
    return await writeLease(remote, record, replaces, op);
  } catch (thrown) {
    if (!hasCode(thrown, 'precondition-failed', 'file-not-found')) throw thrown;
    const now = await readLease(remote, op);
    // A response may have been lost: then ours is there.
    const isOurs = typeof now === 'object' && JSON.stringify(now.record) === JSON.stringify(record);
    return isOurs ? now : { now };
  }
}

/** A lock on a remote, renewed until it is released or lost. */
export class RemoteLease {
  readonly #remote: LeaseRemote;
  readonly #clock: Clock;
  /** As it was renewed last, and how long ago that began, in milliseconds. */
  #held: FoundLease;
  #since: () => number;
  readonly #lost = new AbortController();
  /** Aborted when it is renewed no more. */
  readonly #over = new AbortController();
  readonly #renewing: Promise<void>;

  /** @param began how long ago it was taken, in milliseconds */
  constructor(remote: LeaseRemote, taken: FoundLease, began: () => number, clock: Clock) {
    this.#remote = remote;
    this.#clock = clock;
    this.#held = taken;
    this.#since = began;
    this.#renewing = this.#renewAll().catch(() => {});
  }

  /** Aborted with `locked` when it is lost: nothing may be changed any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Aborts `lost` if so much time has passed that it could be: called before every request. */
  look(): void {
    if (this.#since() >= HELD_MS) this.#lose('it could not be renewed in time');
  }

  /** Throws `locked` if it is lost or could be: called before every change. */
  check(): void {
    this.look();
    this.lost.throwIfAborted();
  }

  /**
   * Never rejects: a lock that cannot be released is left to itself, and another run takes it later. Aborts `lost` if
   * another run has it already.
   */
  async release(op: Op): Promise<void> {
    this.#over.abort();
    await this.#renewing;
    if (this.lost.aborted) return;
    const { record, file } = this.#held;
    const released = { ...record, beat: record.beat + 1, isReleased: true };
    try {
      const written = await replaced(this.#remote, released, file, op);
      if (!('now' in written) || typeof written.now !== 'object') return;
      // The response of the last renewal may have been lost.
      const { now } = written;
      if (isOfHolder(now.record, record)) await writeLease(this.#remote, released, now.file, op);
      else this.#lose(lossOf(record, now));
    } catch {}
  }

  async #renewAll(): Promise<void> {
    for (let pauseMs = RENEW_MS; !this.lost.aborted; ) {
      const left = HELD_MS - this.#since();
      await this.#clock.sleep(Math.max(1, Math.min(pauseMs, left)), this.#over.signal);
      this.look();
      if (this.lost.aborted) return;
      // After a failure the next renewal, which is another one, is due sooner.
      pauseMs = (await this.#renew()) ? RENEW_MS : AGAIN_MS;
    }
  }

  /** Whether it is renewed. */
  async #renew(): Promise<boolean> {
    const { record, file } = this.#held;
    const begun = stopwatch(this.#clock);
    const late = new AbortController();
    const limit = linkedAbort(this.#over.signal);
    const timer = this.#clock.sleep(HELD_MS - this.#since(), late.signal);
    timer.then(
      () => limit.abort(new SyncerError('timed-out', 'the renewal took too long')),
      () => {},
    );
    try {
      const next = { ...record, beat: record.beat + 1 };
      const renewed = await replaced(this.#remote, next, file, { signal: limit.signal });
      if ('now' in renewed) this.#lose(lossOf(record, renewed.now));
      else [this.#held, this.#since] = [renewed, begun];
      return true;
    } catch (thrown) {
      this.#over.signal.throwIfAborted();
      if (!hasCode(thrown, 'locked')) return false;
      this.#lose(`${OWN_NAMES.lock} is not a lock any more`);
      return true;
    } finally {
      late.abort();
    }
  }

  #lose(why: string): void {
    const text = `lost the lock of ${this.#remote.title}: ${why}; nothing is changed any more`;
    this.#lost.abort(new SyncerError('locked', text, { advice: 'run the same command again' }));
  }
}

/** Whether a record is of the same holder, perhaps of another renewal. */
function isOfHolder({ id, generation }: LeaseRecord, holder: LeaseRecord): boolean {
  return id === holder.id && generation === holder.generation;
}

/** Why a holder does not have its lock any more, by what is there now. */
function lossOf(holder: LeaseRecord, now: OtherLease['now']): string {
  if (now === undefined) return `${OWN_NAMES.lock} was deleted`;
  const isFreed = now !== 'moving' && now.record.isReleased && isOfHolder(now.record, holder);
  return isFreed ? 'it was freed with "syncer unlock"' : 'another run has taken it';
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

/** The lock that a run holds. Rejects with `file-not-found` if that run holds none, with `unsupported` if none can. */
export async function leaseOfRun(
  remote: LeaseRemote,
  id: string,
  op: Op,
): Promise<FoundLease | 'moving'> {
  refuseLease(remote);
  const found = await readLease(remote, op);
  if (found === 'moving') return found;
  if (found === undefined || found.record.isReleased)
    throw new SyncerError('file-not-found', `${remote.title} is not locked`);
  const { record } = found;
  if (record.id !== id) {
    const text = `run ${id} does not hold the lock of ${remote.title}: run ${record.id} on ${record.host} does`;
    throw new SyncerError('file-not-found', text);
  }
  return found;
}

/** How often a lock is freed that changes just then. */
const FREEING_TRIES = 5;

/** Frees a remote from the lock of a run, also while that renews it. Rejects as `leaseOfRun`, or with `locked`. */
export async function freeLease(remote: LeaseRemote, id: string, op: Op): Promise<void> {
  for (let tries = 0; tries < FREEING_TRIES; tries++) {
    const found = await leaseOfRun(remote, id, op);
    if (found === 'moving') continue;
    const { record, file } = found;
    const released = { ...record, beat: record.beat + 1, isReleased: true };
    if (!('now' in (await replaced(remote, released, file, op)))) return;
  }
  const text = `cannot free the lock of ${remote.title}: it changed ${FREEING_TRIES} times just then`;
  throw new SyncerError('locked', text, { advice: 'run the same command again' });
}
