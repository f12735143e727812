import { Readable } from 'node:stream';
import { toSyncerError } from '../core/errors.ts';
import { copiedMetadata, modTimeIn } from '../core/metadata.ts';
import type { Body, FileEntry, Op, ReadRange, Remote, WriteSource } from '../core/remote.ts';
import type { CopyRules } from './copy-job.ts';
import type { OpenedSource } from './open-for-copy.ts';
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
 * Opens a file or a range of it. The bytes are counted and slowed down to the bandwidth limit; a truncated body is
 * resumed at its offset.
 *
 * @param opened its body, if it is open already
 */
export async function readSource(
  plan: ReadPlan,
  range: ReadRange | undefined,
  op: Op,
  opened?: Body,
): Promise<Body> {
  const body = opened ?? (await plan.remote.read(plan.file, range, op));
  if (!Buffer.isBuffer(body)) {
    const passed = Readable.from(resuming(plan, range, op, body), CHUNK_BY_CHUNK);
    // A generator that was never read does not run its `finally`.
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

/** What the destination is given of a file: its data, and its body as often as it asks. */
export function writeSource(
  plan: ReadPlan,
  path: string,
  opened: OpenedSource,
  rules: CopyRules,
  onRestart: () => void,
): WriteSource {
  const { file, remote } = plan;
  const { metadata: keep, ranges, ignoreChecksum } = rules;
  const metadata = keep && copiedMetadata(file.metadata, keep);
  const modTime = (metadata && modTimeIn(metadata)) ?? file.modTime;
  let wholes = 0;
  return {
    path,
    size: file.size < 0 ? undefined : file.size,
    ...(modTime === undefined ? {} : { modTime }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(file.mimeType === undefined ? {} : { mimeType: file.mimeType }),
    ...(file.hashes === undefined || ignoreChecksum ? {} : { hashes: file.hashes }),
    ...(ranges === undefined ? {} : { ranges }),
    hash: async (name, op) => remote.can.hash?.(file, name, op),
    seekable: true,
    open: (range, op) => {
      // The destination lost what it had: bytes that passed before do not count.
      if (range === undefined && wholes++ > 0) onRestart();
      return readSource(plan, range, op, range === undefined ? opened.take() : undefined);
    },
  };
}
