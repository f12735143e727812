import { toSyncerError } from '../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange, Remote } from '../core/remote.ts';
import type { Bandwidth, Route, Run } from './run.ts';

/** The bandwidth of a read: the file's share, else the run's. */
export function bandwidthOf({ bandwidth, run }: ReadPlan): Pick<Bandwidth, 'take'> | undefined {
  return bandwidth ?? run.bandwidth;
}

/** The chunks of a body; a read that fails is continued from there, as far as the plan allows. */
export async function* resuming(
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

/** How the bytes of a file are read for a transfer. */
export interface ReadPlan {
  readonly run: Run;
  readonly remote: Remote;
  readonly file: FileEntry;
  /** The route of the bytes, for the bandwidth limit. */
  readonly route: Route;
  /** How often a truncated body may be resumed. */
  readonly tries: number;
  /** Called with the number of bytes read. */
  readonly onBytes: (bytes: number) => void;
  /** Limits the speed of the file; the run's limit by default. */
  readonly bandwidth?: Pick<Bandwidth, 'take'>;
}
