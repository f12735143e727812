import { Readable } from 'node:stream';
import { toSyncerError } from '../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange, Remote } from '../core/remote.ts';
import type { Bandwidth, Route, Run } from './run.ts';

/** A stream of bytes would copy together what waits. */
const CHUNK_BY_CHUNK = { objectMode: true, highWaterMark: 1 };

/** How the bytes of a file are read for a transfer. */
export interface ReadPlan {
  readonly run: Run;
  readonly remote: Remote;
  readonly file: FileEntry;
  /** Where the bytes go, for the bandwidth limit. */
  readonly route: Route;
  /** How often a broken body may be taken up again. */
  readonly tries: number;
  /** Called with the bytes that passed. */
  readonly onBytes: (bytes: number) => void;
  /** Slows the file down; the run's limit where absent. */
  readonly bandwidth?: Pick<Bandwidth, 'take'>;
}

/**
 * Opens a file or a range of it. The bytes are counted and slowed down to the bandwidth limit; a body that
 * breaks off is taken up again where it broke.
 */
export async function readSource(
  plan: ReadPlan,
  range: ReadRange | undefined,
  op: Op,
): Promise<Body> {
  return passOn(plan, range, op, await plan.remote.read(plan.file, range, op));
}

/** As `readSource`, for a body that is open already. */
export async function passOn(
  plan: ReadPlan,
  range: ReadRange | undefined,
  op: Op,
  body: Body,
): Promise<Body> {
  if (!Buffer.isBuffer(body)) {
    const passed = Readable.from(resuming(plan, range, op, body), CHUNK_BY_CHUNK);
    // A generator that nobody began to read has no end that could let go of the body.
    return passed.once('close', () => body.destroy());
  }
  await bandwidthOf(plan)?.take(body.length, plan.route, op.signal);
  plan.onBytes(body.length);
  return body;
}

function bandwidthOf({ bandwidth, run }: ReadPlan): Pick<Bandwidth, 'take'> | undefined {
  return bandwidth ?? run.bandwidth;
}

async function* resuming(
  plan: ReadPlan,
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
        await bandwidthOf(plan)?.take(chunk.length, plan.route, op.signal);
        offset += chunk.length;
        plan.onBytes(chunk.length);
        yield chunk;
      }
      return;
    } catch (thrown) {
      const error = toSyncerError(thrown);
      const mayResume =
        error.retry && error.code !== 'source-changed' && error.code !== 'corrupted';
      if (!mayResume || tries >= plan.tries || op.signal.aborted) throw thrown;
      const fields = { bytes: offset - from, why: error };
      plan.run.log('debug', plan.file.path, 'read-resumed', fields);
    }
    const rest = end === undefined ? { offset } : { offset, length: end - offset };
    body = await plan.remote.read(plan.file, rest, op);
  }
}
