import { LARGEST_FIRST, type SortBy, type SortOrder } from '../size-tree/sort-order.ts';

/** What stands between size and name. */
export type Graph = 'bar' | 'bar and percent' | 'percent' | 'none';

/** What the list shows and in which order. */
export interface BrowserSettings {
  readonly graph: Graph;
  readonly counts: boolean;
  readonly average: boolean;
  readonly times: boolean;
  /** Sizes with units; otherwise all digits. */
  readonly human: boolean;
  readonly order: SortOrder;
}

/** As the browser begins. */
export const FIRST_SETTINGS: BrowserSettings = {
  graph: 'bar',
  counts: false,
  average: false,
  times: false,
  human: true,
  order: LARGEST_FIRST,
};

const GRAPHS: readonly Graph[] = ['bar', 'bar and percent', 'percent', 'none'];

/** Sorted by something; reversed if it is sorted by that already. */
export function sortedBy(settings: BrowserSettings, by: SortBy): BrowserSettings {
  const { order } = settings;
  return { ...settings, order: { ...order, by, reversed: order.by === by && !order.reversed } };
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
