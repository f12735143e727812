import { expect, test } from 'vitest';
import type { Case } from '../../scripts/chaos/case.ts';
import { makeCase } from '../../scripts/chaos/make-case.ts';
import { predict } from '../../scripts/chaos/predict.ts';
import { damages } from '../../scripts/chaos/safe.ts';
import { shrink } from '../../scripts/chaos/shrink.ts';
import { NOTHING, type Tree, type World } from '../../scripts/chaos/tree.ts';
import { differences } from '../../scripts/chaos/wanted.ts';

const tree = (files: Readonly<Record<string, readonly [string, bigint]>>): Tree => ({
  ...NOTHING,
  files: new Map(Object.entries(files).map(([path, [content, time]]) => [path, { content, time }])),
});
const move: Case = { command: 'move', from: 's3', to: 's3', flags: [] };
const before: World = {
  a: tree({ new: ['10:1', 10n ** 18n], same: ['10:2', 10n ** 18n] }),
  b: tree({ same: ['10:2', 10n ** 18n], other: ['10:3', 10n ** 18n] }),
  c: undefined,
};

function faultsOf(found: Tree): string[] {
  const { b } = predict(move, before);
  return b === undefined ? ['no prediction'] : differences('b', found, b);
}

test('what a move is to leave is told, and each way to miss it', () => {
  const right = {
    new: ['10:1', 10n ** 18n],
    same: ['10:2', 10n ** 18n],
    other: ['10:3', 10n ** 18n],
  } as const;
  expect(faultsOf(tree(right))).toEqual([]);
  const { other: _, ...fewer } = right;
  expect(faultsOf(tree(fewer))).toEqual(['b: other is missing (10:3)']);
  expect(faultsOf(tree({ ...right, new: ['wrong(10 bytes)', 10n ** 18n] }))).toHaveLength(1);
  expect(faultsOf(tree({ ...right, new: ['10:1', 0n] }))).toHaveLength(1);
  expect(faultsOf(tree({ ...right, more: ['1:1', 0n] }))).toEqual(['b: more should not be there']);
});

test('after a run that was disturbed nothing is lost or half there', () => {
  const predicted = predict(move, before);
  const { a, b } = before;
  const lost = { a: tree({ same: ['10:2', 10n ** 18n] }), b, c: undefined };
  const half = { a, b: tree({ new: ['wrong(5 bytes)', 0n], same: ['10:2', 0n] }), c: undefined };
  expect(damages(move, before, predicted, before, false)).toEqual([]);
  expect(damages(move, before, predicted, lost, false)).toEqual(['a: new (10:1) is lost']);
  expect(damages(move, before, predicted, half, false)).toEqual([
    'b: new holds wrong(5 bytes) and should not',
    'b: other (10:3) is gone',
  ]);
});

test('a failing case is made as small as it can be', async () => {
  const file = [1, 1, '1'] as const;
  const trial: Case = {
    ...move,
    flags: ['--checksum', '--update', '--fast-list'],
    a: { one: file, two: file, three: file, four: file, five: file },
    b: { one: file },
  };
  const fails = async (each: Case) =>
    each.flags.includes('--update') && each.a?.['four'] ? { trial: each } : undefined;
  const { trial: smallest } = await shrink({ trial }, fails, Number.POSITIVE_INFINITY);
  expect(smallest).toEqual({ ...move, flags: ['--update'], a: { four: file }, b: {} });
});

test('a seed always makes the same case', () => {
  for (let seed = 0; seed < 50; seed++) expect(makeCase(seed)).toEqual(makeCase(seed));
});
