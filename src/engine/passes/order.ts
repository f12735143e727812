import type { Transfer } from '../action.ts';
import type { Pass } from '../pass.ts';
import type { TransferOrder } from '../sync-option-parts.ts';
import type { SyncOptions } from '../sync-options.ts';

/**
 * `--check-first` and `--order-by`: no transfer starts before all has been compared.
 *
 * @param isHeld also without those flags
 */
export function orderPass(
  { checkFirst, orderBy, transfers }: Pick<SyncOptions, 'checkFirst' | 'orderBy' | 'transfers'>,
  isHeld: boolean,
): Pass | undefined {
  if (!checkFirst && !isHeld && orderBy === undefined) return undefined;
  const held: Transfer[] = [];
  return {
    hold(transfer) {
      held.push(transfer);
      return true;
    },
    release() {
      const all = held.splice(0);
      return orderBy === undefined ? all : inOrder(all, orderBy, transfers);
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
