import type { Costs } from '../../src/size-tree/costs.ts';
import { LARGEST_FIRST, type SortBy, type SortOrder } from '../../src/size-tree/sort-order.ts';
import type { Growth } from './growth.ts';

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
  /** What entries have grown by since a scan of before. */
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

const TIMES: readonly Times[] = ['none', 'time', 'age'];

const GRAPHS: readonly Graph[] = ['bar and percent', 'bar', 'percent', 'none'];

/** Sorted by something; reversed if it is sorted by that already. */
export function sortedBy(settings: BrowserSettings, by: SortBy): BrowserSettings {
  const { order } = settings;
  return { ...settings, order: { ...order, by, reversed: order.by === by && !order.reversed } };
}

/** With the times that come next. */
export function nextTimes(settings: BrowserSettings): BrowserSettings {
  return { ...settings, times: after(TIMES, settings.times) };
}

/** With the graph that comes next. */
export function nextGraph(settings: BrowserSettings): BrowserSettings {
  return { ...settings, graph: after(GRAPHS, settings.graph) };
}

function after<T>(all: readonly T[], one: T): T {
  return all[(all.indexOf(one) + 1) % all.length] ?? one;
}

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
