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

/** Up, down, by pages, to both ends. */
const STEPS = [
  ['↑', 'k'],
  ['↓', 'j'],
  ['PgUp', '^B'],
  ['PgDn', '^F', 'Space'],
  ['Home', 'g'],
  ['End', 'G'],
];

/** How many lines the key of that name moves; `page`: the lines of a page. */
export function stepOf(name: string, page: number): number {
  const at = STEPS.findIndex((names) => names.includes(name));
  return [-1, 1, -page, page, -Infinity, Infinity][at] ?? 0;
}
