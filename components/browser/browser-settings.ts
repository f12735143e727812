import type { Costs } from '../../src/size-tree/costs.ts';
import { LARGEST_FIRST, type SortBy, type SortOrder } from '../../src/size-tree/sort-order.ts';
import type { Growth } from './growth.ts';

/** What stands between size and name, in the order of their key. */
export const GRAPHS = ['bar and percent', 'bar', 'percent', 'none'] as const;

/** How the times of entries are shown. */
export const TIMES = ['none', 'time', 'age'] as const;

/** What the list shows and in which order. */
export interface BrowserSettings {
  readonly graph: (typeof GRAPHS)[number];
  readonly counts: boolean;
  readonly average: boolean;
  readonly times: (typeof TIMES)[number];
  /** Storage classes, and what entries cost where there are prices. */
  readonly classes: boolean;
  readonly costs: Costs | undefined;
  readonly growth: Growth | undefined;
  /** Sizes with units; otherwise all digits. */
  readonly human: boolean;
  readonly order: SortOrder;
}

/** As the browser begins. */
export const FIRST_SETTINGS: BrowserSettings = {
  graph: 'bar and percent',
  counts: false,
  average: false,
  times: 'none',
  classes: false,
  costs: undefined,
  growth: undefined,
  human: true,
  order: LARGEST_FIRST,
};

/** What comes first by each order, and reversed. */
const FIRST: Readonly<Record<SortBy, readonly [string, string]>> = {
  size: ['largest', 'smallest'],
  name: ['by name', 'by name, last'],
  count: ['most files', 'fewest files'],
  average: ['largest average', 'smallest average'],
  time: ['newest', 'oldest'],
};

/** The order in words: `largest first`, `directories, then newest first`. */
export function orderText({ by, reversed, isApparent, dirsFirst }: SortOrder, hasDisk: boolean) {
  const what = FIRST[by][reversed ? 1 : 0];
  const apparent = hasDisk && isApparent && by === 'size' ? ' (apparent size)' : '';
  const first = by === 'name' && !reversed ? '' : ' first';
  return `${dirsFirst ? 'directories, then ' : ''}${what}${first}${apparent}`;
}
