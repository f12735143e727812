import type { Transfer } from './action.ts';
import { execute } from './execute.ts';
import type { FileWork } from './file-work.ts';
import type { Pass } from './pass.ts';
import type { RunSetup } from './run.ts';
import type { PlainOptions } from './sync-option-parts.ts';
import {
  createAdaptivePool,
  createTaskPool,
  MOST_AT_ONCE,
  poolPart,
  type TaskPool,
  type TransferPools,
  type WidthRange,
} from './task-pool.ts';

/** Larger files are transferred apart from the others, if nothing else is set, in bytes. */
const LARGE = 4 * 1024 ** 2;

/** Limit of the memory of small files being transferred, in bytes. */
const BUDGET = 64 * 1024 ** 2;

/** As many in parallel as the memory for their parts allows; each is sent and read in several ranges anyway. */
const LARGE_WIDTH: WidthRange = { least: 1, first: 4, most: 8 };

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

  /** No more will come: starts held transfers, and waits for all. */
  async finish(): Promise<void> {
    for (const [at, pass] of this.#holding.entries())
      for (const transfer of pass.release?.() ?? []) await this.add(transfer, at + 1);
    const { small, large } = this.#pools;
    await small.idle();
    await large.idle();
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
  const places = control?.places;
  const { transfers, smallTransfers = transfers, adapts } = options;
  if (adapts?.transfers !== true || isOrdered) {
    const large = createTaskPool(transfers, backlog, places);
    const isOne = smallTransfers === transfers || isOrdered;
    return { small: isOne ? large : createTaskPool(smallTransfers, backlog, places), large };
  }
  const range = { least: 1, first: transfers, far: adapts.far, most: MOST_AT_ONCE };
  return {
    small: createAdaptivePool(range, BUDGET, context, backlog, places),
    large: createAdaptivePool(LARGE_WIDTH, Number.POSITIVE_INFINITY, context, backlog, places),
  };
}

const DONE = Promise.resolve();
