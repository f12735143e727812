import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareNames } from '../../../src/core/name-order.ts';
import { ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { type SortBy, sortedChildren } from '../../../src/size-tree/sort-order.ts';

interface File {
  readonly name: string;
  readonly size: number;
  readonly timeMs: number;
}

function treeOf(files: readonly File[]): SizeTree {
  const tree = new SizeTree();
  tree.add(
    ROOT,
    files.map((file) => ({ ...file, isDir: false })),
  );
  return tree;
}

const key: Readonly<Record<Exclude<SortBy, 'name'>, (file: File) => number>> = {
  size: ({ size }) => Math.max(0, size),
  count: () => 1,
  average: ({ size }) => Math.max(0, size),
  time: ({ timeMs }) => (Number.isNaN(timeMs) ? -1 : timeMs),
};

function sortedPlainly(files: readonly File[], by: SortBy, reversed: boolean): string[] {
  const byName = (a: File, b: File) => compareNames(a.name, b.name);
  if (by === 'name') {
    const names = [...files].sort(byName).map(({ name }) => name);
    return reversed ? names.reverse() : names;
  }
  const of = key[by];
  const sign = reversed ? 1 : -1;
  return [...files].sort((a, b) => sign * (of(a) - of(b)) || byName(a, b)).map(({ name }) => name);
}

const name = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.nat(99_999).map((n) => `IMG_2024_${n}.jpg`),
  fc.nat(99_999).map((n) => `holiday-in-the-mountains-${n}`),
);

describe('the order of a directory', () => {
  for (const by of ['name', 'size', 'count', 'average', 'time'] as const) {
    for (const count of [30, 3000]) {
      test(`${by}, ${count} entries: as a plain sort has it`, () => {
        const files = fc
          .sample(
            fc.uniqueArray(
              fc.record({ name, size: fc.integer({ min: -1, max: 2 ** 45 }), timeMs: time }),
              { minLength: count, maxLength: count, selector: (file) => file.name },
            ),
            1,
          )
          .flat();
        const tree = treeOf(files);
        for (const reversed of [false, true]) {
          const nodes = sortedChildren(tree, ROOT, { by, reversed });
          const names = Array.from(nodes, (node) => tree.name(node));
          expect(names).toEqual(sortedPlainly(files, by, reversed));
        }
      });
    }
  }

  test('thousands of names that begin alike, and of sizes that are equal', () => {
    const files = Array.from({ length: 5000 }, (_, n) => ({
      name: `${n % 2 === 0 ? 'VID' : 'IMG'}_20240101_${String((n * 7919) % 5000).padStart(6, '0')}`,
      size: n % 3,
      timeMs: Number.NaN,
    }));
    const tree = treeOf(files);
    const nodes = sortedChildren(tree, ROOT, { by: 'size', reversed: false });
    expect(Array.from(nodes, (node) => tree.name(node))).toEqual(
      sortedPlainly(files, 'size', false),
    );
  });
});

const time = fc.oneof(fc.constant(Number.NaN), fc.nat(2_000_000_000));
