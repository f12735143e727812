import { Readable } from 'node:stream';
import { openWithDetails } from '../../core/body.ts';
import { copiedMetadata, modTimeIn } from '../../core/entry-details.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange, Remote, WriteSource } from '../../core/remote.ts';
import { confirmedEmpty, trueSizeOf } from '../../core/remote-calls.ts';
import { filePolicy, retryAfter } from '../../core/retry.ts';
import { writeOnlyOver } from '../../system/only-over.ts';
import type { CopyJob, CopyRules } from '../action.ts';
import { withHashesOf, withMetadata, withModTime } from '../mod-time-of.ts';
import type { Bandwidth, Route, Run } from '../run.ts';

/** The hashes of the destination's report that are compared with those of the source. */
const COMPARED = ['md5', 'sha1', 'quickxor', 'sha256', 'crc32'] as const;

/** Larger files are not opened together with their details: they may be read in ranges. In bytes. */
const LARGE = 64 << 20;

/** Hashing a larger file takes longer than requesting its checksum. In bytes. */
const WORTH_ASKING = 4 << 20;

/** A byte stream would copy waiting chunks together. */
const CHUNK_BY_CHUNK = { objectMode: true, highWaterMark: 1 };

/** How the bytes were copied. */
export interface CopyResult {
  readonly file: FileEntry;
  /** The copied file; its size is unknown if the listed one was wrong. */
  readonly source: FileEntry;
  readonly how: 'copied' | 'server-copied';
}

/**
 * Copies one file, server-side if possible, and verifies it. Temporary errors are retried. Rejects with the last
 * error; the destination is then unchanged.
 */
export async function copyFile(run: Run, job: CopyJob, rules: CopyRules): Promise<CopyResult> {
  const id = ++run.ids.last;
  const { emit } = run.context;
  emit({
    type: 'transfer-start',
    id,
    kind: job.kind ?? 'copy',
    path: job.file.path,
    size: Math.max(0, job.file.size),
  });
  const copying: TriedCopy = { listed: job, job };
  try {
    let result: CopyResult;
    try {
      result = await copyOnce(run, copying, rules, id);
    } catch (thrown) {
      result = await copyAgain(thrown, run, copying, rules, id);
    }
    emit({ type: 'transfer-end', id, inStore: result.how === 'server-copied' });
    return result;
  } catch (thrown) {
    const error = toSyncerError(thrown);
    emit({ type: 'transfer-end', id, error });
    throw error;
  }
}

/** The field of log events about a job that is a step. */
export function stepOf({ isStep }: CopyJob): Pick<CopyJob, 'isStep'> {
  return isStep === true ? { isStep } : {};
}

/** Logs a copy that was made. */
export function logCopied(run: Run, job: CopyJob, how: CopyResult['how'], about = job.file.path) {
  const { file, path, replaces } = job;
  const to = path === file.path ? undefined : path;
  const kind =
    how === 'server-copied' ? 'server-side' : replaces === undefined ? 'new' : 'replaced';
  run.log('info', about, 'copied', { how: kind, to, size: job.file.size, ...stepOf(job) });
}

/** A copy that is being tried. */
interface TriedCopy {
  readonly listed: CopyJob;
  /** The job with the size that a failure has shown to be the true one. */
  job: CopyJob;
}

/**
 * One try. A failure that shows that the listed size is wrong, or that its hash counts for nothing, is repaired, which
 * is no retry: the same copy is made immediately with what is known now, once for each of these reasons.
 */
async function copyOnce(
  run: Run,
  copying: TriedCopy,
  rules: CopyRules,
  id: number,
): Promise<CopyResult> {
  const { context, op } = run;
  const { hashesInDoubt } = copying.listed.source.can;
  for (;;) {
    const { listed, job } = copying;
    const sinceMs = context.clock.now();
    const wasInDoubt = hashesInDoubt?.(job.file) === true;
    try {
      const inStore = mayWorkInStore(job, rules) && (await serverCopy(run, job, rules, id));
      const result = inStore || (await copyBytes(run, job, rules, id));
      const { hashes, isRewritten } = result.file;
      const wrong = isRewritten === true ? undefined : difference(job, result, rules);
      if (wrong !== undefined) {
        await job.dest.can.takeBack?.(result.file, {}, op);
        throw new SyncerError('corrupted', `corrupted on transfer: ${wrong}`);
      }
      if (hashes !== undefined && result.how === 'copied' && isRewritten !== true)
        job.source.can.noteHashes?.(job.file, hashes, sinceMs);
      return result;
    } catch (thrown) {
      const size = rules.ignoreSize ? trueSizeOf(listed.file, thrown) : undefined;
      const isResized = size !== undefined && job === listed;
      // The response has shown that the hash is none of the content.
      const isInDoubt = hasCode(thrown, 'corrupted') && hashesInDoubt?.(job.file) === true;
      const isRepaired = isResized || (isInDoubt && !wasInDoubt);
      if (!isRepaired || op.signal.aborted) throw thrown;
      context.emit({ type: 'transfer-restart', id });
      if (isResized) copying.job = { ...listed, file: { ...listed.file, size } };
    }
  }
}

/** Tries a copy again that has failed with `thrown`. */
function copyAgain(
  thrown: unknown,
  run: Run,
  copying: TriedCopy,
  rules: CopyRules,
  id: number,
): Promise<CopyResult> {
  const { context, op } = run;
  const { path } = copying.listed.file;
  const tries = rules.lowLevelRetries;
  return retryAfter(thrown, () => copyOnce(run, copying, rules, id), {
    tries,
    what: path,
    signal: op.signal,
    context,
    policy: filePolicy,
    onWait: (why, ms, attempt) => {
      run.log('debug', path, 'copy-retry', { ms, attempt, of: tries, why });
      context.emit({ type: 'transfer-restart', id });
    },
  });
}

/** Copies server-side; `undefined` if the remote cannot. */
async function serverCopy(
  run: Run,
  job: CopyJob,
  rules: CopyRules,
  id: number,
): Promise<CopyResult | undefined> {
  const { source, dest, path } = job;
  // A copy by the kernel cannot be slowed down: under `--bwlimit` bytes are copied here.
  const isByKernel = source.traits.onDisk && dest.traits.onDisk;
  if (isByKernel && run.bandwidth?.isLimited() === true) return undefined;
  let copied = 0;
  const onCopied = (bytes: number) => {
    copied += bytes;
    run.context.emit({ type: 'transfer-bytes', id, bytes });
  };
  const op = { ...run.op, change: job.change, onCopied };
  const file = await dest.can.copyFrom?.(source, job.file, path, op, rules.metadata);
  if (file === undefined) return undefined;
  run.context.emit({ type: 'transfer-bytes', id, bytes: Math.max(0, file.size - copied) });
  const isCarried = dest.traits.carries !== undefined && source.name !== dest.name;
  const how = dest.traits.onDisk || isCarried ? 'copied' : 'server-copied';
  return { file, source: job.file, how };
}

async function copyBytes(
  run: Run,
  listed: CopyJob,
  rules: CopyRules,
  id: number,
): Promise<CopyResult> {
  const { file } = listed;
  const source = file.size === 0 ? await confirmedEmpty(listed.source, file, run.op) : file;
  const job = source === listed.file ? listed : { ...listed, file: source };
  const op = {
    ...run.op,
    change: job.change,
    onHashed: (bytes: number) => run.context.emit({ type: 'transfer-hashed', id, bytes }),
  };
  const only = op.change?.replacesOnly;
  const { onDisk, modTimePrecision } = job.dest.traits;
  const { metadata, ranges, ignoreChecksum } = rules;
  // A cheap checksum is enough, as the data given to a disk is compared with what arrived, unless the user asked for
  // hashes.
  const checksums = onDisk && !ignoreChecksum && rules.checksum !== true;
  const needs = {
    time: modTimePrecision !== undefined,
    metadata: metadata !== undefined,
    hashes: !ignoreChecksum,
    checksums,
    rangesFrom: onDisk && ranges !== undefined && ranges.count > 1 ? ranges.from : Infinity,
  };
  const opened = await openForCopy(run, job, needs);
  const plan = {
    run,
    remote: job.source,
    file: opened.file,
    route: { up: !onDisk, down: !job.source.traits.onDisk },
    tries: rules.lowLevelRetries,
    isSized: true,
    id,
    ...(run.bandwidth?.ofFile === undefined ? {} : { bandwidth: run.bandwidth.ofFile() }),
  };
  try {
    const content = await writeSource(plan, job.path, opened, rules, checksums);
    const written = await (only === undefined
      ? job.dest.write(content, op)
      : writeOnlyOver(job.dest, content, only, op));
    return { file: written, source, how: 'copied' };
  } finally {
    const { body } = opened;
    if (body instanceof Readable) body.on('error', () => {}).destroy();
  }
}

/** Whether a server-side copy or move is allowed: within one remote, or if the user allows it. */
export function mayWorkInStore(
  { source, dest }: Pick<CopyJob, 'source' | 'dest'>,
  rules: Pick<CopyRules, 'serverSideAcrossConfigs'>,
): boolean {
  const { copiesAcross, carries } = dest.traits;
  const isAllowed = rules.serverSideAcrossConfigs || copiesAcross === true || carries !== undefined;
  return source.name === dest.name || isAllowed;
}

/**
 * What differs between the destination's report of the new file and the source, without a further request; `undefined`
 * if nothing does.
 */
function difference(
  { source }: CopyJob,
  { source: file, file: written }: CopyResult,
  rules: CopyRules,
): string | undefined {
  if (!rules.ignoreSize && file.size >= 0 && written.size >= 0 && file.size !== written.size)
    return `sizes differ ${file.size} vs ${written.size}`;
  // A hash that does not count was left out before the destination verified the others.
  if (rules.ignoreChecksum || source.can.hashesInDoubt?.(file) === true) return undefined;
  if (file.hashes === undefined || written.hashes === undefined) return undefined;
  for (let at = 0; at < COMPARED.length; at++) {
    const name = COMPARED[at] as (typeof COMPARED)[number];
    const a = file.hashes[name];
    const b = written.hashes[name];
    if (a !== undefined && b !== undefined && a !== b)
      return `${name} hash differ "${a}" vs "${b}"`;
  }
  return undefined;
}

/** A file about to be copied, with its modification time known, and its body if the same request opened it. */
interface OpenedSource {
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
  /** The transfer or comparison whose bytes they are; absent: they are not counted. */
  readonly id?: number;
  /** A body of another length than its size is an error: others count on it. Absent: what came whole counts. */
  readonly isSized?: boolean;
  /** Limits the speed of the file; the run's limit by default. */
  readonly bandwidth?: Pick<Bandwidth, 'take'>;
}

/** Requests what is needed of a file to be copied, by the same request that reads it if possible. */
async function openForCopy(
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

/**
 * The file for the destination: its data, and its body as often as requested.
 *
 * @param isQuick its CRC-32 is enough: every other hash takes many times as long, and one pass in order
 */
async function writeSource(
  plan: ReadPlan & { readonly id: number },
  path: string,
  opened: OpenedSource,
  rules: CopyRules,
  isQuick: boolean,
): Promise<WriteSource> {
  const { file, remote, id } = plan;
  const { metadata: keep, ranges, ignoreChecksum } = rules;
  const { fetch } = remote.can;
  const { emit } = plan.run.context;
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
      if (range === undefined && wholes++ > 0) emit({ type: 'transfer-restart', id });
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
  if (file.hashes !== undefined && !ignoreChecksum) {
    const { crc32, md5 } = file.hashes;
    made.hashes = isQuick && crc32 !== undefined ? { crc32 } : file.hashes;
    // Next best is an MD5 of parts, which need no order.
    const isNext = isQuick && crc32 === undefined && md5 !== undefined;
    if (isNext && file.partsMd5 !== undefined) made.partsMd5 = file.partsMd5;
  }
  if (ranges !== undefined) made.ranges = ranges;
  if (remote.traits.onDisk) made.peek = (range, op) => remote.read(file, range, op);
  if (mayFetch) {
    const onCopied = (bytes: number) => emit({ type: 'transfer-bytes', id, bytes });
    made.fetch = (native, op) => fetch(file, native, { ...op, onCopied });
  }
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
  const body = opened ?? (await readBody(given, range, op));
  // What is stored already does not go up.
  const plan =
    range?.isStored === true ? { ...given, route: { ...given.route, up: false } } : given;
  if (!Buffer.isBuffer(body)) {
    const passed = Readable.from(resuming(plan, range, op, body), CHUNK_BY_CHUNK);
    // A generator that was never read does not run its `finally`.
    return passed.once('close', () => body.destroy());
  }
  await (plan.bandwidth ?? plan.run.bandwidth)?.take(body.length, plan.route, op.signal);
  const { id } = plan;
  if (id !== undefined) plan.run.context.emit({ type: 'transfer-bytes', id, bytes: body.length });
  return body;
}

async function readBody(plan: ReadPlan, range: ReadRange | undefined, op: Op): Promise<Body> {
  const { remote, file } = plan;
  try {
    return await remote.read(file, range, op);
  } catch (thrown) {
    const size =
      plan.isSized === true || range !== undefined ? undefined : trueSizeOf(file, thrown);
    if (size === undefined) throw thrown;
    return remote.read({ ...file, size }, range, op);
  }
}

/**
 * The chunks of a body; a read that fails is continued from there, as far as the plan allows. That is no retry: what has
 * passed is not read again, and the request that continues is retried by the remote.
 */
async function* resuming(
  plan: ReadPlan,
  range: ReadRange | undefined,
  op: Op,
  first: Body,
): AsyncGenerator<Buffer> {
  const from = range?.offset ?? 0;
  const end = range?.length === undefined ? undefined : from + range.length;
  const { id } = plan;
  let offset = from;
  let body: Body = first;
  for (let tries = 1; ; tries++) {
    try {
      for await (const chunk of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>)) {
        await (plan.bandwidth ?? plan.run.bandwidth)?.take(chunk.length, plan.route, op.signal);
        offset += chunk.length;
        if (id !== undefined)
          plan.run.context.emit({ type: 'transfer-bytes', id, bytes: chunk.length });
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
