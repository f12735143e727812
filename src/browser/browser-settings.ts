import type { SortBy, SortOrder } from '../size-tree/sort-order.ts';

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
  order: { by: 'size', reversed: false },
};

const ORDERS: Readonly<Record<string, SortBy>> = {
  n: 'name',
  s: 'size',
  C: 'count',
  A: 'average',
  M: 'time',
};

const GRAPHS: readonly Graph[] = ['bar', 'bar and percent', 'percent', 'none'];

/** The settings after a letter was typed; `undefined` where it sets nothing. */
export function settingsAfter(
  settings: BrowserSettings,
  letter: string,
): BrowserSettings | undefined {
  const by = ORDERS[letter];
  if (by !== undefined) {
    const { order } = settings;
    return { ...settings, order: { by, reversed: order.by === by && !order.reversed } };
  }
  switch (letter) {
    case 'g': {
      const next = (GRAPHS.indexOf(settings.graph) + 1) % GRAPHS.length;
      return { ...settings, graph: GRAPHS[next] ?? 'bar' };
    }
    case 'c':
      return { ...settings, counts: !settings.counts };
    case 'a':
      return { ...settings, average: !settings.average };
    case 'm':
      return { ...settings, times: !settings.times };
    case 'u':
      return { ...settings, human: !settings.human };
    default:
      return undefined;
  }
}

/** The order in words, with the direction. */
export function orderText({ by, reversed }: SortOrder): string {
  const name = by === 'average' ? 'average size' : by;
  const isUp = (by === 'name') !== reversed;
  return `by ${name} ${isUp ? 'up' : 'down'}`;
}
