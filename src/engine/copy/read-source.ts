import { Readable } from 'node:stream';
import { toSyncerError } from '../../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange, Remote } from '../../core/remote.ts';
import { trueSizeOf } from '../../core/remote-calls.ts';
import type { Route, Run, Throttle } from '../run.ts';

/** A byte stream would copy waiting chunks together. */
const CHUNK_BY_CHUNK = { objectMode: true, highWaterMark: 1 };

/** A file that is read, and how its bytes are counted and slowed down. */
export interface SourceRead {
  readonly run: Run;
  readonly remote: Remote;
  readonly file: FileEntry;
  /** The route of the bytes, for the bandwidth limit. */
  readonly route: Route;
  /** How often a truncated body may be resumed. */
  readonly tries: number;
  /** The transfer or comparison whose bytes they are; absent: they are not counted. */
  readonly id?: number;
  /** A body of another length than its size is an error: others count on it. Absent: what came whole counts. */
  readonly isSized?: boolean;
  /** The store copies them from an object that it has. */
  readonly isInStore?: boolean;
  /** Limits the speed of the file; the run's limit by default. */
  readonly bandwidth?: Throttle;
}

/**
 * Opens a file or a range of it. The bytes are counted and slowed down to the bandwidth limit; a truncated body is
 * resumed at its offset.
 *
 * @param opened its body, if it is open already
 */
export async function readSource(
  given: SourceRead,
  range: ReadRange | undefined,
  op: Op,
  opened?: Body,
): Promise<Body> {
  const body = opened ?? (await readBody(given, range, op));
  // What is stored already does not go up.
  const isThere = range?.isStored === true || range?.isCopied === true;
  const route = isThere ? { ...given.route, up: false } : given.route;
  const reading = isThere ? { ...given, route, isInStore: range.isCopied === true } : given;
  if (!Buffer.isBuffer(body)) {
    const passed = Readable.from(resuming(reading, range, op, body), CHUNK_BY_CHUNK);
    // A generator that was never read does not run its `finally`.
    return passed.once('close', () => body.destroy());
  }
  await passThrough(reading, body.length, op);
  return body;
}

async function readBody(
  { remote, file, isSized }: SourceRead,
  range: ReadRange | undefined,
  op: Op,
): Promise<Body> {
  try {
    return await remote.read(file, range, op);
  } catch (thrown) {
    const size = isSized === true || range !== undefined ? undefined : trueSizeOf(file, thrown);
    if (size === undefined) throw thrown;
    return remote.read({ ...file, size }, range, op);
  }
}

/** Waits until `bytes` may pass, and counts them. */
async function passThrough(reading: SourceRead, bytes: number, { signal }: Op): Promise<void> {
  const { run, id, route, isInStore, bandwidth = run.bandwidth } = reading;
  // What is read of a disk while the store copies it goes nowhere: only a pause holds it.
  if (isInStore === true && !route.down) await run.control?.ready(signal);
  else await bandwidth?.take(bytes, route, signal);
  if (id === undefined) return;
  run.context.emit({ type: isInStore ? 'transfer-copied' : 'transfer-bytes', id, bytes });
}

/**
 * The chunks of a body; a read that fails is continued from there, as far as `tries` allows. That is no retry: what has
 * passed is not read again, and the request that continues is retried by the remote.
 */
async function* resuming(
  reading: SourceRead,
  range: ReadRange | undefined,
  op: Op,
  first: Body,
): AsyncGenerator<Buffer> {
  const from = range?.offset ?? 0;
  const end = range?.length === undefined ? undefined : from + range.length;
  let offset = from;
  let body: Body = first;
  for (let tries = 1; ; tries++) {
    try {
      for await (const chunk of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>)) {
        await passThrough(reading, chunk.length, op);
        offset += chunk.length;
        yield chunk;
      }
      return;
    } catch (thrown) {
      const error = toSyncerError(thrown);
      const mayResume =
        error.retry && error.code !== 'source-changed' && error.code !== 'corrupted';
      if (!mayResume || tries >= reading.tries || op.signal.aborted) throw thrown;
      const fields = { bytes: offset - from, why: error };
      reading.run.log('debug', reading.file.path, 'read-resumed', fields);
    }
    const rest = end === undefined ? { offset } : { offset, length: end - offset };
    body = await reading.remote.read(reading.file, rest, op);
  }
}
