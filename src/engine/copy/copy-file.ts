import { Readable } from 'node:stream';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FileEntry } from '../../core/remote.ts';
import { confirmedEmpty, trueSizeOf } from '../../core/remote-calls.ts';
import { filePolicy, retryAfter } from '../../core/retry.ts';
import { writeOnlyOver } from '../../system/only-over.ts';
import type { CopyJob, Sides } from '../action.ts';
import type { Run } from '../run.ts';
import type { CopyOptions } from '../sync-option-parts.ts';
import { openSource, toWrite } from './open-source.ts';

/** The hashes of the destination's report that are compared with those of the source. */
const COMPARED = ['md5', 'sha1', 'quickxor', 'sha256', 'crc32'] as const;

/** A copy that was made and verified. */
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
export async function copyFile(run: Run, job: CopyJob, options: CopyOptions): Promise<CopyResult> {
  const id = ++run.ids.last;
  const { emit } = run.context;
  const { kind = 'copy', file } = job;
  const size = Math.max(0, file.size);
  emit({ type: 'transfer-start', id, kind, path: file.path, size });
  try {
    const copied = await new FileCopy(run, job, options, id).copy();
    emit({ type: 'transfer-end', id, inStore: copied.how === 'server-copied' });
    return copied;
  } catch (thrown) {
    const error = toSyncerError(thrown);
    emit({ type: 'transfer-end', id, error });
    throw error;
  }
}

/** The copy of one file: `copy` retries `#attempt`, which copies in the store or the bytes, and verifies. */
class FileCopy {
  readonly #run: Run;
  /** The job as it was listed. */
  readonly #listed: CopyJob;
  readonly #options: CopyOptions;
  /** The number of the transfer. */
  readonly #id: number;
  /** The job with the size that a failure has shown to be the true one. */
  #job: CopyJob;

  constructor(run: Run, job: CopyJob, options: CopyOptions, id: number) {
    this.#run = run;
    this.#listed = job;
    this.#options = options;
    this.#id = id;
    this.#job = job;
  }

  async copy(): Promise<CopyResult> {
    try {
      return await this.#attempt();
    } catch (thrown) {
      const { context, op, log } = this.#run;
      const what = this.#listed.file.path;
      const tries = this.#options.lowLevelRetries;
      return retryAfter(thrown, () => this.#attempt(), {
        tries,
        what,
        signal: op.signal,
        context,
        policy: filePolicy,
        onWait: (why, ms, attempt) => {
          log('debug', what, 'copy-retry', { ms, attempt, of: tries, why });
          context.emit({ type: 'transfer-restart', id: this.#id });
        },
      });
    }
  }

  /**
   * One try. A failure that shows that the listed size is wrong, or that the listed hash belongs to other content, is
   * repaired, which is no retry: the same copy is made immediately with what is known now, once for each of these
   * reasons.
   */
  async #attempt(): Promise<CopyResult> {
    const { context, op } = this.#run;
    for (;;) {
      const job = this.#job;
      const sinceMs = context.clock.now();
      const wasInDoubt = hashesInDoubt(job);
      try {
        const inStore = mayWorkInStore(job, this.#options) ? await this.#copyInStore() : undefined;
        const copied = inStore ?? (await this.#copyBytes());
        const { file: written, how } = copied;
        if (written.isRewritten === true) return copied;
        const wrong = difference(job, copied, this.#options);
        if (wrong !== undefined) {
          await job.dest.can.takeBack?.(written, {}, op);
          throw new SyncerError('corrupted', `corrupted on transfer: ${wrong}`);
        }
        if (written.hashes !== undefined && how === 'copied')
          job.source.can.noteHashes?.(job.file, written.hashes, sinceMs);
        return copied;
      } catch (thrown) {
        if (!this.#repair(thrown, wasInDoubt) || op.signal.aborted) throw thrown;
        context.emit({ type: 'transfer-restart', id: this.#id });
      }
    }
  }

  /** Learns from a failure; whether the same copy may succeed with what is known now. */
  #repair(thrown: unknown, wasInDoubt: boolean): boolean {
    const listed = this.#listed;
    const size = this.#options.ignoreSize ? trueSizeOf(listed.file, thrown) : undefined;
    if (size !== undefined && this.#job === listed) {
      this.#job = { ...listed, file: { ...listed.file, size } };
      return true;
    }
    // The response has shown that the listed hash belongs to other content.
    return hasCode(thrown, 'corrupted') && !wasInDoubt && hashesInDoubt(this.#job);
  }

  /** Copies server-side; `undefined` if the remote cannot. */
  async #copyInStore(): Promise<CopyResult | undefined> {
    const { bandwidth, context, op } = this.#run;
    const { source, file, dest, path, change } = this.#job;
    // A copy by the kernel cannot be slowed down: under `--bwlimit` bytes are copied here.
    const isByKernel = source.traits.onDisk && dest.traits.onDisk;
    if (isByKernel && bandwidth?.isLimited() === true) return undefined;
    const id = this.#id;
    let copied = 0;
    const onCopied = (bytes: number) => {
      copied += bytes;
      context.emit({ type: 'transfer-bytes', id, bytes });
    };
    const inStore = { ...op, change, onCopied };
    const written = await dest.can.copyFrom?.(source, file, path, inStore, this.#options.metadata);
    if (written === undefined) return undefined;
    const bytes = Math.max(0, written.size - copied);
    context.emit({ type: 'transfer-bytes', id, bytes });
    const isCarried = dest.traits.carries !== undefined && source.name !== dest.name;
    const how = dest.traits.onDisk || isCarried ? 'copied' : 'server-copied';
    return { file: written, source: file, how };
  }

  /** Reads the source, and writes the destination. */
  async #copyBytes(): Promise<CopyResult> {
    const { context, op } = this.#run;
    const { file: listed, source, dest, change } = this.#job;
    const file = listed.size === 0 ? await confirmedEmpty(source, listed, op) : listed;
    const job = file === listed ? this.#job : { ...this.#job, file };
    const opened = await openSource(this.#run, job, this.#options);
    const id = this.#id;
    const writing = {
      ...op,
      change,
      onHashed: (bytes: number) => context.emit({ type: 'transfer-hashed', id, bytes }),
    };
    try {
      const content = await toWrite(this.#run, opened, job, this.#options, id);
      const only = change?.replacesOnly;
      const written = await (only === undefined
        ? dest.write(content, writing)
        : writeOnlyOver(dest, content, only, writing));
      return { file: written, source: file, how: 'copied' };
    } finally {
      const { body } = opened;
      if (body instanceof Readable) body.on('error', () => {}).destroy();
    }
  }
}

/** Whether the listed hashes of a file may belong to other content. */
function hashesInDoubt({ source, file }: CopyJob): boolean {
  return source.can.hashesInDoubt?.(file) === true;
}

/** Whether a server-side copy or move is allowed: within one remote, or if the user allows it. */
export function mayWorkInStore(
  { source, dest }: Sides,
  { serverSideAcrossConfigs }: { readonly serverSideAcrossConfigs: boolean },
): boolean {
  const { copiesAcross, carries } = dest.traits;
  const isAllowed = serverSideAcrossConfigs || copiesAcross === true || carries !== undefined;
  return source.name === dest.name || isAllowed;
}

/**
 * What differs between the destination's report of the new file and the source, without a further request; `undefined`
 * if nothing does.
 */
function difference(
  job: CopyJob,
  { source: file, file: written }: CopyResult,
  options: CopyOptions,
): string | undefined {
  if (!options.ignoreSize && file.size >= 0 && written.size >= 0 && file.size !== written.size)
    return `sizes differ ${file.size} vs ${written.size}`;
  // A hash that does not count was left out before the destination verified the others.
  if (options.ignoreChecksum || job.source.can.hashesInDoubt?.(file) === true) return undefined;
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

/** The field of log events about a job that is a step. */
export function stepOf({ isStep }: CopyJob): { isStep?: true } {
  return isStep === true ? { isStep } : {};
}

/** Logs a copy that was made. */
export function logCopied(
  run: Run,
  job: CopyJob,
  { how, file: { sent } }: CopyResult,
  about = job.file.path,
): void {
  const { file, path, replaces } = job;
  const to = path === file.path ? undefined : path;
  const kind =
    how === 'server-copied' ? 'server-side' : replaces === undefined ? 'new' : 'replaced';
  run.log('info', about, 'copied', { how: kind, to, size: file.size, sent, ...stepOf(job) });
}
