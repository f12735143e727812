import { test } from 'vitest';

/** Whether every case runs, as in `npm run test:all`, or only some, as in `npm test`. */
export const ALL = process.env['SYNCER_TEST_ALL'] === '1';

/** As `test` in `npm run test:all`; in `npm test` there is no such test. */
export const testOfAll: (name: string, run: () => void | Promise<void>) => void = ALL
  ? test
  : () => {};

/** Every case in `npm run test:all`; in `npm test` so many, from all over the list. */
export function someOf<T>(cases: readonly T[], count: number): T[] {
  return cases.filter(
    (_, at) =>
      ALL ||
      Math.floor((at * count) / cases.length) !== Math.floor(((at - 1) * count) / cases.length),
  );
}

/** Every case in `npm run test:all`; in `npm test` the first one of each kind. */
export function oneOfEach<T>(cases: readonly T[], kindOf: (one: T) => string): readonly T[] {
  if (ALL) return cases;
  return [...Map.groupBy(cases, kindOf).values()].flatMap((kind) => kind.slice(0, 1));
}
