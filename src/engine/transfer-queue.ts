import { hasCode, SyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import type { CopyJob, Over, Transfer } from './action.ts';
import type { WidthRange } from './adaptive-width.ts';
import { copyFile, logCopied } from './copy/copy-file.ts';
import type { FileWork } from './file-work.ts';
import { deleteReplaced, loseReplaced } from './loss/replace.ts';
import { moveFile } from './move-file.ts';
import type { Pass } from './pass.ts';
import { askRules } from './rules/ask.ts';
import type { RunSetup } from './run.ts';
import type { PlainOptions } from './sync-option-parts.ts';
import {
  createAdaptivePool,
  createTaskPool,
  MOST_AT_ONCE,
  poolPart,
  type TaskPool,
  type TransferPools,
} from './task-pool.ts';

/** Larger files are transferred apart from the others, if nothing else is set, in bytes. */
const LARGE = 4 * 1024 ** 2;

/** Limit of the memory of small files being transferred, in bytes. */
const BUDGET = 64 * 1024 ** 2;

/** As many in parallel as the memory for their parts allows; each is sent and read in several ranges anyway. */
const LARGE_WIDTH: WidthRange = { least: 1, first: 4, most: 8 };

const DONE = Promise.resolve();

/** Accepts transfers during the walk and runs a limited number in parallel. */
export class TransferQueue {
  readonly #work: FileWork;
  readonly #pools: TransferPools;
  /** The passes that may hold a transfer until the end of the walk; each gets what those before it release. */
  readonly #holding: readonly Pass[];

  /** @param isHeld no transfer starts before `finish` */
  constructor(work: FileWork, isHeld: boolean) {
    const { options, run } = work;
    this.#work = work;
    const { maxBacklog } = options;
    const holding = work.passes.filter((pass) => pass.hold !== undefined);
    const held: Transfer[] = [];
    const all: Pass = { hold: (one) => held.push(one) > 0, release: () => held.splice(0) };
    this.#holding = isHeld ? [...holding, all] : holding;
    const isOrdered = holding.some((pass) => pass.isOrdered === true);
    const shared = run.pools?.transfers;
    const part = (pool: TaskPool) => poolPart(pool, maxBacklog);
    this.#pools =
      shared === undefined
        ? transferPools(options, run, maxBacklog, isOrdered)
        : { small: part(shared.small), large: part(shared.large) };
  }

  /** Resolves when the transfer was accepted; waits if too many are waiting. */
  add(transfer: Transfer, from = 0): Promise<void> {
    for (let at = from; at < this.#holding.length; at++)
      if (this.#holding[at]?.hold?.(transfer) === true) return DONE;
    return this.#start(transfer);
  }

  /** No more will come: starts held transfers, waits for all, and deletes sources that wait for a look at their copies. */
  async finish(): Promise<void> {
    for (const [at, pass] of this.#holding.entries())
      for (const transfer of pass.release?.() ?? []) await this.add(transfer, at + 1);
    const { small, large } = this.#pools;
    await small.idle();
    await large.idle();
    await this.#work.copies?.settle();
    small.close();
    large.close();
  }

  #start(transfer: Transfer): Promise<void> {
    const { size } = transfer.source;
    const { smallUpTo = LARGE } = this.#work.options;
    const isLarge = size < 0 || size > smallUpTo;
    const pool: TaskPool = isLarge ? this.#pools.large : this.#pools.small;
    return pool.add(() => execute(this.#work, transfer), Math.max(0, size));
  }
}

/**
 * The pools for small and for large files. With a fixed number of transfers they are one pool; otherwise each has its
 * own width, or finds it, so that a few large files do not decide about a thousand small ones.
 *
 * @param isOrdered transfers begin in the order in which they come
 */
export function transferPools(
  options: Pick<PlainOptions, 'transfers' | 'smallTransfers' | 'adapts'>,
  { context, control }: Pick<RunSetup, 'context' | 'control'>,
  backlog: number,
  isOrdered = false,
): TransferPools {
  const slots = control?.slots;
  const { transfers, smallTransfers = transfers, adapts } = options;
  if (adapts?.transfers !== true || isOrdered) {
    const large = createTaskPool(transfers, backlog, slots);
    const isOne = smallTransfers === transfers || isOrdered;
    return { small: isOne ? large : createTaskPool(smallTransfers, backlog, slots), large };
  }
  const range = { least: 1, first: transfers, far: adapts.far, most: MOST_AT_ONCE };
  return {
    small: createAdaptivePool(range, BUDGET, context, backlog, slots),
    large: createAdaptivePool(LARGE_WIDTH, Number.POSITIVE_INFINITY, context, backlog, slots),
  };
}

/** Carries out a transfer that every pass admits, and counts it, or its error. Never rejects. */
export async function execute(work: FileWork, transfer: Transfer): Promise<void> {
  const { run, passes, rules } = work;
  try {
    const { control } = run;
    if (control?.pauses.current !== undefined) await control.ready(run.op.signal);
    if (run.op.signal.aborted) return;
    if (control?.stopping.aborted === true && run.isStopping()) return;
    const { replaces } = transfer;
    if (replaces === undefined) {
      if (isTrial(work) && (await isBlocked(work, transfer))) return;
      if (rules.looksUnder && !(await mayCover(work, transfer))) return;
    }
    // By index: each file passes here, in code that V8 has not optimized yet.
    for (let at = 0; at < passes.length; at++) {
      const may = passes[at]?.admit?.(transfer, run) ?? true;
      if (may !== true && !(await may)) return;
    }
    const transferOver = (over: Over) => carryOut(work, transfer, over);
    const transferring =
      replaces === undefined
        ? transferOver(work.overNothing)
        : loseReplaced(work, transfer, replaces, transferOver);
    if (await transferring) run.transferred.files++;
  } catch (thrown) {
    for (const pass of passes) if (pass.takes?.(transfer, thrown) === true) return;
    failTransfer(work, transfer, thrown);
  }
}

/** Whether nothing is transferred, and what would fail is reported all the same (`--dry-run`, a plan). */
function isTrial({ run: { consent } }: FileWork): boolean {
  return consent.how === 'pretend' || consent.how === 'collect';
}

/** Whether a directory has the name of a new file, and stays: on disks, where a look sends no request. Counts the error. */
async function isBlocked(work: FileWork, transfer: Transfer): Promise<boolean> {
  const { dest, options, run } = work;
  if (dest.traits.onDisk !== true || options.deletes !== 'off') return false;
  if ((await dest.stat(transfer.path, run.op))?.kind !== 'dir') return false;
  const { path, size } = transfer.source;
  const text = `${dest.title}: "${transfer.path}" is a directory not a file`;
  const advice = 'delete the directory, or exclude the file with --exclude';
  const error = new SyncerError('not-a-file', text, { advice });
  const id = ++run.ids.last;
  run.context.emit({ type: 'transfer-start', id, kind: 'copy', path, size: Math.max(0, size) });
  run.context.emit({ type: 'transfer-end', id, error });
  failTransfer(work, transfer, error);
  return true;
}

/** Whether the rules let a new file replace an entry that no listing shows. Rejects with their error. */
async function mayCover(work: FileWork, { source, path }: Transfer): Promise<boolean> {
  const { run, dest } = work;
  const unlisted = await dest.can.unlistedAt?.(path, run.op);
  if (unlisted === undefined) return true;
  const { verdict } = await askRules(work, { source, path, unlisted });
  if (verdict.do === 'refuse') throw verdict.error;
  const stays = verdict.do !== 'transfer';
  if (!stays) return true;
  run.context.emit({ type: 'transfer-queued', files: -1, bytes: -Math.max(0, source.size) });
  run.log('notice', source.path, 'kept-unlisted', { what: unlisted });
  return false;
}

/** Counts a transfer that failed. A file missing during it is not a path of the user: exit codes 3 and 4 are for those. */
export function failTransfer({ run, verb }: FileWork, { source }: Transfer, thrown: unknown): void {
  let error = thrown;
  if (hasCode(thrown, 'file-not-found', 'directory-not-found', 'bucket-not-found')) {
    const { message, path, advice, cause, stop } = thrown;
    error = new SyncerError(stop ? 'config' : 'vanished', message, { path, advice, cause });
  }
  run.fail(error, source.path, verb === 'move' ? 'move' : 'copy');
}

/** Resolves to whether the file is in its place. */
async function carryOut(work: FileWork, transfer: Transfer, over: Over): Promise<boolean> {
  const { run, limit, options, dest, passes, copies } = work;
  const { source: listed, path, from, replaces } = transfer;
  const { remote: source, file } = from ?? { remote: work.source, file: listed };
  const job: CopyJob = { source, file, dest, path, ...over };
  let written: FileEntry | undefined;
  if (transfer.do === 'move') {
    const moved = await moveFile(run, job, options, { limit, copies });
    if (moved.how === 'refused') return false;
    written = moved.written;
  } else {
    const may = limit?.mayCopy(path, file.size) ?? true;
    if (may !== true && !(await may)) return false;
    try {
      const copied = await copyFile(run, job, options);
      written = copied.file;
      limit?.copied(file.size, written);
      logCopied(run, job, copied, listed.path);
    } catch (thrown) {
      let other: Transfer | undefined;
      for (const pass of passes) other ??= pass.instead?.(transfer, thrown);
      if (other === undefined) throw thrown;
      return carryOut(work, other, over);
    }
  }
  run.outcomes?.arrived(path, listed, replaces, written);
  if (replaces !== undefined) await deleteReplaced(work, transfer);
  for (let at = 0; at < passes.length; at++) {
    const done = passes[at]?.done?.(transfer, run);
    if (done !== undefined) await done;
  }
  return true;
}
