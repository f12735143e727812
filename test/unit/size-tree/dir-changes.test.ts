import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/core/remote.ts';
import {
  changedDirs,
  changeLines,
  changeOf,
  changesIn,
  type EntryPair,
  isChanged,
  pairedChildren,
  type ScanPair,
} from '../../../src/size-tree/dir-changes.ts';
import { ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../src/size-tree/tree-feed.ts';

const KIND = { isApparent: false };
const TOP: EntryPair = { before: ROOT, after: ROOT };

type Files = Readonly<Record<string, number>>;

function treeOf(files: Files): SizeTree {
  const tree = new SizeTree();
  const entries = Object.entries(files).map(
    ([path, size]): Entry => ({ kind: 'file', path, size }),
  );
  new TreeFeed(tree, ROOT).flatPage(entries);
  return tree;
}

const scansOf = (before: Files, after: Files): ScanPair => ({
  before: treeOf(before),
  after: treeOf(after),
});

const named = ({ before, after }: ScanPair, pair: EntryPair) =>
  pair.after === -1 ? before.path(pair.before) : after.path(pair.after);

/** Every directory of either side with its sums, by going through all files. */
function modelDirs(before: Files, after: Files): Map<string, readonly number[]> {
  const sums = new Map<string, [number, number, number]>();
  const add = (files: Files, side: 0 | 1) => {
    for (const [path, size] of Object.entries(files)) {
      const names = path.split('/').slice(0, -1);
      for (let depth = 0; depth <= names.length; depth++) {
        const dir = names.slice(0, depth).join('/');
        const sum = sums.get(dir) ?? [0, 0, 0];
        sum[side] += size;
        sum[2] += side === 1 ? 1 : -1;
        sums.set(dir, sum);
      }
    }
  };
  add(before, 0);
  add(after, 1);
  return sums;
}

describe('what has changed between two scans', () => {
  test('random trees: sums are those of the files, and those of children add up', () => {
    // Names of files and directories differ: a disk cannot have both.
    const path = fc
      .tuple(
        fc.array(fc.constantFrom('a', 'b', 'é', '\udcff'), { maxLength: 3 }),
        fc.constantFrom('x', 'y', 'z'),
      )
      .map(([dirs, name]) => [...dirs, name].join('/'));
    const files = fc.dictionary(path, fc.nat(1000), { maxKeys: 12 });
    fc.assert(
      fc.property(files, files, (before, after) => {
        const scans = scansOf(before, after);
        const model = modelDirs(before, after);
        const pending = [TOP];
        const seen = new Set<string>();
        for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
          const whole = changeOf(scans, dir, KIND);
          const path = named(scans, dir);
          seen.add(path);
          expect([whole.sizeBefore, whole.sizeAfter, whole.files]).toEqual(
            model.get(path) ?? [0, 0, 0],
          );
          const parts = [...pairedChildren(scans, dir)].map((pair) => changeOf(scans, pair, KIND));
          const sum = (of: (part: (typeof parts)[number]) => number) =>
            parts.reduce((total, part) => total + of(part), 0);
          expect(sum((part) => part.sizeAfter)).toBe(whole.sizeAfter);
          expect(sum((part) => part.sizeBefore)).toBe(whole.sizeBefore);
          expect(sum((part) => part.files)).toBe(whole.files);
          const shown = changesIn(scans, dir, KIND, 'size');
          expect(new Set(shown)).toEqual(new Set(parts.filter(isChanged)));
          const growth = shown.map(({ sizeBefore, sizeAfter }) => sizeAfter - sizeBefore);
          expect(growth).toEqual(growth.toSorted((a, b) => b - a));
          for (const pair of parts) {
            const isDir =
              pair.after === -1 ? scans.before.isDir(pair.before) : scans.after.isDir(pair.after);
            if (isDir) pending.push(pair);
          }
        }
        expect(seen).toEqual(new Set(['', ...model.keys()]));
        const lines = changedDirs(scans, KIND).map(({ path }) => path);
        const changed = [...seen].filter((path) => {
          const [was = 0, is = 0, count = 0] = model.get(path) ?? [];
          const has = (side: Files) =>
            path === '' || Object.keys(side).some((name) => name.startsWith(`${path}/`));
          return was !== is || count !== 0 || has(before) !== has(after);
        });
        expect(new Set(lines)).toEqual(new Set(changed));
      }),
    );
  });

  test('lines: growth first, what is new or gone without a size', () => {
    const scans = scansOf(
      { 'same/x': 5, 'less/x': 100, 'gone/deep/x': 7, 'a\nb/x': 1 },
      { 'same/x': 5, 'less/x': 60, 'less/y': 1, 'new/x': 40, 'a\nb/x': 2 },
    );
    expect([...changeLines(changedDirs(scans, KIND))]).toEqual([
      '+40\t-\t40\t+1\tnew/\n',
      '+1\t1\t2\t0\ta␊b/\n',
      '-5\t113\t108\t+1\t/\n',
      '-7\t7\t-\t-1\tgone/\n',
      '-7\t7\t-\t-1\tgone/deep/\n',
      '-39\t100\t61\t+1\tless/\n',
    ]);
  });

  test('an object and a directory of the same name are two entries', () => {
    const scans = scansOf({ 'a/x': 5, a: 1 }, { a: 3, 'b/x': 2, b: 2 });
    const rows = changesIn(scans, TOP, KIND, 'size').map((change) => [
      named(scans, change),
      change.sizeAfter - change.sizeBefore,
    ]);
    expect(rows).toEqual([
      ...[
        ['a', 2],
        ['b', 2],
        ['b', 2],
        ['a', -5],
      ],
    ]);
    expect(changesIn(scans, TOP, KIND, 'count').at(-1)?.files).toBe(-1);
  });
});
