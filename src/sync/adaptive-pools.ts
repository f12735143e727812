import type { Context } from '../core/context.ts';
import { adaptiveWidth, type WidthRange } from './adaptive-width.ts';
import type { SyncOptions } from './sync-options.ts';
import { createTaskPool, type TaskPool } from './task-pool.ts';
import type { TransferPlaces } from './transfer-places.ts';

/** Files above this size are transferred apart from the others, in bytes. */
export const LARGE = 4 * 1024 ** 2;

/** What the small files under way may hold in memory together, in bytes. */
const BUDGET = 64 * 1024 ** 2;

/** As many at once as the memory for their parts allows; each is sent and fetched in several ranges anyway. */
const LARGE_WIDTH: WidthRange = { least: 1, first: 4, most: 8 };

/** More at once than this brings nothing any more on any network. */
const MOST = 256;

type Settings = Pick<SyncOptions, 'transfers' | 'smallTransfers' | 'checkers' | 'adapts'>;
type Surroundings = Pick<Context, 'clock' | 'setbacks'>;

/**
 * The pools for small and for large files. Where one number of transfers is fixed they are one pool; otherwise each
 * has its own width, or finds it, so that a few large files do not decide about a thousand small ones.
 */
export function transferPools(
  options: Omit<Settings, 'checkers'> & Pick<SyncOptions, 'orderBy'>,
  context: Surroundings,
  backlog: number,
  places?: TransferPlaces,
): { readonly small: TaskPool; readonly large: TaskPool } {
  const { transfers, smallTransfers = transfers, adapts, orderBy } = options;
  if (adapts?.transfers !== true || orderBy !== undefined) {
    const large = createTaskPool(transfers, backlog, places);
    const isOne = smallTransfers === transfers || orderBy !== undefined;
    return { small: isOne ? large : createTaskPool(smallTransfers, backlog, places), large };
  }
  const range = { least: 1, first: transfers, most: MOST };
  return {
    small: adaptivePool(range, BUDGET, context, backlog, places),
    large: adaptivePool(LARGE_WIDTH, Number.POSITIVE_INFINITY, context, backlog, places),
  };
}

/** The pool in which pairs of files are compared. */
export function checkPool(
  options: Pick<Settings, 'checkers' | 'adapts'>,
  context: Surroundings,
): TaskPool {
  const { checkers, adapts } = options;
  if (adapts?.checkers !== true) return createTaskPool(checkers, checkers * 16);
  const range = { least: 1, first: checkers, most: MOST };
  return adaptivePool(range, Number.POSITIVE_INFINITY, context, checkers * 16);
}

function adaptivePool(
  range: WidthRange,
  budget: number,
  { clock, setbacks }: Surroundings,
  backlog: number,
  places?: TransferPlaces,
): TaskPool {
  const changing = {
    adaptive: adaptiveWidth(range),
    budget,
    nowMs: () => clock.monotonic(),
    setbacks: () => setbacks?.() ?? 0,
  };
  return createTaskPool(changing, backlog, places);
}
