import type { Context } from '../core/context.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { LARGE, transferPools } from './adaptive-pools.ts';
import type { SyncOptions, TransferOrder } from './sync-options.ts';
import type { TransferPlaces } from './transfer-places.ts';

/** A file that is equal to the one to be transferred, on the remote of the destination. */
export interface CopyFrom {
  readonly remote: Remote;
  readonly file: FileEntry;
  /** The file of the source goes when the copy is made. */
  readonly removesSource: boolean;
}

/** A file that waits to be transferred, and the one it replaces. */
export interface Transfer {
  readonly source: FileEntry;
  readonly replaces?: FileEntry;
  /** Path at the destination. */
  readonly path: string;
  /** Why it replaces the other one. */
  readonly reason?: Reason;
  /** Where the store copies it from instead of from the source (`--copy-dest`). */
  readonly from?: CopyFrom;
}

/** Takes transfers while the walk goes on and runs a bounded number of them at once. */
export interface TransferQueue {
  /** Resolves when the transfer was taken; waits while too many wait already. */
  add(transfer: Transfer): Promise<void>;
  /** No more will come: starts what was held back (`--check-first`, `--order-by`) and waits for all. */
  finish(): Promise<void>;
}

const DONE = Promise.resolve();

/** A queue that runs `transfer` for each; `transfer` must not reject. */
export function createTransferQueue(
  options: Pick<
    SyncOptions,
    'transfers' | 'smallTransfers' | 'adapts' | 'checkFirst' | 'orderBy' | 'maxBacklog'
  >,
  context: Pick<Context, 'clock' | 'setbacks'>,
  transfer: (transfer: Transfer) => Promise<void>,
  places?: TransferPlaces,
): TransferQueue {
  const pools = transferPools(options, context, options.maxBacklog, places);
  const start = (item: Transfer) => {
    const { size } = item.source;
    const isLarge = size < 0 || size > LARGE;
    const pool = isLarge ? pools.large : pools.small;
    return pool.add(() => transfer(item), Math.max(0, size));
  };
  const held: Transfer[] | undefined =
    options.checkFirst || options.orderBy !== undefined ? [] : undefined;
  return {
    add(item) {
      if (held === undefined) return start(item);
      held.push(item);
      return DONE;
    },
    async finish() {
      const { orderBy, transfers } = options;
      const items = held?.splice(0) ?? [];
      const ordered = orderBy === undefined ? items : inOrder(items, orderBy, transfers);
      for (const item of ordered) await start(item);
      await pools.small.idle();
      await pools.large.idle();
      pools.small.close();
      pools.large.close();
    },
  };
}

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
