import { Readable } from 'node:stream';
import { around } from '../../core/around.ts';
import { bodyChunks } from '../../core/body.ts';
import { type Clock, type Context, linkedAbort, stopwatch } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { Body, Capabilities, Op, Remote, WriteSource } from '../../core/remote.ts';
import {
  type FoundLease,
  type LeaseRecord,
  type LeaseRemote,
  proveConditions,
  readLease,
  refuseLease,
  writeLease,
} from './lease-file.ts';

/** How often a holder renews its lock, in milliseconds. */
const RENEW_MS = 15_000;
/** So long after the start of the last renewal a holder may change something, in milliseconds. */
const HELD_MS = 45_000;
/**
 * Another run takes a lock that it has seen unchanged for so long, by its own clock, in milliseconds: no two clocks are
 * compared, and what the old holder sent last has time to arrive.
 */
const LEFT_MS = 75_000;
/** How often a run that waits looks, in milliseconds. */
const LOOK_MS = 5_000;
/** How soon a renewal that failed is tried again, in milliseconds. */
const AGAIN_MS = 3_000;

/** A run that asks for a lock. */
export type LeaseHolder = Pick<LeaseRecord, 'id' | 'host' | 'command'>;

/**
 * Takes the lock of a remote. A lock that its holder has left is taken over when it was seen unchanged for long enough.
 * Rejects with `locked` if another run renews it and `waitMs` are over, with `unsupported` if the remote can hold none.
 */
export async function takeLease(
  remote: LeaseRemote,
  holder: LeaseHolder,
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
          throw new SyncerError(
            'locked',
            `${remote.title} is locked by run ${id} on ${host}: ${command}`,
            {
              advice: `nothing was changed; wait for it with --lock-wait 10m, or free it with "syncer unlock REMOTE: ${id}"`,
            },
          );
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
  /** Whether it is renewed; a failure is tried again while there is time. */
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
      const free = async () => {
        if ((await replaced(remote, released, file, op)) !== undefined) return;
        // The response of the last renewal may have been lost.
        const now = await readLease(remote, op);
        if (now === undefined || now === 'moving') return;
        const { id, generation } = now.record;
        if (id !== record.id || generation !== record.generation)
          return lose('another run has taken it');
        await writeLease(remote, released, now.file, op);
      };
      await free().catch(() => {});
    },
  };
}

/**
 * The remote while a lock is held on it: nothing is changed once the lock is lost, or could be because the process stood
 * still. That includes a file that is being written: a process that goes on after a stop would complete it before any
 * timer.
 */
export function heldRemote(remote: Remote, lease: Lease): Remote {
  const checked =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      lease.check();
      return call(...args);
    };
  return around(remote, {
    write: checked((source, op) =>
      remote.write({ ...source, open: (...args) => checkedBody(source, lease, ...args) }, op),
    ),
    delete: checked(remote.delete.bind(remote)),
    makeDir: checked(remote.makeDir.bind(remote)),
    deleteDir: checked(remote.deleteDir.bind(remote)),
    can: checkedAll(remote.can, lease),
  });
}

type Lease = Pick<RemoteLease, 'check'>;

/** The content of a source, which ends with an error once the lock is lost. */
async function checkedBody(
  source: WriteSource,
  lease: Lease,
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

/** All of them: a check before a read does no harm, and a new one that changes something is checked, too. */
function checkedAll(can: Capabilities, lease: Lease): Capabilities {
  const entries = Object.entries(can).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member];
    const call = member as (...args: unknown[]) => unknown;
    const checked = (...args: unknown[]) => {
      lease.check();
      return call(...args);
    };
    return [name, checked];
  });
  return Object.fromEntries(entries) as Capabilities;
}
