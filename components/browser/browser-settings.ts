import type { Costs } from '../../src/size-tree/costs.ts';
import { LARGEST_FIRST, type SortBy, type SortOrder } from '../../src/size-tree/sort-order.ts';

/** What stands between size and name. */
export type Graph = 'bar' | 'bar and percent' | 'percent' | 'none';

/** How the times of entries are shown. */
export type Times = 'none' | 'time' | 'age';

/** What the list shows and in which order. */
export interface BrowserSettings {
  readonly graph: Graph;
  readonly counts: boolean;
  readonly average: boolean;
  readonly times: Times;
  /** Storage classes, and what entries cost where there are prices. */
  readonly classes: boolean;
  readonly costs: Costs | undefined;
  /** Sizes with units; otherwise all digits. */
  readonly human: boolean;
  readonly order: SortOrder;
}

/** As the browser begins. */
export const FIRST_SETTINGS: BrowserSettings = {
  graph: 'bar',
  counts: false,
  average: false,
  times: 'none',
  classes: false,
  costs: undefined,
  human: true,
  order: LARGEST_FIRST,
};

const TIMES: readonly Times[] = ['none', 'time', 'age'];

const GRAPHS: readonly Graph[] = ['bar', 'bar and percent', 'percent', 'none'];

/** Sorted by something; reversed if it is sorted by that already. */
export function sortedBy(settings: BrowserSettings, by: SortBy): BrowserSettings {
  const { order } = settings;
  return { ...settings, order: { ...order, by, reversed: order.by === by && !order.reversed } };
}

/** With the times that come next. */
export function nextTimes(settings: BrowserSettings): BrowserSettings {
  const next = (TIMES.indexOf(settings.times) + 1) % TIMES.length;
  return { ...settings, times: TIMES[next] ?? 'none' };
}

/** With the graph that comes next. */
export function nextGraph(settings: BrowserSettings): BrowserSettings {
  const next = (GRAPHS.indexOf(settings.graph) + 1) % GRAPHS.length;
  return { ...settings, graph: GRAPHS[next] ?? 'bar' };
}

/** The order in words, with the direction. */
export function orderText({ by, reversed, isApparent, dirsFirst }: SortOrder, hasDisk: boolean) {
  const size = hasDisk ? (isApparent ? 'apparent size' : 'disk usage') : 'size';
  const name = by === 'average' ? 'average size' : by === 'size' ? size : by;
  const isUp = (by === 'name') !== reversed;
  return `${dirsFirst ? 'directories first, ' : ''}by ${name} ${isUp ? 'up' : 'down'}`;
}
