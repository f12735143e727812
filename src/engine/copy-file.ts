import { Readable } from 'node:stream';
import { type ErrorCode, SyncerError, toSyncerError } from '../core/errors.ts';
import type { FileEntry, WriteSource } from '../core/remote.ts';
import { confirmedEmpty } from '../core/remote-calls.ts';
import { backOffMs } from '../core/retry.ts';
import { writeOnlyOver } from '../system/only-over.ts';
import type { CopyJob, CopyRules } from './action.ts';
import { openForCopy, type ReadPlan, writeSource } from './read-source.ts';
import type { Run } from './run.ts';

/** Errors that an immediate retry of the same file would repeat; the next attempt lists it again. */
const UNCHANGED_BY_RETRY: readonly ErrorCode[] = ['source-changed', 'metadata'];

/** The hashes of the destination's report that are compared with those of the source. */
const COMPARED = ['md5', 'sha1', 'quickxor', 'sha256', 'crc32'] as const;

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
  try {
    const result = await tryCopy(run, job, rules, id);
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

async function tryCopy(run: Run, job: CopyJob, rules: CopyRules, id: number): Promise<CopyResult> {
  const { context, op } = run;
  const { hashesInDoubt } = job.source.can;
  for (let attempt = 1; ; attempt++) {
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
      const error = toSyncerError(thrown);
      // The response has shown that the hash is none of the content.
      const isInDoubt = error.code === 'corrupted' && hashesInDoubt?.(job.file) === true;
      if (isInDoubt && !wasInDoubt && !op.signal.aborted) {
        context.emit({ type: 'transfer-restart', id });
        attempt--;
        continue;
      }
      const mayRetry = error.retry && !UNCHANGED_BY_RETRY.includes(error.code);
      if (!mayRetry || attempt >= rules.lowLevelRetries || op.signal.aborted) throw error;
      const ms = backOffMs(attempt, error.retryAfterMs);
      const fields = { ms, attempt, of: rules.lowLevelRetries, why: error };
      run.log('debug', job.file.path, 'copy-retry', fields);
      context.emit({ type: 'transfer-restart', id });
      await context.clock.sleep(ms, op.signal);
    }
  }
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
  onCopied(Math.max(0, file.size - copied));
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
  const onBytes = (bytes: number) => run.context.emit({ type: 'transfer-bytes', id, bytes });
  const plan: ReadPlan = {
    run,
    remote: job.source,
    file: opened.file,
    route: { up: !onDisk, down: !job.source.traits.onDisk },
    tries: rules.lowLevelRetries,
    onBytes,
    ...(run.bandwidth?.ofFile === undefined ? {} : { bandwidth: run.bandwidth.ofFile() }),
  };
  try {
    const onRestart = () => run.context.emit({ type: 'transfer-restart', id });
    const content = await writeSource(plan, job.path, opened, rules, onRestart);
    const sent = checksums ? withQuickHash(content, opened.file) : content;
    const written = await (only === undefined
      ? job.dest.write(sent, op)
      : writeOnlyOver(job.dest, sent, only, op));
    return { file: written, source, how: 'copied' };
  } finally {
    const { body } = opened;
    if (body instanceof Readable) body.on('error', () => {}).destroy();
  }
}

/**
 * Promises only the CRC-32, if known: every other hash takes many times as long, and one pass in order. Next best is
 * an MD5 of parts, which need no order.
 */
function withQuickHash(source: WriteSource, { partsMd5 }: FileEntry): WriteSource {
  const { crc32, md5 } = source.hashes ?? {};
  if (crc32 !== undefined) return { ...source, hashes: { crc32 } };
  return md5 === undefined || partsMd5 === undefined ? source : { ...source, partsMd5 };
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
