import type { WidthRange } from './adaptive-width.ts';
import type { Transfer } from './copy-job.ts';
import type { FileWork } from './file-work.ts';
import type { RunSetup } from './run.ts';
import type { TransferOrder } from './sync-option-parts.ts';
import type { SyncOptions } from './sync-options.ts';
import {
  createAdaptivePool,
  createTaskPool,
  MOST_AT_ONCE,
  poolPart,
  type TaskPool,
  type TransferPools,
} from './task-pool.ts';
import { transferFile } from './transfer-file.ts';

/** Larger files are transferred apart from the others, in bytes. */
const LARGE = 4 * 1024 ** 2;

/** Limit of the memory of small files being transferred, in bytes. */
const BUDGET = 64 * 1024 ** 2;

/** As many in parallel as the memory for their parts allows; each is sent and read in several ranges anyway. */
const LARGE_WIDTH: WidthRange = { least: 1, first: 4, most: 8 };

/** Accepts transfers during the walk and runs a limited number in parallel. */
export class TransferQueue {
  readonly #work: FileWork;
  readonly #pools: TransferPools;
  /** Transfers that wait for the end of the walk (`--check-first`, `--order-by`). */
  readonly #held: Transfer[] | undefined;

  /** @param isHeld no transfer starts before `finish` */
  constructor(work: FileWork, isHeld: boolean) {
    const { options, run } = work;
    this.#work = work;
    const { maxBacklog } = options;
    const shared = run.pools?.transfers;
    const part = (pool: TaskPool) => poolPart(pool, maxBacklog);
    this.#pools =
      shared === undefined
        ? transferPools(options, run, maxBacklog)
        : { small: part(shared.small), large: part(shared.large) };
    this.#held = isHeld || options.orderBy !== undefined ? [] : undefined;
  }

  /** Resolves when the transfer was accepted; waits if too many are waiting. */
  add(transfer: Transfer): Promise<void> {
    if (this.#held === undefined) return this.#start(transfer);
    this.#held.push(transfer);
    return DONE;
  }

  /** No more will come: starts held transfers, and waits for all. */
  async finish(): Promise<void> {
    const { orderBy, transfers } = this.#work.options;
    const held = this.#held?.splice(0) ?? [];
    const ordered = orderBy === undefined ? held : inOrder(held, orderBy, transfers);
    for (const transfer of ordered) await this.#start(transfer);
    const { small, large } = this.#pools;
    await small.idle();
    await large.idle();
    small.close();
    large.close();
  }

  #start(transfer: Transfer): Promise<void> {
    const { size } = transfer.source;
    const isLarge = size < 0 || size > LARGE;
    const pool: TaskPool = isLarge ? this.#pools.large : this.#pools.small;
    return pool.add(() => transferFile(this.#work, transfer), Math.max(0, size));
  }
}

/**
 * The pools for small and for large files. With a fixed number of transfers they are one pool; otherwise each has its
 * own width, or finds it, so that a few large files do not decide about a thousand small ones.
 */
export function transferPools(
  options: Pick<SyncOptions, 'transfers' | 'smallTransfers' | 'adapts' | 'orderBy'>,
  { context, control }: Pick<RunSetup, 'context' | 'control'>,
  backlog: number,
): TransferPools {
  const places = control?.places;
  const { transfers, smallTransfers = transfers, adapts, orderBy } = options;
  if (adapts?.transfers !== true || orderBy !== undefined) {
    const large = createTaskPool(transfers, backlog, places);
    const isOne = smallTransfers === transfers || orderBy !== undefined;
    return { small: isOne ? large : createTaskPool(smallTransfers, backlog, places), large };
  }
  const range = { least: 1, first: transfers, far: adapts.far, most: MOST_AT_ONCE };
  return {
    small: createAdaptivePool(range, BUDGET, context, backlog, places),
    large: createAdaptivePool(LARGE_WIDTH, Number.POSITIVE_INFINITY, context, backlog, places),
  };
}

const DONE = Promise.resolve();

function inOrder(items: Transfer[], order: TransferOrder, transfers: number): Transfer[] {
  items.sort(comparing(order));
  const { mixedPercent } = order;
  return mixedPercent === undefined ? items : fromBothEnds(items, mixedPercent, transfers);
}

/** Of each `transfers` items, this share is taken from the front, the others from the back. */
export function fromBothEnds<T>(items: readonly T[], percent: number, transfers: number): T[] {
  const taken: T[] = [];
  let [front, back] = [0, items.length];
  for (let slot = 0; front < back; slot = (slot + 1) % transfers) {
    const item = 100 * slot < percent * transfers ? items[front++] : items[--back];
    if (item !== undefined) taken.push(item);
  }
  return taken;
}

function comparing(order: TransferOrder): (a: Transfer, b: Transfer) => number {
  const sign = order.descending ? -1 : 1;
  return ({ source: a }, { source: b }) => {
    switch (order.by) {
      case 'size':
        return sign * (a.size - b.size);
      case 'name':
        return sign * (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
      case 'modtime':
        return sign * Number((a.modTime ?? 0n) - (b.modTime ?? 0n));
    }
  };
}
