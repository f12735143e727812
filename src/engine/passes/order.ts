import { SyncerError } from '../../core/errors.ts';
import { bool, groupFlags, text } from '../../core/flags.ts';
import type { Transfer } from '../action.ts';
import { type OpenedPass, offerPass } from '../pass.ts';

/** The order in which transfers start (`--order-by`). */
export interface TransferOrder {
  readonly by: 'size' | 'name' | 'modtime';
  readonly descending: boolean;
  /**
   * The share of the transfers, in percent, that take from the low end; the others take from the high end, so that
   * small files do not wait for large ones (`size,mixed`). Absent: all take from one end.
   */
  readonly mixedPercent?: number;
}

/** `--order-by` and `--check-first`. */
export const ORDER = offerPass({
  flags: groupFlags('copy', {
    'order-by': text(
      "Order of the transfers: name, size or modtime, e.g. 'size,descending'",
      'order',
    ),
    'check-first': bool('Finish all checks before the first transfer starts'),
  }),
  after: 'error-on-no-transfer',
  usesModTimes: (flags) => flags['order-by']?.startsWith('modtime') === true,
  async open(flags) {
    const { 'order-by': by, 'check-first': checkFirst } = flags;
    return by || checkFirst ? orderPass(checkFirst, by ? transferOrder(by) : undefined) : undefined;
  },
});

/** `--check-first` and `--order-by`: no transfer starts before all has been compared. */
export function orderPass(checkFirst: boolean, order: TransferOrder | undefined): OpenedPass {
  return {
    make({ run, dest, options }) {
      const held: Transfer[] = [];
      const tell = (code: 'checks-first' | 'checks-finished') => {
        if (checkFirst) run.log('info', dest.title, code);
      };
      return {
        isOrdered: order !== undefined,
        begin: () => tell('checks-first'),
        compared: () => tell('checks-finished'),
        hold(transfer) {
          held.push(transfer);
          return true;
        },
        release() {
          const all = held.splice(0);
          if (order === undefined) return all;
          all.sort(comparing(order));
          const { mixedPercent } = order;
          return mixedPercent === undefined
            ? all
            : fromBothEnds(all, mixedPercent, options.transfers);
        },
      };
    },
  };
}

/** Reads `--order-by`: `size|name|modtime`, then `asc[ending]`, `desc[ending]`, or `mixed` with a percentage. */
export function transferOrder(given: string): TransferOrder {
  const [by = '', direction = 'ascending', percent, ...rest] = given
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  const known = by === 'size' || by === 'name' || by === 'modtime';
  const isMixed = direction === 'mixed' && /^\d+$/.test(percent ?? '50');
  const descending = direction === 'desc' || direction === 'descending';
  const isPlain = (descending || /^asc(?:ending)?$/.test(direction)) && percent === undefined;
  if (!known || !(isMixed || isPlain) || rest.length > 0) {
    throw new SyncerError(
      'fatal',
      `bad --order-by "${given}": use size, name or modtime, and ascending, descending or mixed after a comma`,
    );
  }
  return { by, descending, ...(isMixed ? { mixedPercent: Number(percent ?? 50) } : {}) };
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
