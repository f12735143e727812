import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareNames } from '../../../src/core/name-order.ts';
import { ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { type SortBy, type SortOrder, sortedChildren } from '../../../src/size-tree/sort-order.ts';

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

const PLAIN: SortOrder = {
  ...{ by: 'size', reversed: false, isApparent: false },
  ...{ dirsFirst: false, hidesDotfiles: false, hiddenNames: '' },
};

describe('the order of a directory', () => {
  test('directories first, each kind in its order; by what is taken on the disk, or by length', () => {
    const usage = { device: 1n, inode: 0n, links: 1, isSpecial: false };
    const node = (entry: string, size: number, bytes: number) => ({
      ...{ name: entry, isDir: entry.endsWith('/'), size, timeMs: Number.NaN },
      usage: { ...usage, size, bytes },
    });
    const tree = new SizeTree();
    tree.add(ROOT, [node('a', 9, 512), node('b/', 3, 512), node('c', 1, 4096), node('d/', 5, 0)]);
    const names = (order: Partial<SortOrder>) =>
      Array.from(sortedChildren(tree, ROOT, { ...PLAIN, ...order }), (one) => tree.name(one));
    expect(names({})).toEqual(['c', 'a', 'b/', 'd/']);
    expect(names({ isApparent: true })).toEqual(['a', 'd/', 'b/', 'c']);
    expect(names({ hiddenNames: ' b* ? *.(o' })).toEqual(['d/']);
    expect(names({ dirsFirst: true })).toEqual(['b/', 'd/', 'c', 'a']);
    expect(names({ dirsFirst: true, by: 'name', reversed: true })).toEqual(['d/', 'b/', 'c', 'a']);
  });

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
          const nodes = sortedChildren(tree, ROOT, { ...PLAIN, by, reversed });
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
    const nodes = sortedChildren(tree, ROOT, PLAIN);
    expect(Array.from(nodes, (node) => tree.name(node))).toEqual(
      sortedPlainly(files, 'size', false),
    );
  });
});

const time = fc.oneof(fc.constant(Number.NaN), fc.nat(2_000_000_000));
