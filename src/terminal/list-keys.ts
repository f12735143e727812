import type { KeyHint } from './key-table.ts';

/** The row for the keys that move on a list. */
export const MOVE: KeyHint & { readonly also: string } = {
  keys: '↑↓',
  also: 'j k PgUp PgDn Home End g G',
  does: 'move',
  more: 'move; also j and k, PgUp and PgDn, Home and End, g and G',
};

/** The row for the keys that scroll a page. */
export const SCROLL: typeof MOVE = {
  ...MOVE,
  does: 'scroll',
  more: 'scroll; also j and k, PgUp and PgDn, Home and End, g and G',
};

/** The row for the keys that scroll a question, which may have answers to move on. */
export const SCROLL_QUESTION: KeyHint & { readonly short: string } = {
  keys: 'PgUp PgDn',
  short: '',
  does: 'scroll',
  more: 'scroll what is asked',
};

const STEPS: Readonly<Record<string, (page: number) => number>> = {
  '↑': () => -1,
  k: () => -1,
  '↓': () => 1,
  j: () => 1,
  PgUp: (page) => -page,
  '^B': (page) => -page,
  PgDn: (page) => page,
  '^F': (page) => page,
  Space: (page) => page,
  Home: () => -Infinity,
  g: () => -Infinity,
  End: () => Infinity,
  G: () => Infinity,
};

/** How many lines the key of that name moves; `page`: the lines of a page. */
export function stepOf(name: string, page: number): number {
  return STEPS[name]?.(page) ?? 0;
}
