import { Readable } from 'node:stream';
import { openWithDetails } from '../core/body.ts';
import { copiedMetadata, modTimeIn } from '../core/entry-details.ts';
import { toSyncerError } from '../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange, Remote, WriteSource } from '../core/remote.ts';
import type { CopyJob, CopyRules } from './action.ts';
import { withHashesOf, withMetadata, withModTime } from './mod-time-of.ts';
import type { Bandwidth, Route, Run } from './run.ts';

/** Larger files are not opened together with their details: they may be read in ranges. In bytes. */
const LARGE = 64 << 20;

/** Hashing a larger file takes longer than requesting its checksum. In bytes. */
const WORTH_ASKING = 4 << 20;

/** A byte stream would copy waiting chunks together. */
const CHUNK_BY_CHUNK = { objectMode: true, highWaterMark: 1 };

/** A file about to be copied, with its modification time known, and its body if the same request opened it. */
export interface OpenedSource {
  readonly file: FileEntry;
  /** The body that is open already, until it is read. */
  body?: Body | undefined;
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

/** Requests what is needed of a file to be copied, by the same request that reads it if possible. */
export async function openForCopy(
  run: Run,
  job: CopyJob,
  needs: {
    readonly time: boolean;
    readonly metadata: boolean;
    /** Its hashes are to verify it. */
    readonly hashes: boolean;
    /** A checksum is useful to verify it, if the source has one. */
    readonly checksums: boolean;
    /** From this size on, in bytes, it is read in ranges: its whole body would not be used. */
    readonly rangesFrom: number;
  },
): Promise<OpenedSource> {
  const { source, file } = job;
  const { details, hashesInDoubt } = source.can;
  // A time may be known from an earlier run, but the MIME type comes only with the details request.
  const lacksType =
    source.traits.slowModTime && !job.dest.traits.onDisk && file.mimeType === undefined;
  const isKnown = file.modTime !== undefined && !lacksType;
  const lacksMetadata = needs.metadata && file.metadata === undefined;
  // A remote may have a checksum that its listings lack.
  const lacksChecksum = file.size > WORTH_ASKING && file.hashes?.crc32 === undefined;
  const asks = needs.checksums && lacksChecksum && details?.checksums === true;
  const knowsEnough = !lacksMetadata && (!needs.time || isKnown);
  const isInDoubt = needs.hashes && hashesInDoubt?.(file) === true;
  if (knowsEnough && !asks && !isInDoubt) return { file };
  let sure = file;
  if (isInDoubt) {
    // The response has the hashes that count.
    const { hashes: _, ...others } = file;
    sure = others;
  }
  const isWhole = file.size >= 0 && file.size <= LARGE && file.size < needs.rangesFrom;
  if (details?.body === true && isWhole) {
    const opened = await openWithDetails(details, file, run.op);
    return knowsEnough ? { ...opened, file: withHashesOf(sure, opened.file) } : { ...opened };
  }
  const asked = { checksums: asks };
  if (lacksMetadata) return { file: await withMetadata(source, sure, run.op, asked) };
  if (knowsEnough) {
    const detailed = await details?.read(file, run.op, asked);
    return { file: detailed === undefined ? sure : withHashesOf(sure, detailed) };
  }
  const { modTime: _known, ...listed } = sure;
  return { file: await withModTime(source, listed, run.op, asked) };
}

/** The file for the destination: its data, and its body as often as requested. */
export async function writeSource(
  plan: ReadPlan,
  path: string,
  opened: OpenedSource,
  rules: CopyRules,
  onRestart: () => void,
): Promise<WriteSource> {
  const { file, remote } = plan;
  const { metadata: keep, ranges, ignoreChecksum } = rules;
  const { fetch } = remote.can;
  // What another program writes cannot be slowed down here; of a small file it does that itself.
  const isSmall = file.size <= (remote.traits.carries?.smallUpTo ?? 0);
  const mayFetch = fetch !== undefined && (isSmall || plan.run.bandwidth?.isLimited() !== true);
  const metadata = keep && (await copiedMetadata(file, keep));
  const modTime = (metadata && modTimeIn(metadata)) ?? file.modTime;
  let wholes = 0;
  const made: { -readonly [Member in keyof WriteSource]: WriteSource[Member] } = {
    path,
    size: file.size < 0 ? undefined : file.size,
    hash: async (name, op) => remote.can.hash?.(file, name, op),
    fingerprint: () => fingerprintOf(plan),
    seekable: true,
    open: (range, op) => {
      // The destination lost what it had: earlier bytes do not count.
      if (range === undefined && wholes++ > 0) onRestart();
      const { body } = opened;
      if (range !== undefined || body === undefined) return readSource(plan, range, op);
      opened.body = undefined;
      return readSource(plan, range, op, body);
    },
  };
  if (modTime !== undefined) made.modTime = modTime;
  if (metadata !== undefined) made.metadata = metadata;
  if (keep?.mayFail === true) made.metadataMayFail = true;
  if (file.mimeType !== undefined) made.mimeType = file.mimeType;
  if (file.hashes !== undefined && !ignoreChecksum) made.hashes = file.hashes;
  if (ranges !== undefined) made.ranges = ranges;
  if (remote.traits.onDisk) made.peek = (range, op) => remote.read(file, range, op);
  if (mayFetch) made.fetch = (native, op) => fetch(file, native, { ...op, onCopied: plan.onBytes });
  return made;
}

/** Of a remote's file its place and ETag, of a disk's what changes with its content. */
function fingerprintOf({ remote, file }: ReadPlan): string | undefined {
  const { place } = remote.can;
  // On a disk, content of unknown size may change without a sign of it.
  if (place?.fingerprint !== undefined)
    return file.size < 0 ? undefined : place.fingerprint(file.path);
  const tag = file.contentTag ?? file.etag;
  if (tag === undefined || remote.storeId === undefined) return undefined;
  return JSON.stringify([remote.storeId, remote.root, file.path, file.size, tag]);
}

/**
 * Opens a file or a range of it. The bytes are counted and slowed down to the bandwidth limit; a truncated body is
 * resumed at its offset.
 *
 * @param opened its body, if it is open already
 */
export async function readSource(
  given: ReadPlan,
  range: ReadRange | undefined,
  op: Op,
  opened?: Body,
): Promise<Body> {
  const body = opened ?? (await given.remote.read(given.file, range, op));
  // What is stored already does not go up.
  const plan =
    range?.isStored === true ? { ...given, route: { ...given.route, up: false } } : given;
  if (!Buffer.isBuffer(body)) {
    const passed = Readable.from(resuming(plan, range, op, body), CHUNK_BY_CHUNK);
    // A generator that was never read does not run its `finally`.
    return passed.once('close', () => body.destroy());
  }
  await (plan.bandwidth ?? plan.run.bandwidth)?.take(body.length, plan.route, op.signal);
  plan.onBytes(body.length);
  return body;
}

/** The chunks of a body; a read that fails is continued from there, as far as the plan allows. */
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
        await (plan.bandwidth ?? plan.run.bandwidth)?.take(chunk.length, plan.route, op.signal);
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
