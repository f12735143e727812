import { expect, test } from 'vitest';
import {
  addEffect,
  afterwards,
  noEffect,
  nothingSeen,
  type Pace,
  seeMore,
} from '../../../../src/run/review/afterwards.ts';
import type { PlannedChange } from '../../../../src/run/review/planned-change.ts';

const DISK = { traits: {}, can: {} } as Parameters<typeof nothingSeen>[0];
const STORE = {
  traits: { requests: { wholeUpTo: 100, part: 50 } },
  can: { deletesAtOnce: 10 },
} as Parameters<typeof nothingSeen>[0];

const change = (kind: PlannedChange['kind'], size: number, more: Partial<PlannedChange> = {}) =>
  ({ kind, size, path: 'a', reason: '', isDir: false, ...more }) satisfies PlannedChange;

function textOf(
  changes: readonly PlannedChange[],
  { dest = DISK, pace, isAll = true }: { dest?: typeof DISK; pace?: Pace; isAll?: boolean } = {},
): readonly string[] {
  const file = (path: string, size: number) => ({ kind: 'file', path, size }) as const;
  const dir = { kind: 'dir', path: 'd' } as const;
  const seen = seeMore(nothingSeen(DISK, dest), [file('a', 10), dir, file('b', 20)], isAll);
  const effect = noEffect();
  for (const each of changes) addEffect(effect, each, seen.costs);
  const parts = afterwards(seen, effect, pace);
  return parts.map(({ spans }) => spans.map(({ text }) => text).join('')).filter(Boolean);
}

test('counts what comes, goes and is replaced at the destination', () => {
  const changes = [
    change('copy', 5),
    change('update', 7, { dest: { size: 10 } }),
    change('delete', 20),
    change('delete', 99, { side: 'source' }),
    change('make-dir', -1),
  ];
  expect(textOf(changes)).toEqual(['afterwards 2 files, 12 B']);
  expect(textOf([], { isAll: false })).toEqual(['afterwards at least 2 files, 30 B']);
});

test('names no size if one is unknown', () => {
  expect(textOf([change('copy', -1)])).toEqual(['afterwards 3 files']);
});

test('counts requests: parts of large files, groups of deletions, times', () => {
  const small = [change('copy', 100), change('copy', 101), change('time', 3)];
  const gone = Array.from({ length: 11 }, () => change('delete', 1));
  expect(textOf([...small, ...gone], { dest: STORE })[1]).toBe('about 9 requests');
});

test('counts the copies that a backup gets, and deletions one by one', () => {
  const seen = nothingSeen(DISK, STORE);
  const effect = noEffect();
  const changes = [change('update', 7, { dest: { size: 9 } }), change('delete', 9)];
  for (const each of changes) addEffect(effect, each, { ...seen.costs, keeps: true });
  expect([effect.requests, effect.deleted]).toEqual([4, 0]);
});

test('tells the time of an earlier run of the same kind, and of no other', () => {
  const pace = { tookMs: 2000, files: 30, bytes: 300 };
  const files = Array.from({ length: 60 }, () => change('copy', 10));
  expect(textOf(files, { pace })[1]).toBe('about 4s, as the last run');
  expect(textOf(files, { pace: { ...pace, bytes: 3_000_000 } })).toHaveLength(1);
  expect(textOf(files, { pace: { ...pace, tookMs: 20 } })).toHaveLength(1);
  expect(textOf([change('delete', 1)], { pace })).toHaveLength(1);
});
